# SPDX-License-Identifier: Apache-2.0
"""Numbers together with what roundings make of them.

A value is an array [fixed axes…, frames or 1, ROWS + 1]. The first row is computed in double precision, the others with
each result rounded once in a way of their own: to a float, always up, always down, at random. How far the rows are
apart is what roundings come to. In the last place stands a doubt: 1 where a rounding decides what comes out, as where
floor(x) is taken of an x that is nearly whole.

What a float holds exactly is not rounded; what is smaller than the smallest normal float is zero, what is larger than
the largest infinite.
"""

import numpy as np

ROWS = 5
SMALLEST, LARGEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
HALF = 2.0**-24


def known(numbers):
    """A value that a float holds: the same in each row, and beyond doubt. Frames stand last."""
    numbers = np.asarray(numbers, float)
    value = np.repeat(numbers[..., None], ROWS + 1, axis=-1)
    value[..., ROWS] = 0
    return value


class Roundings:
    """How one node rounds: always in the same way in two of the rows, at random in another."""

    def __init__(self, random, units=1):
        self.random, self.units = random, units
        side = random.choice([-1.0, 1.0])
        self.factors = 1 + units * HALF * np.array([0, 0, side, -side, 0]) * random.uniform(0.5, 1)

    def __call__(self, rows):
        """Rows [… ROWS] rounded once."""
        with np.errstate(all="ignore"):
            single = rows[..., 1].astype(np.float32)
            exact = rows[..., :1].astype(np.float32) == rows[..., :1]
            result = np.where(exact, rows, rows * self.factors)
            result[..., 1] = single
            noise = 1 + self.units * HALF * self.random.uniform(-1, 1, rows.shape[:-1])
            result[..., 4] = np.where(exact[..., 0], rows[..., 4], rows[..., 4] * noise)
            small = np.abs(result) < SMALLEST
            result[small] = np.copysign(0, result[small])
            beyond = np.abs(result) > LARGEST
            result[beyond] = np.copysign(np.inf, result[beyond])
        return result


def doubt_of(*values):
    """The doubt of what depends on all of these."""
    result = values[0][..., ROWS]
    for value in values[1:]:
        result = np.maximum(result, value[..., ROWS])
    return result


def joined(rows, doubt):
    """A value of rows and doubt."""
    doubt = np.broadcast_to(doubt, rows.shape[:-1])
    return np.concatenate([rows, doubt[..., None].astype(float)], axis=-1)


def spread(rows):
    """How far the rounded rows are from the first; infinite where one is no number."""
    with np.errstate(all="ignore"):
        far = np.abs(rows[..., 1:] - rows[..., :1]).max(axis=-1)
        same = (rows[..., 1:] == rows[..., :1]).all(axis=-1) | np.isnan(rows).all(axis=-1)
    return np.where(same, 0, np.where(np.isnan(far), np.inf, far))


def remembered(value):
    """A value as state keeps it: in doubt where it is no number, as the engine may keep such things out of states."""
    value = value.copy()
    value[..., ROWS][~np.isfinite(value[..., :ROWS]).all(axis=-1)] = 1
    return value


class Decisions:
    """Jumps of one node, and where a rounding may decide them."""

    def __init__(self):
        self.worst = 0.0

    def near(self, rows, distance, size):
        """Where `distance`, from the nearest jump, is within eight times what roundings do to the rows. `size` is the
        magnitude of what is decided about, 0 where a float holds it."""
        worst = np.maximum(np.maximum.accumulate(spread(rows), axis=-1), self.worst)
        self.worst = worst[..., -1:]
        with np.errstate(all="ignore"):
            reach = 8 * worst + 4 * HALF * size
            return ((distance <= reach) & (reach > 0)) | ~np.isfinite(rows).all(axis=-1)


def inexact(rows):
    """The magnitude of the first row, 0 where a float holds it."""
    with np.errstate(all="ignore"):
        first = rows[..., 0]
        return np.where(first.astype(np.float32) == first, 0, np.abs(first))
