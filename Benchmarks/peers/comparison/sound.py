# SPDX-License-Identifier: Apache-2.0
"""Sound files of 32-bit floats, and something to put into them."""

import struct
from pathlib import Path

import numpy as np

from .programs import Failure

RATE = 48_000
FLOATS = 3


def synthesize(seconds: float, seed: int = 1) -> np.ndarray:
    """Two tones and some noise on two channels, within -1 to 1; [channel, frame]."""
    count = int(seconds * RATE)
    time = np.arange(count) / RATE
    noise = np.random.default_rng(seed).uniform(-1, 1, (2, count))
    tones = np.stack([np.sin(2 * np.pi * 220 * time), np.sin(2 * np.pi * 331 * time)])
    return (0.6 * tones + 0.4 * noise).astype("<f4")


def write(path: Path, samples: np.ndarray) -> None:
    channels = len(samples)
    data = np.ascontiguousarray(samples.T, "<f4").tobytes()
    head = struct.pack("<HHIIHH", FLOATS, channels, RATE, RATE * channels * 4, channels * 4, 32)
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(head)) + head
    body += b"fact" + struct.pack("<II", 4, samples.shape[1]) + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)


def read(path: Path) -> np.ndarray:
    content = path.read_bytes()
    kind, channels, place = 0, 0, 12
    while place + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, place)
        if name == b"fmt ":
            kind, channels = struct.unpack_from("<HH", content, place + 8)
            if kind == 0xFFFE:  # the kind stands further on
                kind = struct.unpack_from("<H", content, place + 32)[0]
        elif name == b"data" and kind == FLOATS:
            return np.frombuffer(content, "<f4", size // 4, place + 8).reshape(-1, channels).T
        place += 8 + size + size % 2
    raise Failure(f"{path} is no WAV file of floats")
