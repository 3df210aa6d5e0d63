# SPDX-License-Identifier: Apache-2.0
"""Layers with weights: normalisations, recurrent layers, gates, transposed convolutions, conditions."""

import numpy as np

from .arithmetic import UNIT
from .delays import Taps
from .node import frames, function
from .rows import ROWS, doubt_of, joined, remembered
from .shapes import Whole


def loose(rounded, formula, rows, unit):
    """A function that the program computes less exactly than by a rounding, as `Loose` of arithmetic."""
    with np.errstate(all="ignore"):
        result = rounded(formula(rows))
        size = UNIT * unit(result[..., 0])
        side = np.where(result[..., 2] < result[..., 3], -size, size)
        result[..., 2] += side
        result[..., 3] -= side
    return result


def tanh(rounded, rows):
    return loose(rounded, np.tanh, rows, lambda y: 3 * np.abs(y))


def sigmoid(rounded, rows):
    return loose(rounded, lambda x: 1 / (1 + np.exp(-x)), rows, lambda y: 1)


class Layer(Whole):
    attributes = ("axis",)

    def along(self, numbers, axis, fixed):
        """An array [channels, 1, …] as it goes with the rows of an axis, which stands first."""
        return numbers[..., 0, :ROWS].reshape((-1,) + (1,) * fixed + (ROWS,))

    def product(self, rows, matrix, bias=None):
        """A matrix [out, in, 1, …] over the first axis of rows."""
        results = []
        for out in range(matrix.shape[0]):
            factors = matrix[out, :, 0, :ROWS].reshape((-1,) + (1,) * (rows.ndim - 2) + (ROWS,))
            with np.errstate(all="ignore"):
                result = self.total(self.rounded(rows * factors))
                if bias is not None:
                    result = self.rounded(result + bias[out, 0, :ROWS])
            results.append(result)
        return np.stack(results)

    def normed(self, rows, epsilon, centre=True):
        """Rows over their first axis, without their mean, divided by the root of their mean square."""
        with np.errstate(all="ignore"):
            if centre:
                rows = self.rounded(rows - self.rounded(self.total(rows) / len(rows)))
            square = self.rounded(self.total(self.rounded(rows * rows)) / len(rows))
            return self.rounded(rows / self.rounded(np.sqrt(self.rounded(square + epsilon))))

    def scaled(self, rows, axis, weight, bias):
        with np.errstate(all="ignore"):
            if weight is not None:
                rows = self.rounded(rows * self.along(weight, axis, rows.ndim - 2))
            if bias is not None:
                rows = self.rounded(rows + self.along(bias, axis, rows.ndim - 2))
        return rows


@function("layerNorm", "x, weight?, bias?, axis: -1, epsilon: 1e-05")
class LayerNorm(Layer):
    attributes = ("axis", "epsilon")

    def known(self, start, count, x, weight=None, bias=None):
        axis = self.axis(x)
        terms = np.moveaxis(x, axis, 0)
        rows = self.scaled(self.normed(terms[..., :ROWS], self.attribute["epsilon"]), axis, weight, bias)
        return np.moveaxis(joined(rows, terms[..., ROWS].max(axis=0)), 0, axis)


@function("rmsNorm", "x, weight?, axis: -1, epsilon: 1.1920928955078125e-07")
class RmsNorm(Layer):
    attributes = ("axis", "epsilon")

    def known(self, start, count, x, weight=None):
        axis = self.axis(x)
        terms = np.moveaxis(x, axis, 0)
        rows = self.scaled(self.normed(terms[..., :ROWS], self.attribute["epsilon"], False), axis, weight, None)
        return np.moveaxis(joined(rows, terms[..., ROWS].max(axis=0)), 0, axis)


@function("groupNorm", "x, groups, weight?, bias?, axis: 0, epsilon: 1e-05")
class GroupNorm(Layer):
    attributes = ("groups", "axis", "epsilon")

    def known(self, start, count, x, weight=None, bias=None):
        axis, groups = self.axis(x), self.attribute["groups"]
        behind = x.ndim - 2 - axis - 1
        terms = np.moveaxis(x, axis, 0)
        # [channels, before…, behind…, frames, rows]: each group with all that is behind the channels, as one axis.
        parts = []
        for group in np.split(terms, groups):
            flat = np.moveaxis(group, range(axis + 1, axis + 1 + behind), range(1, 1 + behind))
            one = flat.reshape((-1,) + flat.shape[1 + behind :])
            rows = joined(self.normed(one[..., :ROWS], self.attribute["epsilon"]), one[..., ROWS].max(axis=0))
            parts.append(np.moveaxis(rows.reshape(flat.shape), range(1, 1 + behind), range(axis + 1, axis + 1 + behind)))
        whole = np.concatenate(parts)
        return np.moveaxis(joined(self.scaled(whole[..., :ROWS], axis, weight, bias), whole[..., ROWS]), 0, axis)


