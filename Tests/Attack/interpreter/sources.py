# SPDX-License-Identifier: Apache-2.0
"""Oscillators, and noise."""

import math

import numpy as np

from .node import Node, frames, function
from .rows import ROWS, inexact, joined, known, remembered
from .shapes import Whole

TURN, READ = 2.0**32, 2.0**24


class Oscillator(Whole):
    """A wave along a phase, which begins at 0 and goes on by frequency / sampleRate behind each frame. It counts in
    whole 2^-32 of a turn, less where there are fractions of one, and is read with 24 bits."""

    def known(self, start, count, frequency):
        half = self.setting.rate / 2
        frequency = frames(frequency, count)
        rows = frequency[..., :ROWS]
        with np.errstate(all="ignore"):
            step = self.rounded(np.clip(rows, -half, half) / self.setting.rate)
        counted = np.trunc(step * TURN) / TURN
        phase = known(np.zeros(1)) if self.state is None else self.state
        phases = []
        for frame in range(count):
            phases.append(phase)
            with np.errstate(all="ignore"):
                next = phase[..., :ROWS] + counted[..., frame : frame + 1, :]
                next = next - np.floor(next)
            doubt = np.maximum(phase[..., ROWS], frequency[..., frame : frame + 1, ROWS])
            phase = remembered(joined(next, doubt))
        self.state = phase
        phases = np.concatenate(phases, axis=-2)
        doubt = np.maximum(phases[..., ROWS], frequency[..., ROWS])
        doubt = np.maximum(doubt, ~np.isfinite(rows).all(axis=-1))
        return self.wave(self.read(phases[..., :ROWS]), np.abs(step), doubt)

    def read(self, phase):
        """24 bits of a phase; where there were more, a rounding may have moved the last one."""
        first = np.floor(phase * READ)
        moved = 0.5 * (first[..., 0] != phase[..., 0] * READ)
        first[..., 2] += moved
        first[..., 3] -= moved
        return first / READ % 1


@function("phasor", "frequency")
class Phasor(Oscillator):
    def wave(self, phase, step, doubt):
        first = phase[..., 0]
        distance = np.minimum(first, 1 - first)
        # What is nearly a whole turn in one row is nearly none in another.
        spread = phase - phase[..., :1]
        around = phase[..., :1] + spread - np.round(spread)
        near = self.decisions.near(around, distance, inexact(phase) > 0)
        return joined(phase, np.maximum(doubt, near))


@function("sine", "frequency")
class Sine(Oscillator):
    def wave(self, phase, step, doubt):
        return joined(self.rounded(np.sin(self.rounded(2 * math.pi * phase))), doubt)


def corner(phase, step):
    """What makes a step from 1 to -1 at the phase 0 round: two parabolas, within a frame of it."""
    step = np.maximum(step, 1e-30)
    with np.errstate(all="ignore"):
        behind, before = phase / step, (phase - 1) / step
        return np.where(phase < step, 2 * behind - behind**2 - 1, 0) + np.where(
            phase > 1 - step, before**2 + 2 * before + 1, 0
        )


@function("saw", "frequency")
class Saw(Oscillator):
    def wave(self, phase, step, doubt):
        return joined(self.rounded(self.rounded(2 * phase - 1) - self.rounded(corner(phase, step))), doubt)


@function("square", "frequency")
class Square(Oscillator):
    def wave(self, phase, step, doubt):
        up, other = self.rounded(corner(phase, step)), (phase + 0.5) % 1
        down = self.rounded(corner(other, step))
        return joined(self.rounded(self.rounded(np.where(phase < 0.5, 1.0, -1.0) + up) - down), doubt)


@function("noise", "seed: 1")
class Noise(Node):
    """Numbers that only the program knows: the article promises no more than that they are the same each time."""

    attributes = ("seed",)

    def run(self, start, count):
        return known(self.setting.noise(self.attribute["seed"])[start : start + count])
