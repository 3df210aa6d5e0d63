# SPDX-License-Identifier: Apache-2.0
"""Filters and followers, frame by frame."""

import math

import numpy as np

from .node import frames, function
from .rows import ROWS, doubt_of, joined, remembered
from .shapes import Whole


def unsure(value):
    return ~np.isfinite(value[..., :ROWS]).all(axis=-1)


class Recursive(Whole):
    """A function with states, all of one shape. `coefficients` come from all arguments but x, for all frames at once;
    `step` gives the next states and the result of one frame."""

    states = 1

    def known(self, start, count, **values):
        shape = np.broadcast_shapes(*(value.shape[:-2] for value in values.values()))
        if self.state is None:
            self.state = [np.zeros(shape + (1, ROWS + 1)) for _ in range(self.states)]
        values = {name: frames(value, count) for name, value in values.items()}
        x = values.pop("x")
        with np.errstate(all="ignore"):
            made = self.coefficients(**{name: value[..., :ROWS] for name, value in values.items()})
        # What a filter makes of what is no number, nobody says.
        doubts = np.maximum(doubt_of(x, *values.values()), sum(unsure(value) for value in (x, *values.values())) > 0)
        made = [np.broadcast_to(one, one.shape[:-2] + (count, ROWS)) for one in map(np.asarray, made)]
        result = []
        for frame in range(count):
            at = (..., slice(frame, frame + 1), slice(None))
            doubt = np.maximum(doubts[..., frame : frame + 1], doubt_of(*self.state))
            with np.errstate(all="ignore"):
                states, y = self.step(
                    x[at][..., :ROWS], [s[..., :ROWS] for s in self.state], *(one[at] for one in made)
                )
            self.state = [remembered(joined(np.broadcast_to(s, shape + (1, ROWS)), doubt)) for s in states]
            result.append(joined(np.broadcast_to(y, shape + (1, ROWS)), doubt))
        return np.concatenate(result, axis=-2)

    def tangent(self, frequency):
        """tan(π f / sampleRate), of a frequency from 0 to 0.49 times the sample rate."""
        frequency = np.clip(frequency, 0, 0.49 * self.setting.rate)
        return self.rounded(np.tan(self.rounded(math.pi * self.rounded(frequency / self.setting.rate))))


class StateVariable(Recursive):
    """The state variable filter in trapezoids: g = tan(π f / sampleRate), k = 1 / q, and of each frame so much of x, of
    band and of low."""

    states = 2
    units = 3  # near half the rate, other orders of the same formula have been seen to round that much more

    def coefficients(self, **values):
        r = self.rounded
        g, k, *mix = self.design(**values)
        return [g, r(1 / r(1 + r(g * r(g + k)))), *mix]

    def damping(self, q):
        return self.rounded(1 / np.maximum(q, 0.025))

    def step(self, x, states, g, share, direct, much_band, much_low):
        r, (one, two) = self.rounded, states
        band = r(r(one + r(g * r(x - two))) * share)
        low = r(two + r(g * band))
        y = r(r(direct * x) + r(r(much_band * band) + r(much_low * low)))
        return [r(2 * band - one), r(2 * low - two)], y


HALF_POWER = np.full((1, ROWS), math.sqrt(0.5))


def mixed(name, mix):
    """A filter that is a fixed mix of x, band and low, where k is 1 / q."""

    def design(self, frequency, q=HALF_POWER):
        k = self.damping(q)
        return [self.tangent(frequency), k, *(np.asarray(one) + 0 * k for one in mix(k))]

    function(name, "x, frequency, q?")(type(name, (StateVariable,), {"design": design}))


mixed("lowpass", lambda k: (0.0, 0.0, 1.0))
mixed("highpass", lambda k: (1.0, -k, -1.0))
mixed("bandpass", lambda k: (0.0, k, 0.0))
mixed("notch", lambda k: (1.0, -k, 0.0))
mixed("allpass", lambda k: (1.0, -2 * k, 0.0))