@function("batchNorm", "x, mean, variance, weight?, bias?, axis: 0, epsilon: 1e-05")
class BatchNorm(Layer):
    attributes = ("axis", "epsilon")

    def known(self, start, count, x, mean, variance, weight=None, bias=None):
        axis = self.axis(x)
        terms = np.moveaxis(x, axis, 0)
        mean, variance = (self.along(one, axis, terms.ndim - 2) for one in (mean, variance))
        with np.errstate(all="ignore"):
            # One multiplication and one addition.
            factor = self.rounded(1 / self.rounded(np.sqrt(self.rounded(variance + self.attribute["epsilon"]))))
            if weight is not None:
                factor = self.rounded(self.along(weight, axis, terms.ndim - 2) * factor)
            offset = -self.rounded(mean * factor)
            if bias is not None:
                offset = self.rounded(self.along(bias, axis, terms.ndim - 2) + offset)
            rows = self.rounded(self.rounded(terms[..., :ROWS] * factor) + offset)
        return np.moveaxis(joined(rows, terms[..., ROWS]), 0, axis)


@function("prelu", "x, slope, axis: 0")
class Prelu(Layer):
    def known(self, start, count, x, slope):
        if slope.ndim == 2:
            return self.elementwise(lambda x, slope: np.where(x > 0, x, slope * x), x, slope)
        axis = self.axis(x)
        terms = np.moveaxis(x, axis, 0)
        with np.errstate(all="ignore"):
            below = self.along(slope, axis, terms.ndim - 2) * terms[..., :ROWS]
        rows = self.rounded(np.where(terms[..., :ROWS] > 0, terms[..., :ROWS], below))
        return np.moveaxis(joined(rows, terms[..., ROWS]), 0, axis)


@function("gated", "x, axis: 0")
class Gated(Layer):
    def known(self, start, count, x):
        axis = self.axis(x)
        first, second = np.split(np.moveaxis(x, axis, 0), 2)
        with np.errstate(all="ignore"):
            rows = self.rounded(tanh(self.rounded, first[..., :ROWS]) * sigmoid(self.rounded, second[..., :ROWS]))
        return np.moveaxis(joined(rows, doubt_of(first, second)), 0, axis)


@function("film", "x, condition, weight, bias?, axis: 0")
class Film(Layer):
    def known(self, start, count, x, condition, weight, bias=None):
        axis = self.axis(x)
        terms, told = np.moveaxis(x, axis, 0), np.moveaxis(condition, axis, 0)
        made = self.product(told[..., :ROWS], weight, bias)
        with np.errstate(all="ignore"):
            rows = self.rounded(terms[..., :ROWS] * made[: len(terms)])
            if len(made) > len(terms):
                rows = self.rounded(rows + made[len(terms) :])
        doubt = np.broadcast_to(told[..., ROWS].max(axis=0), rows.shape[:-1])
        return np.moveaxis(joined(rows, np.maximum(doubt, terms[..., ROWS])), 0, axis)


class Recurrent(Layer):
    """A layer that knows what it made a frame before. `step` gives the next states and the result of one frame."""

    def states(self, units, outputs):
        return [outputs]

    def begin(self, shape, sizes, initial):
        self.state = []
        for size, numbers in zip(sizes, initial):
            state = np.zeros((size,) + shape + (1, ROWS + 1))
            if numbers is not None:
                state[..., :ROWS] = self.along(numbers, 0, len(shape) + 1)
            self.state.append(state)

    def known(self, start, count, x, weight, recurrent, initial=None, initialCell=None, **more):
        axis = self.axis(x)
        terms = np.moveaxis(frames(x, count), axis, 0)
        taken = self.product(terms[..., :ROWS], weight, more.get("bias"))
        units, outputs = weight.shape[0] // self.gates, recurrent.shape[1]
        if self.state is None:
            self.begin(terms.shape[1:-2], self.states(units, outputs), [initial, initialCell])
        result = []
        for frame in range(count):
            at = (..., slice(frame, frame + 1), slice(None))
            doubt = terms[at][..., ROWS].max(axis=0)
            for state in self.state:
                doubt = np.maximum(doubt, state[..., ROWS].max(axis=0))
            with np.errstate(all="ignore"):
                states, y = self.step(taken[at], [state[..., :ROWS] for state in self.state], recurrent, more)
            self.state = [remembered(joined(state, doubt)) for state in states]
            result.append(joined(y, doubt))
        return np.moveaxis(np.concatenate(result, axis=-2), 0, axis)

    def fed(self, h, recurrent, more, part=slice(None)):
        bias = more.get("recurrentBias")
        return self.product(h, recurrent[part], None if bias is None else bias[part])


