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

    def __init__(self, model, arguments):
        self.model = model
        self.inputs = [value for key in self.names if isinstance(value := arguments.get(key), Node)]
        self.given = [key for key in self.names if isinstance(arguments.get(key), Node)]
        for part in arguments.get("parts") or []:
            self.inputs.append(part)
        self.settings = {key: arguments.get(key) for key in self.attributes}
        self.prepare()
        self.reset()

    def prepare(self):
        """What follows from the attributes."""

    def reset(self):
        """The state before the first frame."""
        self.rounded = Roundings(self.model.random)
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
    """A number, a parameter or weights: known before the first frame."""

    names, defaults, name = [], {}, "constant"

    def __init__(self, model, numbers):
        self.numbers = np.asarray(numbers, float)
        super().__init__(model, {})

    def reset(self):
        super().reset()
        value = known(self.numbers[..., None])
        self.value = joined(self.rounded(value[..., :ROWS]), value[..., ROWS])

    def run(self, start, count):
        return self.value


class Input(Node):
    """What a file gives."""

    names, defaults, name = [], {}, "input"

    def __init__(self, model, samples):
        self.samples = known(samples)
        super().__init__(model, {})

    def run(self, start, count):
        return self.samples[..., start : start + count, :]


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
