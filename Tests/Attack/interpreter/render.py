# SPDX-License-Identifier: Apache-2.0
"""Model files, rendered."""

import math
from dataclasses import dataclass, field

import numpy as np

from . import arithmetic, delays, filters, layers, shapes, sources  # noqa: F401: each adds its functions
from .cycles import components, run_cycle
from .expressions import Call, List, Name, Number, Text, parse
from .node import FUNCTIONS, Channel, Constant, Input, Later, Stack, frames, resolved
from .rows import known


@dataclass
class Setting:
    """What holds for all of a program: the rate, the frames, numbers for `noise(seed)`, how roundings fall, and the models
    that may be used, by name."""

    rate: float
    count: int
    noise: object
    random: object
    files: dict = field(default_factory=dict)


def render(documents, samples, settings, setting):
    """The outputs of models, one behind the other, one below the other: [channels, frames, ROWS + 1].

    samples: [channels, frames] of all inputs, one after the other; settings: the parameters that were turned, of
    several models as 1.name and 2.name; a number, or one for each frame."""
    channels = [Input(setting, channel) for channel in samples]
    for place, document in enumerate(documents, 1):
        mine = below(settings, str(place)) if len(documents) > 1 else settings
        model = Model(document, inputs_of(document, channels, setting), mine, setting)
        wanted = [model.called(name) for name in document["outputs"]]
        if place == len(documents):
            break
        # The next one takes what comes out, channel by channel.
        (only,) = wanted
        size = math.prod(documents[place]["inputs"]["src"]["shape"][:-1])
        channels = [Channel(setting, {"x": only}, channel) for channel in range(size)]
    values = {}
    for group in components([resolved(node) for node in wanted]):
        node = group[0]
        if len(group) > 1 or node in node.sources():
            run_cycle(group, values, setting.count)
            continue
        arguments = [values[source] for source in node.sources()]
        if isinstance(node, delays.Delay):
            node.write(arguments[node.given.index("x")], setting.count)
        values[node] = node.run(0, setting.count, *arguments)
    rows = [frames(values[resolved(node)], setting.count) for node in wanted]
    return np.concatenate([one.reshape((-1,) + one.shape[-2:]) for one in rows])


def below(settings, name):
    """The settings of a part: of wet.level, level."""
    return {key[len(name) + 1 :]: value for key, value in settings.items() if key.startswith(name + ".")}


def inputs_of(document, channels, setting):
    """The inputs of a model by name, made of channels; a free extent takes what the others leave."""
    shapes = {name: one["shape"][:-1] for name, one in document["inputs"].items()}
    fixed = sum(math.prod(shape) for shape in shapes.values() if "channels" not in shape)
    inputs, at = {}, 0
    for name, shape in shapes.items():
        extents = [len(channels) - fixed if extent == "channels" else extent for extent in shape]
        size = math.prod(extents)
        inputs[name] = Stack(setting, {"parts": channels[at : at + size]}, extents)
        at += size
    return inputs


class Model:
    """A model file, whose names become nodes.

    document: the file, as JSON gives it; inputs: nodes, by name; settings: parameters that were turned; given: nodes that
    stand for parameters."""

    def __init__(self, document, inputs, settings, setting, given=None):
        self.document, self.settings, self.setting = document, settings, setting
        self.memory = {**inputs, **(given or {})}
        self.name = None  # what is being defined

    def called(self, name):
        """The node of a name."""
        if name in self.memory:
            return self.memory[name]
        parameters = self.document.get("parameters", {})
        if name in parameters:
            self.memory[name] = Constant(self.setting, self.settings.get(name, parameters[name]["default"]))
        elif name in ("pi", "sampleRate"):
            self.memory[name] = Constant(self.setting, math.pi if name == "pi" else self.setting.rate)
        else:
            later = self.memory[name] = Later(self.setting, {})
            outer, self.name = self.name, name
            later.node = self.node(parse(self.document["graph"][name]))
            self.name = outer
        return self.memory[name]

    def used(self, tree):
        """Another model in its place: inputs by position, parameters by name."""
        document = self.setting.files[tree.arguments[0].text]
        names = list(document["inputs"])
        inputs, given = {}, {}
        for name, argument in zip(tree.names[1:], tree.arguments[1:]):
            if name is None:
                inputs[names[len(inputs)]] = self.node(argument)
            else:
                given[name] = self.node(argument)
        model = Model(document, inputs, below(self.settings, self.name), self.setting, given)
        return model.called(document["outputs"][0])

    def node(self, tree):
        """The node of an expression."""
        if isinstance(tree, Number):
            return Constant(self.setting, tree.value)
        if isinstance(tree, Text):
            return Constant(self.setting, self.document["weights"][tree.text])
        if isinstance(tree, Name):
            return self.called(tree.name)
        if not isinstance(tree, Call):
            raise ValueError(f"no value: {tree}")
        if tree.function == "model":
            return self.used(tree)
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
        return kind(self.setting, given)

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
            return {"pi": math.pi, "sampleRate": self.setting.rate}[tree.name]
        values = [known(np.array([self.constant(argument)])) for argument in tree.arguments]
        kind = FUNCTIONS[tree.function](self.setting, {})
        return kind.formula(*(value[..., :1] for value in values)).item()