@function("rnn", "x, weight, recurrent, bias?, recurrentBias?, activation: 'tanh', initial?, axis: -1")
class Rnn(Recurrent):
    attributes = ("activation", "axis")
    gates = 1

    def step(self, taken, states, recurrent, more):
        total = self.rounded(taken + self.fed(states[0], recurrent, more))
        h = np.fmax(total, 0) if self.attribute["activation"] == "relu" else tanh(self.rounded, total)
        return [h], h


@function("gru", "x, weight, recurrent, bias?, recurrentBias?, reset: 'after', initial?, axis: -1")
class Gru(Recurrent):
    attributes = ("reset", "axis")
    gates = 3

    def step(self, taken, states, recurrent, more):
        r, (h,) = self.rounded, states
        units = len(h)
        first = self.fed(h, recurrent, more, slice(0, 2 * units))
        reset = sigmoid(r, r(taken[:units] + first[:units]))
        kept = sigmoid(r, r(taken[units : 2 * units] + first[units:]))
        last = slice(2 * units, 3 * units)
        if self.attribute["reset"] == "after":
            late = r(reset * self.fed(h, recurrent, more, last))
        else:
            late = self.fed(r(reset * h), recurrent, more, last)
        fresh = tanh(r, r(taken[last] + late))
        h = r(r(r(1 - kept) * fresh) + r(kept * h))
        return [h], h


@function(
    "lstm", "x, weight, recurrent, bias?, recurrentBias?, projection?, initial?, initialCell?, axis: -1"
)
class Lstm(Recurrent):
    attributes = ("axis",)
    gates = 4

    def states(self, units, outputs):
        return [outputs, units]

    def step(self, taken, states, recurrent, more):
        r, (h, c) = self.rounded, states
        gates = np.split(r(taken + self.fed(h, recurrent, more)), 4)
        admitted, kept, shown = (sigmoid(r, gates[place]) for place in (0, 1, 3))
        c = r(r(kept * c) + r(admitted * tanh(r, gates[2])))
        h = r(shown * tanh(r, c))
        if more.get("projection") is not None:
            h = self.product(h, more["projection"])
        return [h, c], h


@function("convTranspose", "x, weight, bias?, axis?, dilation: 1, stride: 1, groups: 1, padding: 'causal'")
class TransposedConvolution(Taps):
    """Each number is spread over a kernel, along frames or along a fixed axis; channels are the axis before."""

    attributes = ("axis", "dilation", "stride", "groups", "padding")

    def known(self, start, count, x, weight, bias=None):
        inputs, outputs, kernel = weight.shape[:3]
        dilation, along = self.attribute["dilation"], self.attribute["axis"]
        reach, padding = (kernel - 1) * dilation, self.attribute["padding"]
        cut = reach // 2 if padding == "same" else 0
        if along is None:
            whole = self.past(frames(x, count), count, reach - cut)
            whole = np.concatenate([whole, np.zeros(x.shape[:-2] + (cut, ROWS + 1))], axis=-2)
            whole, size = np.moveaxis(whole, (-3, -2), (0, 1)), count
        else:
            along, stride = along % (x.ndim - 2), self.attribute["stride"]
            numbers = np.moveaxis(x, (along - 1, along), (0, 1))
            # Apart by the stride, and zeros between.
            apart = (numbers.shape[1] - 1) * stride + 1
            size = apart + reach if padding == "full" else numbers.shape[1] * stride
            cut = max(0, reach + 1 - stride) // 2 if padding == "same" else 0
            whole = np.zeros((numbers.shape[0], reach + cut + size + apart) + numbers.shape[2:])
            whole[:, reach : reach + apart : stride] = numbers
            whole = whole[:, cut:]
        share, columns = inputs // self.attribute["groups"], []
        for out in range(outputs * self.attribute["groups"]):
            first = out // outputs * share
            parts, terms = [], []
            for channel in range(first, first + share):
                for tap in range(kernel):
                    at = reach - tap * dilation
                    parts.append(whole[channel, at : at + size])
                    terms.append(self.rounded(parts[-1][..., :ROWS] * weight[channel, out % outputs, tap, 0, :ROWS]))
            total = self.total(np.stack(terms))
            if bias is not None:
                total = self.rounded(total + bias[out, 0, :ROWS])
            columns.append(joined(total, doubt_of(*parts)))
        result = np.stack(columns)
        if self.attribute["axis"] is None:
            return np.moveaxis(result, (0, 1), (-3, -2))
        return np.moveaxis(result, (0, 1), (along - 1, along))
