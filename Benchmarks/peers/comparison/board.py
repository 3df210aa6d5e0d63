# SPDX-License-Identifier: Apache-2.0
"""pedalboard's Bitcrush, called from Python and left alone in one long call."""

import importlib.metadata
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns

import numpy as np
import pedalboard

from . import legato, settings, sound
from .contender import Key, Times

OTHER_FORMULA = "other formula: rounds to bits, no saturation, no mix"
NO_FORMULA = "computes next to nothing: what a call costs"
# The frames of the long call.
LONG_FRAMES = 1 << 16
# How many short calls lie between two readings of the clock.
CALLS = 20


class Pedalboard:
    def __init__(self) -> None:
        self.name = f"pedalboard {importlib.metadata.version('pedalboard')}"
        self.crush = pedalboard.Bitcrush(bit_depth=settings.BITS)
        self.nothing = pedalboard.Gain(gain_db=0)
        self.long = sound.synthesize(LONG_FRAMES / sound.RATE)

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        times: Times = {}
        for frames in sizes:
            block = np.ascontiguousarray(self.long[:, :frames])
            blocks = LONG_FRAMES // frames
            ways: dict[str, tuple[Callable[[], object], int, str]] = {
                f"{self.name}, a call a block":
                    (lambda: self.crush.process(block, sound.RATE, buffer_size=frames, reset=False), 1, OTHER_FORMULA),
                f"{self.name}, a call a block, Gain of 0 dB":
                    (lambda: self.nothing.process(block, sound.RATE, buffer_size=frames, reset=False), 1, NO_FORMULA),
                f"{self.name}, one call cut inside":
                    (lambda: self.crush.process(self.long, sound.RATE, buffer_size=frames, reset=False), blocks,
                     OTHER_FORMULA),
            }
            for name, (call, share, formula) in ways.items():
                key = Key(name, legato.BITCRUSHER, frames, formula)
                times[key] = self.time(call, 1 if share > 1 else CALLS, milliseconds) / share
        return times

    def time(self, call: Callable[[], object], calls: int, milliseconds: float) -> float:
        """The nanoseconds of a call: the median of batches."""
        call()
        batches = []
        end = perf_counter_ns() + milliseconds * 1e6
        while len(batches) < 5 or perf_counter_ns() < end:
            begin = perf_counter_ns()
            for _ in range(calls):
                call()
            batches.append((perf_counter_ns() - begin) / calls)
        return median(batches)
