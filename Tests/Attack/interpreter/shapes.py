# SPDX-License-Identifier: Apache-2.0
"""Functions of whole arrays: moving numbers, reductions, layers, tables. Frames are the last axis but the rows."""

import numpy as np

from .node import Node, frames, function
from .rows import ROWS, doubt_of, inexact, joined


class Whole(Node):
    """A function that has to know all of its arguments."""

    def run(self, start, count, *values):
        return None if any(value is None for value in values) else self.known(start, count, **self.named(values))

    def axis(self, value, name="axis"):
        """A fixed axis, counted from the last one where it is negative."""
        fixed = value.ndim - 2
        return self.attribute[name] % fixed

    def axes(self, value):
        """The axes of a reduction: all fixed ones without any named."""
        fixed, axis = value.ndim - 2, self.attribute["axis"]
        if axis is None:
            return tuple(range(fixed))
        return tuple(one % fixed for one in (axis if isinstance(axis, list) else [axis]))

    def total(self, terms):
        """The sum of terms [n, …, ROWS], each addition rounded."""
        result = np.zeros(terms.shape[1:])
        with np.errstate(all="ignore"):
            for term in terms:
                result = self.rounded(result + term)
        return result


@function("slice", "x, axis, start, count: 1")
class Slice(Whole):
    attributes = ("axis", "start", "count")

    def known(self, start, count, x):
        first = self.attribute["start"]
        return np.take(x, range(first, first + self.attribute["count"]), axis=self.axis(x))


@function("concatenate", "parts, axis: 0")
class Concatenate(Whole):
    attributes = ("axis",)

    def run(self, start, count, *values):
        if any(value is None for value in values):
            return None
        values = [frames(value, max(value.shape[-2] for value in values)) for value in values]
        return np.concatenate(values, axis=self.axis(values[0]))


@function("reshape", "x, shape")
class Reshape(Whole):
    attributes = ("shape",)

    def known(self, start, count, x):
        return x.reshape(tuple(self.attribute["shape"]) + x.shape[-2:])


@function("transpose", "x, order?")
class Transpose(Whole):
    attributes = ("order",)

    def known(self, start, count, x):
        fixed = x.ndim - 2
        order = self.attribute["order"] or list(range(fixed))[::-1]
        return x.transpose([*(one % fixed for one in order), fixed, fixed + 1])


@function("pad", "x, axis, before: 0, after: 0")
class Pad(Whole):
    attributes = ("axis", "before", "after")

    def known(self, start, count, x):
        margins = [(0, 0)] * x.ndim
        margins[self.axis(x)] = (self.attribute["before"], self.attribute["after"])
        return np.pad(x, margins)


@function("broadcast", "x, shape")
class Broadcast(Whole):
    attributes = ("shape",)

    def known(self, start, count, x):
        return np.broadcast_to(x, tuple(self.attribute["shape"]) + x.shape[-2:])


class Reduction(Whole):
    """A function of all positions of some axes."""

    attributes = ("axis",)

    def known(self, start, count, x):
        axes = self.axes(x)
        doubt = x[..., ROWS].max(axis=axes) if axes else x[..., ROWS]
        terms = np.moveaxis(x, axes, range(len(axes))).reshape((-1,) + doubt.shape + (ROWS + 1,))[..., :ROWS]
        return joined(self.reduced(terms), doubt)


@function("sum", "x, axis?")
class Sum(Reduction):
    def reduced(self, terms):
        return self.total(terms)


@function("mean", "x, axis?")
class Mean(Reduction):
    def reduced(self, terms):
        return self.rounded(self.total(terms) / len(terms))


@function("maximum", "x, axis?")
class Maximum(Reduction):
    def reduced(self, terms):
        return np.fmax.reduce(terms)


@function("softmax", "x, axis: -1")
class Softmax(Whole):
    attributes = ("axis",)

    def known(self, start, count, x):
        terms = np.moveaxis(x, self.axis(x), 0)
        rows = terms[..., :ROWS]
        with np.errstate(all="ignore"):
            powers = self.rounded(np.exp(self.rounded(rows - np.fmax.reduce(rows))))
            result = self.rounded(powers / self.total(powers))
        return np.moveaxis(joined(result, terms[..., ROWS].max(axis=0)), 0, self.axis(x))


@function("dense", "x, weight, bias?, axis: -1")
class Dense(Whole):
    attributes = ("axis",)

    def known(self, start, count, x, weight, bias=None):
        axis = self.axis(x)
        terms = np.moveaxis(x, axis, 0)
        matrix = weight[..., 0, :ROWS]
        columns = []
        for out in range(matrix.shape[0]):
            factors = matrix[out].reshape((-1,) + (1,) * (terms.ndim - 2) + (ROWS,))
            column = self.total(self.rounded(terms[..., :ROWS] * factors))
            if bias is not None:
                column = self.rounded(column + bias[out, 0, :ROWS])
            columns.append(column)
        result = joined(np.stack(columns), terms[..., ROWS].max(axis=0))
        return np.moveaxis(result, 0, axis)


