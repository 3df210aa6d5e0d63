# SPDX-License-Identifier: Apache-2.0
"""One call of a function: its inputs, its attributes, its state.

A node runs over frames in parts of any length: over all at once where nothing comes back to it, and frame by frame in a
cycle. A value that is not known yet, in the first frame of a cycle, is None; then only shapes are asked for.
"""

import numpy as np

from .rows import ROWS, Decisions, Roundings, doubt_of, joined, known

FUNCTIONS = {}


def function(name, signature):
    """Makes a class the meaning of a function, with the arguments that its signature in the article has."""

    def register(kind):
        kind.names = []
        kind.defaults = {}
        for part in filter(None, (part.strip() for part in signature.split(","))):
            argument, _, default = part.partition(":")
            argument = argument.strip()
            kind.names.append(argument.rstrip("?"))
            if default:
                kind.defaults[kind.names[-1]] = default.strip()
            elif argument.endswith("?"):
                kind.defaults[kind.names[-1]] = None
        # Each name has a class of its own, as one class may stand for many.
        FUNCTIONS[name] = type(kind.__name__, (kind,), {"names": kind.names, "defaults": kind.defaults, "name": name})
        return kind

    return register


class Node:
    """A call. `attributes` are known when the model is compiled, all other arguments are values."""

    attributes = ()
    units = 1  # how much a rounding comes to

    def __init__(self, setting, arguments):
        self.setting = setting
        self.inputs = [value for key in self.names if isinstance(value := arguments.get(key), Node)]
        self.given = [key for key in self.names if isinstance(arguments.get(key), Node)]
        for part in arguments.get("parts") or []:
            self.inputs.append(part)
        self.attribute = {key: arguments.get(key) for key in self.attributes}
        self.prepare()
        self.reset()

    def prepare(self):
        """What follows from the attributes."""

    def reset(self):
        """The state before the first frame."""
        self.rounded = Roundings(self.setting.random, self.units)
        self.decisions = Decisions()
        self.state = None

    def run(self, start, count, *values):
        """The value in the frames from start on."""
        raise NotImplementedError

    def sources(self):
        """The inputs, names followed to what they stand for."""
        return [resolved(one) for one in self.inputs]

    def named(self, values):
        """The values by the names of their arguments."""
        return dict(zip(self.given, values))

    def elementwise(self, formula, *values):
        """A formula of rows, each result rounded."""
        with np.errstate(all="ignore"):
            rows = formula(*(value[..., :ROWS] for value in values))
        return joined(self.rounded(rows), doubt_of(*values))


class Constant(Node):
    """A number, a parameter or weights, known before the first frame. A parameter that moves has a number for each."""

    names, defaults, name = [], {}, "constant"

    def __init__(self, setting, numbers):
        # Only automation comes as an array; the frames of weights are one.
        self.moves = isinstance(numbers, np.ndarray)
        self.numbers = np.asarray(numbers, float)
        super().__init__(setting, {})

    def reset(self):
        super().reset()
        value = known(self.numbers if self.moves else self.numbers[..., None])
        self.value = joined(self.rounded(value[..., :ROWS]), value[..., ROWS])

    def run(self, start, count):
        return self.value[..., start : start + count, :] if self.moves else self.value


class Input(Node):
    """One channel of a file."""

    names, defaults, name = [], {}, "input"

    def __init__(self, setting, samples):
        self.samples = known(samples)
        super().__init__(setting, {})

    def run(self, start, count):
        return self.samples[start : start + count]


class Stack(Node):
    """Channels as one value, the last axis fastest."""

    names, defaults, name = [], {}, "stack"

    def __init__(self, setting, arguments, extents):
        self.extents = tuple(extents)
        super().__init__(setting, arguments)

    def run(self, start, count, *channels):
        return np.stack(channels).reshape(self.extents + channels[0].shape)


class Channel(Node):
    """One channel of a value."""

    names, defaults, name = ["x"], {}, "channel"

    def __init__(self, setting, arguments, channel):
        self.channel = channel
        super().__init__(setting, arguments)

    def run(self, start, count, x):
        return None if x is None else frames(x, count).reshape((-1, count, ROWS + 1))[self.channel]


class Later(Node):
    """A name, whose expression may still be being read."""

    names, defaults, name = [], {}, "later"
    node = None


def resolved(node):
    """The node that a name stands for."""
    while isinstance(node, Later):
        node = node.node
    return node


def frames(value, count):
    """A value with a place for each frame."""
    return np.broadcast_to(value, value.shape[:-2] + (count, value.shape[-1]))
