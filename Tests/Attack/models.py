# SPDX-License-Identifier: Apache-2.0
"""Random models, as text, that are valid by the articles on the language and its functions."""

import json
import math

from calls import RATE, RULES, Unfit, Value

LARGEST = 48  # numbers of a value


class Writer:
    """One model, while it is written."""

    def __init__(self, random, functions, inputs=None, rate=RATE):
        self.random, self.complete, self.rate = random, inputs is None, rate
        self.functions = [name for name in functions if name in RULES]
        self.uses_models = self.complete and "model" in functions
        self.names, self.graph, self.weights, self.parameters, self.used = [], {}, {}, {}, set()
        self.latency, self.files, self.turned = 0, {}, {}
        self.inputs = inputs or {"src": random.choice([(), (1,), (2,), (2,), (3,), (2, 2), (4,)])}
        if self.complete and random.random() < 0.25:
            self.inputs["side"] = random.choice([(), (1,), (2,)])
        for name, shape in self.inputs.items():
            self.names.append(Value(name, shape, simple=True))

    # What expressions are made of.

    def number(self, low=-2.0, high=2.0):
        """A number, now and then one at the edge."""
        random = self.random
        kind = random.random()
        if kind < 0.3:
            value = random.choice([0, 1, -1, 0.5, 2, 0.25, 3])
            if not low <= value <= high:
                value = low
        elif kind < 0.9 or low > 0:
            value = round(random.uniform(low, high), random.choice([1, 3, 6]))
        else:
            value = random.choice([1e-6, 1e-3, 0.1, 1 / 3]) * random.choice([-1, 1] if low < 0 else [1])
        text = repr(float(value)) if random.random() < 0.5 else f"{value:g}"
        return Value(text if value >= 0 else f"({text})", (), frames=False, simple=value >= 0)

    def whole(self, low, high):
        """A whole number as an attribute, which may be computed."""
        value = self.random.randint(low, high)
        form = self.random.random()
        if form < 0.1:
            return f"round({value / self.rate!r} * sampleRate)"
        if form < 0.15:
            return f"{value + 2} - 2"
        return str(value)

    def weight(self, *shape, low=-1.0, high=1.0):
        """The name of weights of a shape, between single quotes."""

        def nested(extents):
            if not extents:
                return round(self.random.uniform(low, high), 3)
            return [nested(extents[1:]) for _ in range(extents[0])]

        name = f"w{len(self.weights)}"
        self.weights[name] = nested(shape)
        return Value(f"'{name}'", tuple(shape), frames=False, simple=True)

    def parameter(self, low=-2.0, high=2.0):
        name = f"p{len(self.parameters)}"
        low, high = round(low, 4), round(high, 4)
        default = round(self.random.uniform(low, high), 4)
        self.parameters[name] = {"default": default, "minimum": low, "maximum": high}
        self.turned[name] = low, high
        return Value(name, (), frames=False, simple=True)

    def atom(self, low=-2.0, high=2.0):
        """A number, a parameter, a name."""
        kind = self.random.random()
        if kind < 0.2:
            return self.number(low, high)
        if kind < 0.3:
            return self.parameter(low, high)
        if kind < 0.35:
            return self.weight(self.random.choice([2, 3]), low=low, high=high)
        return self.random.choice(self.names)

    def value(self, depth):
        """Any value."""
        if depth <= 0 or self.random.random() < 0.15:
            return self.atom()
        for _ in range(20):
            name = self.random.choice(self.functions)
            try:
                result = RULES[name](self, name, depth - 1)
            except Unfit:
                continue
            if math.prod(result.shape) <= LARGEST and len(result.shape) <= 4:
                self.used.add(name)
                return result
        return self.atom()

    def signal(self, depth, axes=0):
        """A value with frames, and at least so many fixed axes."""
        for _ in range(20):
            value = self.value(depth)
            if value.frames and len(value.shape) >= axes:
                return value
        raise Unfit

    def with_axes(self, depth, axes=1):
        """A value with at least so many fixed axes."""
        for _ in range(20):
            value = self.value(depth)
            if len(value.shape) >= axes:
                return value
        raise Unfit

    def scalar(self, depth):
        """A value without channels."""
        for _ in range(10):
            value = self.value(depth)
            if value.shape == ():
                return value
            if value.frames:
                return Value(f"mean({value.text})", (), True, True)
        raise Unfit

    def ranged(self, low, high, depth, scalar=False):
        """A value that stays between two numbers, as frequencies do: fixed, turned, or a signal."""
        kind = self.random.random()
        if kind < 0.4:
            return self.number(low, high)
        if kind < 0.5 and not scalar:
            return self.weight(2, low=low, high=high)
        beyond = 1.4 if self.random.random() < 0.3 else 1  # what is turned, or moves, may ask for more than there is
        middle, half = (low + high) / 2, (high - low) / 2
        if kind < 0.65:
            return self.parameter(middle - beyond * half, middle + beyond * half)
        signal = self.scalar(depth) if scalar else self.value(depth)
        if signal.frames:
            half *= beyond
        form = "tanh" if self.random.random() < 0.7 else "softsign"
        return Value(f"{middle:g} + {half:g} * {form}({signal.text})", signal.shape, signal.frames)

    def call(self, name, arguments, shape, frames=True):
        """A call, whose arguments are pairs of a name and a text; those behind some place say their names."""
        named = self.random.randint(0, len(arguments)) if self.random.random() < 0.5 else len(arguments)
        texts = []
        for place, (key, text) in enumerate(arguments):
            forced = key.endswith(":")
            named = min(named, place) if forced else named
            texts.append(f"{key.rstrip(':')}: {text}" if place >= named else text)
        return Value(f"{name}({', '.join(texts)})", shape, frames, True)

    def inner(self, value):
        """The text of an operand."""
        return value.text if value.simple else f"({value.text})"

    # What a whole model is made of.

    def define(self):
        """One more name."""
        random = self.random
        try:
            if self.uses_models and random.random() < 0.1:
                return self.part()
            value = self.cycle() if random.random() < 0.25 else self.value(random.choice([1, 2, 2, 3]))
        except Unfit:
            return None
        bound = random.random()
        if bound < 0.25:
            value = Value(f"tanh({value.text})", value.shape, value.frames, True)
        elif bound < 0.4:
            value = Value(f"limit({value.text}, {random.choice([1, 2, 0.5])})", value.shape, value.frames, True)
        self.add(value)

    def add(self, value):
        """A name for a value."""
        name = f"v{len(self.graph)}"
        self.graph[name] = value.text
        self.names.append(Value(name, value.shape, value.frames, True))
        return name

    def part(self):
        """A name for another model in its place, whose parameters are fixed, signals, or left to be turned."""
        random, x = self.random, self.signal(1)
        inner = Writer(random, self.functions, {"src": x.shape}, self.rate)
        document = inner.model()
        document["outputs"] = document["outputs"][:1]
        file = f"part{len(self.files)}.json"
        arguments, left = [f"'{file}'", x.text], {}
        for name, limits in inner.turned.items():
            scalar = self.scalar(0)
            if scalar.frames and random.random() < 0.4:
                low, high = limits
                arguments.append(f"{name}: {(low + high) / 2:g} + {(high - low) / 2:g} * tanh({scalar.text})")
            else:
                left[name] = limits
        self.files[file] = document
        self.used |= inner.used | {"model"}
        self.latency += inner.latency
        shape = inner.outputs[document["outputs"][0]]
        name = self.add(Value(f"model({', '.join(arguments)})", shape))
        self.turned.update({f"{name}.{key}": limits for key, limits in left.items()})
        return name

    def cycle(self):
        """A value that comes back: `limit(x + 0.5 * delay(v3, 7), 4)`."""
        random = self.random
        x = self.signal(1)
        if not {"delay", "limit"} <= set(self.functions) or math.prod(x.shape) > 8:
            raise Unfit
        name = f"v{len(self.graph)}"
        length = random.choice([1, 1, 2, 3, 17, 64, 128, 150])
        kind = random.random()
        if kind < 0.7:
            back = f"delay({name}, {length})"
        else:
            most = length + random.randint(2, 40)
            how = random.choice(["linear", "cubic", "allpass"])
            least = max(2 if how == "allpass" else 1, length)
            by = self.ranged(least - 1, most + 1, 0, scalar=True)
            back = f"delay({name}, by: {by.text}, minimum: {least}, maximum: {most}, interpolation: '{how}')"
        self.used.add("delay")
        way = random.random()
        if way < 0.25:
            back = f"tanh({back})"
        elif way < 0.4:
            back = f"onePole({back}, {random.choice([200, 3000, 12000])})"
        elif way < 0.5:
            back = f"lowpass({back}, {random.choice([500, 5000])}, q: 0.7)"
        elif way < 0.65 and len(x.shape) == 1:
            size = x.shape[0]
            back = f"dense({back}, {self.weight(size, size, low=-1 / size, high=1 / size).text})"
        elif way < 0.75 and len(x.shape) >= 1 and x.shape[0] > 1:
            back = f"concatenate([slice({back}, 0, 1, {x.shape[0] - 1}), slice({back}, 0, 0)])"
        elif way < 0.8:
            back = f"round({back} * 8) / 8"
        share = round(random.uniform(-0.9, 0.9), 2)
        return Value(f"limit({x.text} + {share:g} * {back}, 4)".replace("+ -", "- "), x.shape, True, True)

    def model(self):
        """The file, as text, and the same as a dictionary."""
        random = self.random
        for _ in range(random.randint(1, 6 if self.complete else 2)):
            self.define()
        signals = [one for one in self.names if one.frames and one.text in self.graph]
        if not signals:
            self.graph["dst"] = "src * 0.5"
            signals = [Value("dst", self.inputs["src"])]
        outputs = [one.text for one in random.sample(signals, min(len(signals), random.choice([1, 1, 2])))]
        if signals[-1].text not in outputs:
            outputs.append(signals[-1].text)
        self.outputs = {one.text: one.shape for one in signals if one.text in outputs}
        names = list(self.graph)
        if random.random() < 0.3:
            random.shuffle(names)
        document = {
            "legato": 1,
            "name": "Attack",
            "inputs": {name: {"shape": [*shape, "frames"]} for name, shape in self.inputs.items()},
        }
        if self.complete and len(self.inputs) == 1 and len(self.inputs["src"]) == 1 and random.random() < 0.3:
            document["inputs"]["src"]["shape"] = ["channels", "frames"]  # which the sound binds
        for key, content in (("parameters", self.parameters), ("weights", self.weights)):
            if content:
                document[key] = content
        document["graph"] = {name: self.graph[name] for name in names}
        document["outputs"] = outputs
        return document


def text_of(document, random):
    """A model as a file has it, now and then with comments and trailing commas."""
    text = json.dumps(document, indent=random.choice([None, 2]))
    if random.random() < 0.2 and "\n" in text:
        lines = text.split("\n")
        lines.insert(random.randint(0, len(lines) - 1), "  // what nobody reads")
        text = "\n".join(lines)
    elif random.random() < 0.2:
        text = text[:-1].rstrip() + ",}"
    return text