@function("gather", "x, index, axis: 0")
class Gather(Whole):
    attributes = ("axis",)

    def known(self, start, count, x, index):
        axis = self.axis(x)
        count = max(x.shape[-2], index.shape[-2])
        x, index = frames(x, count), frames(index, count)
        size = x.shape[axis]
        rows = index[..., :ROWS]
        with np.errstate(all="ignore"):
            place = np.nan_to_num(np.clip(np.floor(rows), 0, size - 1)).astype(int)
            first = rows[..., 0]
            near = self.decisions.near(rows, np.abs(first - np.round(first)), inexact(rows))
        return taken(x, place, np.maximum(near, index[..., ROWS]), axis)


def taken(x, place, doubt, axis):
    """The positions `place` [places…, frames, ROWS] of an axis of x, in whose place stand the axes of places."""
    moved = np.moveaxis(x, axis, 0)
    rest, places = moved.ndim - 3, place.ndim - 2
    # [places…, rest…, frames, rows] from two sides.
    index = place.reshape(place.shape[:places] + (1,) * rest + place.shape[places:])
    shape = place.shape[:places] + moved.shape[1:-1] + (ROWS,)
    index = np.broadcast_to(index, shape)
    flat = np.broadcast_to(moved[(slice(None),) + (None,) * places][..., :ROWS], moved.shape[:1] + shape)
    rows = np.take_along_axis(flat, index[None], axis=0)[0]
    doubts = np.broadcast_to(moved[..., ROWS].max(axis=0), shape[:-1])
    doubts = np.maximum(doubts, doubt.reshape(doubt.shape[:places] + (1,) * rest + doubt.shape[places:]))
    result = joined(rows, doubts)
    # The axes of places stand where the axis stood.
    return np.moveaxis(result, range(places), range(axis, axis + places)) if places else result


@function("lookup", "table, position, axis: -1, interpolation: 'linear', edges: 'clamped'")
class Lookup(Whole):
    """Entries of a table, and between them a line, or a cubic through two entries on each side."""

    attributes = ("axis", "interpolation", "edges")

    def known(self, start, count, table, position):
        axis = self.axis(table)
        count = max(table.shape[-2], position.shape[-2])
        table, position = frames(table, count), frames(position, count)
        size, wrapped = table.shape[axis], self.attribute["edges"] == "wrapped"
        rows = position[..., :ROWS]
        with np.errstate(all="ignore"):
            if not wrapped:
                rows = np.clip(rows, 0, size - 1)
            whole = np.floor(rows)
            part = rows - whole
        doubt = np.maximum(position[..., ROWS], ~np.isfinite(rows).all(axis=-1))
        # A position that is no small number has lost its fraction.
        doubt = np.maximum(doubt, np.abs(rows[..., 0]) > 2.0**20)
        kind = self.attribute["interpolation"]
        if kind == "none":
            first = rows[..., 0]
            doubt = np.maximum(doubt, self.decisions.near(rows, np.abs(first - np.round(first)), inexact(rows)))

        def entry(offset):
            place = np.nan_to_num(whole + offset).astype(int)
            place = place % size if wrapped else np.clip(place, 0, size - 1)
            return taken(table, place, doubt, axis)

        if kind == "none":
            return entry(0)
        steps = (0, 1) if kind == "linear" else (-1, 0, 1, 2)
        entries = [entry(step) for step in steps]
        shape = part.shape[:-2] + (1,) * (table.ndim - 3) + part.shape[-2:]
        part = part.reshape(shape)
        if position.ndim > 2:
            part = np.moveaxis(part, range(position.ndim - 2), range(axis, axis + position.ndim - 2))
        mix = between if kind == "linear" else cubic
        mixed = mix(self.rounded, part, *(one[..., :ROWS] for one in entries))
        return joined(mixed, doubt_of(*entries))


def between(rounded, part, a, b):
    """A line from a, where the part is 0, to b, where it is 1."""
    return rounded(a + rounded(part * rounded(b - a)))


def cubic(rounded, part, before, a, b, after):
    """A Catmull-Rom spline: a where the part is 0, b where it is 1; slopes go from neighbour to neighbour."""
    slope, bend = rounded(b - before), rounded(2 * before - 5 * a + 4 * b - after)
    third = rounded(rounded(3 * rounded(a - b)) + rounded(after - before))
    inner = rounded(slope + rounded(part * rounded(bend + rounded(part * third))))
    return rounded(a + rounded(0.5 * part * inner))
