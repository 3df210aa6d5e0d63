# SPDX-License-Identifier: Apache-2.0
"""A model file, rendered."""

import math

import numpy as np

from . import arithmetic, delays, filters, shapes, sources  # noqa: F401: each adds its functions
from .cycles import components, run_cycle
from .expressions import Call, List, Name, Number, Text, parse
from .node import FUNCTIONS, Constant, Input, Later, frames, resolved
from .rows import known


class Model:
    """A model file as a graph of nodes.

    document: the file, as JSON gives it; samples: [channels, frames] of all inputs, one after the other; settings: the
    parameters that were turned; noise(seed): numbers for the frames; files: the models that it may use, by name."""

    def __init__(self, document, samples, rate, settings, noise, random, files=None):
        self.document, self.rate, self.noise, self.random = document, rate, noise, random
        self.files = files or {}
        self.count = samples.shape[1]
        self.memory, self.nodes = {}, []
        self.parameters = {
            name: settings.get(name, one["default"]) for name, one in document.get("parameters", {}).items()
        }
        self.settings = settings
        self.inputs, at = {}, 0
        free = [
            one for one in document["inputs"].values() if isinstance(one["shape"][0], str) and len(one["shape"]) > 1
        ]
        fixed = sum(math.prod(one["shape"][:-1]) for one in document["inputs"].values() if one not in free)
        for name, one in document["inputs"].items():
            extents = [
                extent if not isinstance(extent, str) else (len(samples) - fixed) // len(free)
                for extent in one["shape"][:-1]
            ]
            size = math.prod(extents)
            self.inputs[name] = self.add(Input(self, samples[at : at + size].reshape([*extents, self.count])))
            at += size

    def add(self, node):
        self.nodes.append(node)
        return node

    def called(self, name):
        """The node of a name."""
        if name in self.inputs:
            return self.inputs[name]
        if name not in self.memory:
            if name in self.parameters:
                self.memory[name] = self.add(Constant(self, self.parameters[name]))
            elif name in ("pi", "sampleRate"):
                self.memory[name] = self.add(Constant(self, math.pi if name == "pi" else self.rate))
            else:
                self.memory[name] = Later(self, {})
                self.memory[name].node = self.node(parse(self.document["graph"][name]))
        return self.memory[name]

    def node(self, tree):
        """The node of an expression."""
        if isinstance(tree, Number):
            return self.add(Constant(self, tree.value))
        if isinstance(tree, Text):
            return self.add(Constant(self, np.array(self.document["weights"][tree.text], float)))
        if isinstance(tree, Name):
            return self.called(tree.name)
        if not isinstance(tree, Call):
            raise ValueError(f"no value: {tree}")
        kind = FUNCTIONS[tree.function]
        arguments, place = {}, 0
        for index, argument in enumerate(tree.arguments):
            name = tree.names[index] if tree.names else None
            if name is None:
                name, place = kind.names[place], place + 1
            arguments[name] = argument
        given = {}
        for name in kind.names:
            if name == "parts":
                given[name] = [self.node(part) for part in arguments[name].items]
            elif name in arguments:
                number = name in kind.attributes
                given[name] = self.number(arguments[name]) if number else self.node(arguments[name])
            elif name in kind.attributes:
                default = kind.defaults[name]
                given[name] = None if default is None else self.number(parse(default))
        return self.add(kind(self, given))

    def number(self, tree):
        """What is known when the model is compiled: a number, a list of them, a word."""
        if isinstance(tree, List):
            return [self.number(item) for item in tree.items]
        if isinstance(tree, Text):
            return tree.text
        value = float(self.constant(tree))
        return int(value) if value == int(value) else value

    def constant(self, tree):
        """A number, in double precision."""
        if isinstance(tree, Number):
            return tree.value
        if isinstance(tree, Name):
            return {"pi": math.pi, "sampleRate": self.rate}[tree.name]
        values = [known(np.array([self.constant(argument)])) for argument in tree.arguments]
        kind = FUNCTIONS[tree.function](self, {})
        return kind.formula(*(value[..., :1] for value in values)).item()

    def outputs(self):
        """The outputs, one below the other: [channels, frames, ROWS + 1]."""
        # Constants alone are computed once; what a cycle needs is taken frame by frame.
        wanted = [self.called(name) for name in self.document["outputs"]]
        values = {}
        for group in components([resolved(node) for node in wanted]):
            if len(group) == 1 and group[0] not in group[0].sources():
                node = group[0]
                arguments = [values[source] for source in node.sources()]
                if isinstance(node, delays.Delay):
                    node.write(arguments[node.given.index("x")], self.count)
                values[node] = node.run(0, self.count, *arguments)
            else:
                run_cycle(group, values, self.count)
        rows = [frames(values[resolved(node)], self.count) for node in wanted]
        return np.concatenate([one.reshape((-1,) + one.shape[-2:]) for one in rows])
