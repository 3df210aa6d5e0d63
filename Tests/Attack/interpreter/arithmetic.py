# SPDX-License-Identifier: Apache-2.0
"""Functions of single numbers: arithmetic, mathematics, activations."""

import math

import numpy as np

from .node import Node, function
from .rows import ROWS, inexact

erf = np.vectorize(math.erf, otypes=[float])


class Elementwise(Node):
    """A formula of the arguments' numbers. What is not known yet does not count for the shape."""

    def run(self, start, count, *values):
        if any(value is None for value in values):
            shapes = [value.shape for value in values if value is not None]
            return np.zeros(np.broadcast_shapes(*shapes)) if shapes else None
        return self.known(*values)

    def known(self, *values):
        return self.elementwise(self.formula, *values)


class Jumping(Elementwise):
    """A formula with jumps: `distance` of the rows is 0 at them."""

    def known(self, *values):
        rows = [value[..., :ROWS] for value in values]
        with np.errstate(all="ignore"):
            deciding = np.asarray(self.deciding(*rows))
            distance = self.distance(deciding[..., 0])
        size = sum(inexact(value) for value in rows)
        result = self.elementwise(self.formula, *values)
        result = np.array(
            np.broadcast_to(result, np.broadcast_shapes(result.shape, deciding[..., :1].shape[:-1] + (1,)))
        )
        result[..., ROWS][np.broadcast_to(self.decisions.near(deciding, distance, size), result.shape[:-1])] = 1
        if self.name in ("/", "reciprocal", "atan2"):  # which of the two zeros it is, the articles do not say
            result[..., ROWS][np.broadcast_to(deciding[..., 0] == 0, result.shape[:-1])] = 1
        return result

    @staticmethod
    def deciding(*rows):
        return rows[0]

    @staticmethod
    def distance(first):
        return np.abs(first - np.round(first))


class Loose(Elementwise):
    """A formula that the program computes less exactly than by a rounding: `unit` is how much may be missing, of which
    eight times are allowed."""

    def known(self, *values):
        result = super().known(*values)
        with np.errstate(all="ignore"):
            unit = UNIT * self.unit(values[0][..., 0], result[..., 0])
            # The rows that are rounded in opposite ways part further.
            side = np.where(result[..., 2] < result[..., 3], -unit, unit)
            result[..., 2] += side
            result[..., 3] -= side
        return result


UNIT = 2.0**-24


def within(ulps):
    """The unit of a function that is so many units in the last of a float's bits away, which may depend on x."""
    return lambda x, y: (ulps(x) if callable(ulps) else ulps) / 4 * np.abs(y)


def simple(name, signature, formula, unit=None):
    members = {"formula": staticmethod(formula)}
    if unit:
        members["unit"] = staticmethod(unit)
    function(name, signature)(type(name, (Loose,) if unit else (Elementwise,), members))


def jump(name, signature, formula, deciding=None, distance=None, unit=None):
    members = {"formula": staticmethod(formula)}
    if deciding:
        members["deciding"] = staticmethod(deciding)
    if distance:
        members["distance"] = staticmethod(distance)
    if unit:
        members["unit"] = staticmethod(unit)
    function(name, signature)(type(name, (Loose, Jumping) if unit else (Jumping,), members))


simple("+", "x, y", np.add)
simple("-", "x, y", np.subtract)
simple("*", "x, y", np.multiply)
simple("negate", "x", np.negative)
simple("min", "x, y", np.fmin)
simple("max", "x, y", np.fmax)
simple("abs", "x", np.abs)
simple("fma", "a, b, c", lambda a, b, c: a * b + c)
simple("sqrt", "x", np.sqrt)
simple("exp", "x", np.exp)
simple("log", "x", np.log)
simple("pow", "x, y", np.power)
simple("sin", "x", np.sin)
simple("cos", "x", np.cos)
simple("tan", "x", np.tan)
simple("log2", "x", np.log2, unit=within(2))
simple("log10", "x", np.log10, unit=within(2))
simple("atan", "x", np.arctan, unit=within(2))
simple("sinh", "x", np.sinh, unit=within(5))
simple("cosh", "x", np.cosh, unit=within(5))
simple("tanh", "x", np.tanh, unit=within(12))
simple("erf", "x", erf, unit=within(12))
simple("decibelsToGain", "decibels", lambda x: 10 ** (x / 20), unit=within(lambda x: 3 + np.abs(x) / 15))
simple("gainToDecibels", "gain", lambda x: 20 * np.log10(x), unit=within(3))
simple("noteToFrequency", "note", lambda x: 440 * 2 ** ((x - 69) / 12), unit=within(lambda x: 3 + np.abs(x - 69) / 24))
# A sum, whose parts are larger than it where a note is low.
simple("frequencyToNote", "frequency", lambda x: 69 + 12 * np.log2(x / 440), unit=lambda x, y: (69 + np.abs(y)) / 2)
simple("sigmoid", "x", lambda x: 1 / (1 + np.exp(-x)), unit=lambda x, y: 1)
simple("relu", "x", lambda x: np.fmax(x, 0))
simple("softplus", "x", lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), unit=lambda x, y: 1)
simple("softsign", "x", lambda x: x / (1 + np.abs(x)))
simple("gelu", "x", lambda x: x / 2 * (1 + erf(x / math.sqrt(2))), unit=lambda x, y: 2 * np.abs(x))
simple("silu", "x", lambda x: x / (1 + np.exp(-x)), unit=lambda x, y: np.abs(x))

