# SPDX-License-Identifier: Apache-2.0
"""Functions that know other frames: delays, looking ahead, convolutions along frames, what is held."""

import numpy as np

from .node import Node, frames, function
from .rows import ROWS, doubt_of, inexact, joined, known, remembered
from .shapes import Whole, between, cubic


class History:
    """The frames that a value had, zeros before the start."""

    def __init__(self, shape):
        self.past = np.zeros(shape + (0, ROWS + 1))

    def append(self, value):
        self.past = np.concatenate([self.past, remembered(value)], axis=-2)

    def window(self, start, count):
        """The frames from start on, which may be negative, zeros where nothing is known."""
        known = self.past.shape[-2]
        before, after = max(0, min(count, -start)), max(0, min(count, start + count - known))
        part = self.past[..., max(0, start) : max(0, min(known, start + count)), :]
        margins = [(0, 0)] * self.past.ndim
        margins[-2] = (before, after)
        return np.pad(part, margins)


@function("delay", "x, frames?, by?, minimum: 0, maximum?, interpolation: 'linear', initial?")
class Delay(Node):
    """x of earlier. In a cycle it is read before its x of the same frame is known: `run`, and then `write`."""

    attributes = ("frames", "minimum", "maximum", "interpolation")
    shape = None  # of x, once it is known

    def prepare(self):
        self.moves = "by" in self.given
        if self.moves:
            self.attribute["frames"] = self.attribute["minimum"]
        self.closes = (self.attribute["frames"] or 0) >= 1  # does not need x of the same frame
        self.history = None

    def reset(self):
        super().reset()
        self.history = History(self.shape) if self.shape is not None else None
        self.came = known(np.zeros(1))

    def write(self, value, count):
        """Takes x of the frames that were read last."""
        if self.history is None:
            self.history = History(value.shape[:-2])
        self.history.append(frames(value, count))

    def run(self, start, count, *values):
        values = self.named(values)
        by, initial = values.get("by"), values.get("initial")
        if self.history is None or (self.moves and by is None):
            return None
        if not self.moves:
            late = self.history.window(start - self.attribute["frames"], count)
            return late if initial is None else self.begun(late, initial, start, count)
        least, most = self.attribute["minimum"], self.attribute["maximum"]
        by = frames(by, count)
        rows = by[..., :ROWS]
        with np.errstate(all="ignore"):
            rows = np.clip(rows, least, most)
        doubt = np.maximum(by[..., ROWS], ~np.isfinite(rows).all(axis=-1))
        rows = np.nan_to_num(rows)
        return self.moving(start, count, rows, doubt, least, most)

    def begun(self, late, initial, start, count):
        """The same, with an array before the start: one for each frame where it has an axis more."""
        late = late.copy()
        initial = initial[..., 0, :]
        for frame in range(max(0, min(count, self.attribute["frames"] - start))):
            own = initial[..., start + frame, :] if initial.ndim == late.ndim else initial
            late[..., frame, :] = own
        return late

    def moving(self, start, count, rows, doubt, least, most):
        kind = self.attribute["interpolation"]
        shift = 0.5 if kind == "allpass" else 0.0
        whole = np.floor(rows - shift)
        part = rows - whole
        if kind == "allpass":
            first = rows[..., 0] - shift
            distance = np.abs(first - np.round(first))
            doubt = np.maximum(doubt, self.decisions.near(rows, distance, inexact(rows)))

        def tap(offset):
            late = whole + offset if kind == "allpass" else np.clip(whole + offset, least, most)
            return self.tap(start, count, late.astype(int), doubt)

        if kind == "cubic":
            taps = [tap(step) for step in (-1, 0, 1, 2)]
            mixed = cubic(self.rounded, part, *(one[..., :ROWS] for one in taps))
            return joined(mixed, doubt_of(*taps))
        if kind == "linear":
            taps = [tap(step) for step in (0, 1)]
            mixed = between(self.rounded, part, *(one[..., :ROWS] for one in taps))
            return joined(mixed, doubt_of(*taps))
        taps = [tap(step) for step in (0, 1)]
        return self.allpass(count, part, *taps)

    def tap(self, start, count, late, doubt):
        """The frames that were `late` [… frames, ROWS] ago."""
        past = self.history.past
        late = np.broadcast_to(late, np.broadcast_shapes(late.shape, past.shape[:-2] + (1, ROWS)))
        place = np.arange(start, start + count)[:, None] - late
        some = np.concatenate([np.zeros(past.shape[:-2] + (1, ROWS + 1)), past], axis=-2)
        place = np.clip(place + 1, 0, some.shape[-2] - 1)
        some = np.broadcast_to(some, place.shape[:-2] + some.shape[-2:])
        rows = np.take_along_axis(some[..., :ROWS], place, axis=-2)
        doubts = np.take_along_axis(some[..., ROWS], place[..., 0], axis=-1)
        return joined(rows, np.maximum(doubts, doubt))

    def allpass(self, count, part, a, b):
        """y = c (a - y₁) + b, where a and b are neighbours and y₁ is what came a frame earlier."""
        result = []
        for frame in range(count):
            now, then = a[..., frame : frame + 1, :], b[..., frame : frame + 1, :]
            share = part[..., frame : frame + 1, :]
            factor = self.rounded((1 - share) / (1 + share))
            came = self.rounded(self.rounded(factor * (now[..., :ROWS] - self.came[..., :ROWS])) + then[..., :ROWS])
            self.came = remembered(joined(came, doubt_of(now, then, self.came)))
            result.append(self.came)
        return np.concatenate(result, axis=-2)