class Louder(StateVariable):
    """A filter with a gain; A is the root of it."""

    def design(self, frequency, gain, q=HALF_POWER):
        return self.shaped(self.tangent(frequency), self.damping(q), self.rounded(np.power(10, gain / 40)))


@function("peak", "x, frequency, gain, q?")
class Peak(Louder):
    def shaped(self, g, k, a):
        k = self.rounded(k / a)
        return [g, k, 1 + 0 * k, self.rounded(k * self.rounded(self.rounded(a * a) - 1)), 0 * k]


@function("lowShelf", "x, frequency, gain, q?")
class LowShelf(Louder):
    def shaped(self, g, k, a):
        r = self.rounded
        return [r(g / r(np.sqrt(a))), k, 1 + 0 * a, r(k * r(a - 1)), r(r(a * a) - 1)]


@function("highShelf", "x, frequency, gain, q?")
class HighShelf(Louder):
    def shaped(self, g, k, a):
        r = self.rounded
        return [r(g * r(np.sqrt(a))), k, r(a * a), r(r(k * r(1 - a)) * a), r(1 - r(a * a))]


@function("svf", "x, frequency, q, low?, band?, high?")
class Svf(StateVariable):
    def design(self, frequency, q, low=0.0, band=0.0, high=0.0):
        k = self.damping(q)
        return [
            self.tangent(frequency),
            k,
            high + 0 * k,
            self.rounded(band - self.rounded(high * k)),
            self.rounded(low - high + 0 * k),
        ]


@function("onePole", "x, frequency")
class OnePole(Recursive):
    def coefficients(self, frequency):
        g = self.tangent(frequency)
        return [self.rounded(g / self.rounded(1 + g))]

    def step(self, x, states, share):
        moved = self.rounded(self.rounded(x - states[0]) * share)
        y = self.rounded(moved + states[0])
        return [self.rounded(y + moved)], y


TEN_HERTZ = np.full((1, ROWS), 10.0)


@function("dcBlock", "x, frequency?")
class DCBlock(OnePole):
    def coefficients(self, frequency=TEN_HERTZ):
        return super().coefficients(frequency)

    def step(self, x, states, share):
        states, low = super().step(x, states, share)
        return states, self.rounded(x - low)


@function("biquad", "x, b0, b1, b2, a1, a2")
class Biquad(Recursive):
    """As it is written: with two frames of x and two of y."""

    states = 4

    def coefficients(self, b0, b1, b2, a1, a2):
        return [b0, b1, b2, a1, a2]

    def step(self, x, states, b0, b1, b2, a1, a2):
        r, (x1, x2, y1, y2) = self.rounded, states
        y = r(r(r(r(r(b0 * x) + r(b1 * x1)) + r(b2 * x2)) - r(a1 * y1)) - r(a2 * y2))
        return [x + 0 * y, x1, y, y1], y


@function("envelope", "x, attack, release")
class Envelope(Recursive):
    """Goes to abs(x) by 1 / (seconds * sampleRate + 1/2) of the way in each frame, and at most all of it."""

    def coefficients(self, attack, release):
        return [self.share(attack), self.share(release)]

    def share(self, seconds):
        return self.rounded(np.minimum(1, 1 / self.rounded(np.maximum(seconds, 0) * self.setting.rate + 0.5)))

    def step(self, x, states, attack, release):
        level, state = np.abs(x), states[0]
        way = self.rounded(self.rounded(level - state) * np.where(level > state, attack, release))
        y = self.rounded(state + way)
        return [y], y


@function("slew", "x, up, down")
class Slew(Recursive):
    def coefficients(self, up, down):
        return [self.rounded(np.maximum(side, 0) / self.setting.rate) for side in (up, down)]

    def step(self, x, states, up, down):
        y = self.rounded(states[0] + np.minimum(np.maximum(self.rounded(x - states[0]), -down), up))
        return [y], y
