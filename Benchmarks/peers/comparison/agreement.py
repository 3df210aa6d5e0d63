# SPDX-License-Identifier: Apache-2.0
"""Whether what is compared computes the same, sample by sample."""

import numpy as np

from . import settings
from .programs import Failure

# Beside a jump, samples of two programs differ by less; layers add up more roundings.
TOLERANCE = 1e-6
LAYER_TOLERANCE = 1e-4
# How near a sample has to be to a jump of round, in steps, to land on either side of it.
NEAR = 2e-5
# At most this share of samples may fall on the other side.
SHARE = 0.01


def distance_to_jump(samples: np.ndarray) -> np.ndarray:
    """How far each sample is from where round jumps, in steps of the resolution and in double precision."""
    steps = np.tanh(samples.astype("f8") * settings.GAIN) * settings.RESOLUTION
    return np.abs(steps - np.floor(steps) - 0.5)


def bitcrushers(samples: np.ndarray, legato: np.ndarray, others: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """A line for each peer that says how well it agrees with Legato in all its ways; fails where one does not."""
    distance = distance_to_jump(samples)
    lines = []
    for peer, ways in others.items():
        parts = [_compare(f"{peer}, {way}", result, legato, distance) for way, result in ways.items()]
        largest, jumps, count = max(part[0] for part in parts), sum(part[1] for part in parts), parts[0][2]
        lines.append(
            f"{peer}, {len(ways)} way{'s' * (len(ways) > 1)}: {count} samples each, at most {largest:.1e} apart, but "
            f"for {jumps} beside a jump of round")
    return lines


def _compare(name: str, result: np.ndarray, legato: np.ndarray, distance: np.ndarray) -> tuple[float, int, int]:
    """The largest difference but for jumps, how many samples fell on another side of one, and of how many."""
    count = min(result.shape[1], legato.shape[1])
    # What is rendered in blocks leaves out the last frames.
    if count < distance.shape[1] - 4096:
        raise Failure(f"{name} gives {count} frames of {distance.shape[1]}")
    difference = np.abs(result[:, :count].astype("f8") - legato[:, :count])
    # Not-a-number is no agreement either.
    apart = ~(difference <= TOLERANCE)
    jumped = apart & (distance[:, :count] <= NEAR)
    jumped &= difference <= settings.WET / settings.RESOLUTION + TOLERANCE
    wrong = apart & ~jumped
    if wrong.any():
        channel, frame = np.argwhere(wrong)[0]
        raise Failure(
            f"{name} differs from Legato in {wrong.sum()} samples; the first is frame {frame} of channel {channel}: "
            f"{result[channel, frame]} instead of {legato[channel, frame]}")
    if jumped.mean() > SHARE:
        raise Failure(f"{name}: {jumped.sum()} of {jumped.size} samples fell on the other side of a jump")
    return float(difference[~apart].max()), int(jumped.sum()), jumped.size


def layers(name: str, difference: float) -> str:
    if not difference <= LAYER_TOLERANCE:
        raise Failure(f"{name}: ONNX Runtime and Legato differ by {difference:.1e}, allowed are {LAYER_TOLERANCE:.0e}")
    return f"{name}: at most {difference:.1e} apart"