@function("lookahead", "x, frames")
class Lookahead(Whole):
    """x of later. Files come out aligned, so that nothing else has to wait here; behind the end stand zeros."""

    attributes = ("frames",)

    def known(self, start, count, x):
        later = self.attribute["frames"]
        x = frames(x, count)
        return np.concatenate([x[..., later:, :], np.zeros_like(x[..., :later, :])], axis=-2)


@function("control", "x")
class Control(Whole):
    """Sampled at each multiple of 64 frames, and held."""

    def known(self, start, count, x):
        x = frames(x, count)
        places = np.arange(start, start + count) // 64 * 64 - start
        result = x[..., np.maximum(places, 0), :].copy()
        if start % 64 and self.state is not None:
            result[..., places < 0, :] = self.state
        self.state = result[..., -1:, :]
        return result


@function("sampleAndHold", "x, trigger")
class SampleAndHold(Whole):
    def known(self, start, count, x, trigger):
        shape = np.broadcast_shapes(x.shape[:-2], trigger.shape[:-2])
        held = np.zeros(shape + (1, ROWS + 1)) if self.state is None else self.state
        x, trigger = frames(x, count), frames(trigger, count)
        rows = trigger[..., :ROWS]
        near = np.maximum(self.decisions.near(rows, np.abs(rows[..., 0]), inexact(rows)), trigger[..., ROWS])
        result = []
        for frame in range(count):
            at = (..., slice(frame, frame + 1), slice(None))
            now = np.where(rows[at] != 0, x[at][..., :ROWS], held[..., :ROWS])
            taken = (rows[at] != 0).all(axis=-1)
            doubt = np.where(taken, x[at][..., ROWS], held[..., ROWS])
            held = remembered(joined(now, np.maximum(doubt, near[..., frame : frame + 1])))
            result.append(held)
        self.state = held
        return np.concatenate(result, axis=-2)


class Taps(Whole):
    """What sums earlier frames, weighted."""

    def past(self, x, count, reach):
        """x with `reach` frames before it."""
        if self.state is None:
            self.state = np.zeros(x.shape[:-2] + (reach, ROWS + 1))
        whole = np.concatenate([self.state, frames(x, count)], axis=-2)
        self.state = remembered(whole[..., whole.shape[-2] - reach :, :])
        return whole


@function("fir", "x, taps")
class Fir(Taps):
    def known(self, start, count, x, taps):
        reach = taps.shape[0] - 1
        whole = self.past(x, count, reach)
        parts = [whole[..., reach - tap : reach - tap + count, :] for tap in range(reach + 1)]
        terms = np.stack([self.rounded(part[..., :ROWS] * taps[tap, 0, :ROWS]) for tap, part in enumerate(parts)])
        return joined(self.total(terms), doubt_of(*parts))


@function("conv1d", "x, weight, bias?, axis?, dilation: 1, stride: 1, groups: 1, padding: 'causal'")
class Convolution(Taps):
    """Along frames, or along a fixed axis; channels are the axis before."""

    attributes = ("axis", "dilation", "stride", "groups", "padding")

    def known(self, start, count, x, weight, bias=None):
        kernel, dilation = weight.shape[2], self.attribute["dilation"]
        reach, padding = (kernel - 1) * dilation, self.attribute["padding"]
        along = self.attribute["axis"]
        if along is None:
            ahead = reach - reach // 2 if padding == "same" else 0
            whole = self.past(frames(x, count), count, reach - ahead)
            whole = np.concatenate([whole, np.zeros(x.shape[:-2] + (ahead, ROWS + 1))], axis=-2)
            size, stride = count, 1
            whole = np.moveaxis(whole, (-3, -2), (0, 1))  # [channels, places, …]
        else:
            along = along % (x.ndim - 2)
            before = {"causal": reach, "same": reach // 2, "valid": 0}[padding]
            after = {"causal": 0, "same": reach - reach // 2, "valid": 0}[padding]
            whole = np.moveaxis(x, (along - 1, along), (0, 1))
            whole = np.pad(whole, [(0, 0), (before, after)] + [(0, 0)] * (whole.ndim - 2))
            stride = self.attribute["stride"]
            size = (whole.shape[1] - reach - 1) // stride + 1
        outs, inner = weight.shape[0], weight.shape[1]
        share = outs // self.attribute["groups"]
        columns = []
        for out in range(outs):
            first = out // share * inner
            parts, terms = [], []
            for channel in range(inner):
                for tap in range(kernel):
                    at = tap * dilation
                    part = whole[first + channel, at : at + (size - 1) * stride + 1 : stride]
                    parts.append(part)
                    terms.append(self.rounded(part[..., :ROWS] * weight[out, channel, tap, 0, :ROWS]))
            sum = self.total(np.stack(terms))
            if bias is not None:
                sum = self.rounded(sum + bias[out, 0, :ROWS])
            columns.append(joined(sum, doubt_of(*parts)))
        result = np.stack(columns)
        if self.attribute["axis"] is None:
            return np.moveaxis(result, (0, 1), (-3, -2))
        return np.moveaxis(result, (0, 1), (along - 1, along))