# On which side of 0 a denominator is says whether an infinity is negative.
jump("/", "x, y", np.divide, deciding=lambda x, y: y, distance=np.abs)
jump("reciprocal", "x", lambda x: 1 / x, distance=np.abs)
# Beyond ±1 there is none.
jump("asin", "x", np.arcsin, distance=lambda x: np.abs(np.abs(x) - 1), unit=within(5))
jump("acos", "x", np.arccos, distance=lambda x: np.abs(np.abs(x) - 1), unit=within(5))
jump("floor", "x", np.floor)
jump("ceil", "x", np.ceil)
jump("truncate", "x", np.trunc)
jump("round", "x", np.rint, distance=lambda x: np.abs(x - np.floor(x) - 0.5))
jump("sign", "x", lambda x: np.sign(x) + 0 * x, distance=np.abs)
jump("%", "x, y", lambda x, y: x - y * np.floor(x / y), deciding=lambda x, y: x / y)
jump("atan2", "y, x", np.arctan2, deciding=lambda y, x: y, distance=np.abs)
for sign, compare in {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}.items():
    jump(sign, "x, y", lambda x, y, compare=compare: compare(x, y) * 1.0, deciding=np.subtract, distance=np.abs)
jump("select", "condition, a, b", lambda c, a, b: np.where(c != 0, a, b), deciding=lambda c, a, b: c, distance=np.abs)


simple("clamp", "x, minimum, maximum", lambda x, low, high: np.fmin(np.fmax(x, low), high))
simple("hardTanh", "x", lambda x: np.fmin(np.fmax(x, -1), 1))


@function("limit", "x, level")
class Limit(Elementwise):
    """Within ±level, 0 where it is no number; a level of 0 or below makes silence."""

    @staticmethod
    def formula(x, level):
        level = np.maximum(level, 0)
        return np.where(np.isnan(x), 0, np.minimum(np.maximum(x, -level), level))


@function("leakyRelu", "x, slope: 0.01")
class LeakyRelu(Elementwise):
    attributes = ("slope",)

    def formula(self, x):
        return np.where(x > 0, x, self.attribute["slope"] * x)


@function("elu", "x, alpha: 1.0")
class Elu(Loose):
    attributes = ("alpha",)

    def formula(self, x):
        return np.where(x > 0, x, self.attribute["alpha"] * np.expm1(np.minimum(x, 0)))

    def unit(self, x, y):
        return np.where(x > 0, 0, abs(self.attribute["alpha"]))


@function("celu", "x, alpha: 1.0")
class Celu(Loose):
    attributes = ("alpha",)

    def formula(self, x):
        alpha = self.attribute["alpha"]
        return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha))

    def unit(self, x, y):
        return np.where(x > 0, 0, abs(self.attribute["alpha"]))


SELU = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


def selu(x):
    return SELU[0] * np.where(x > 0, x, SELU[1] * np.expm1(np.minimum(x, 0)))


def sixth(x):
    return np.fmin(np.fmax(x / 6 + 0.5, 0), 1)


def mish(x):
    return x * np.tanh(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


simple("selu", "x", selu, unit=lambda x, y: np.where(x > 0, np.abs(y), 2))
simple("hardSigmoid", "x", sixth, unit=lambda x, y: 1)
simple("hardSwish", "x", lambda x: x * sixth(x), unit=lambda x, y: np.abs(x))
simple("mish", "x", mish, unit=lambda x, y: 4 * np.abs(x))
