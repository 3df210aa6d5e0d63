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
# At most this share of samples may sit on a jump.
SHARE = 0.01


def distance_to_jump(samples: np.ndarray) -> np.ndarray:
    """How far each sample is from where round jumps, in steps of the resolution and in double precision."""
    steps = np.tanh(samples.astype("f8") * settings.GAIN) * settings.RESOLUTION
    return np.abs(steps - np.floor(steps) - 0.5)


def bitcrushers(samples: np.ndarray, legato: np.ndarray, others: dict[str, np.ndarray]) -> list[str]:
    """Lines that say how well the others agree with Legato; fails where they do not."""
    lines = []
    distance = distance_to_jump(samples)
    for name, result in others.items():
        count = min(result.shape[1], legato.shape[1])
        if count < samples.shape[1] // 2:
            raise Failure(f"{name} gives {count} frames of {samples.shape[1]}")
        difference = np.abs(result[:, :count].astype("f8") - legato[:, :count])
        # Not-a-number is no agreement either.
        apart = ~(difference <= TOLERANCE)
        jumped = apart & (distance[:, :count] <= NEAR)
        jumped &= difference <= settings.WET / settings.RESOLUTION + TOLERANCE
        wrong = apart & ~jumped
        if wrong.any():
            channel, frame = np.argwhere(wrong)[0]
            raise Failure(
                f"{name} differs from Legato in {wrong.sum()} samples; the first is frame {frame} of channel "
                f"{channel}: {result[channel, frame]} instead of {legato[channel, frame]}")
        if jumped.mean() > SHARE:
            raise Failure(f"{name}: {jumped.sum()} of {jumped.size} samples fell on the other side of a jump")
        largest = difference[~apart].max()
        lines.append(
            f"{name}: {apart.size} samples, at most {largest:.1e} apart; "
            f"{jumped.sum()} beyond that, each on a jump of round")
    return lines


def layers(name: str, difference: float) -> str:
    if not difference <= LAYER_TOLERANCE:
        raise Failure(f"{name}: ONNX Runtime and Legato differ by {difference:.1e}, allowed are {LAYER_TOLERANCE:.0e}")
    return f"{name}: at most {difference:.1e} apart"
