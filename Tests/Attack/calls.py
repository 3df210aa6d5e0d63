# SPDX-License-Identifier: Apache-2.0
"""How to write a call of each function, with the arguments that it takes.

A rule gets a writer of a model (models.py), which has values to call it with, and gives a Value, or raises Unfit."""

import math
from dataclasses import dataclass

RATE = 48_000


@dataclass
class Value:
    """An expression, the fixed axes of its value, whether it has frames, and whether it is more than a name."""

    text: str
    shape: tuple
    frames: bool = True
    simple: bool = False


RULES = {}


def rule(*names):
    """Makes a function the way to write calls of these names."""

    def register(write):
        for name in names:
            RULES[name] = write
        return write

    return register


def broadcast(*shapes):
    """The shape that all of these stretch to, or None."""
    result = []
    for place in range(1, max(map(len, shapes), default=0) + 1):
        extents = {shape[-place] for shape in shapes if len(shape) >= place} - {1}
        if len(extents) > 1:
            return None
        result.insert(0, extents.pop() if extents else 1)
    return tuple(result)


class Unfit(Exception):
    """What was chosen does not go together."""


def pair(writer, depth):
    """Two values that go together, and the shape of the result."""
    for _ in range(10):
        x, y = writer.value(depth), writer.value(depth)
        shape = broadcast(x.shape, y.shape)
        # What has no frames gains an axis in place of them.
        if shape is not None:
            return (x, y) if writer.random.random() < 0.5 else (y, x), shape, x.frames or y.frames
    raise Unfit


@rule("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=")
def operator(writer, name, depth):
    (x, y), shape, frames = pair(writer, depth)
    return Value(f"{writer.inner(x)} {name} {writer.inner(y)}", shape, frames)


@rule(
    "negate",
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "truncate",
    "reciprocal",
    "sqrt",
    "log",
    "sin",
    "cos",
    "tan",
    "atan",
    "tanh",
    "erf",
    "sigmoid",
    "relu",
    "softplus",
    "softsign",
    "hardTanh",
    "gelu",
    "silu",
    "selu",
    "hardSigmoid",
    "hardSwish",
    "mish",
)
def of_one(writer, name, depth):
    x = writer.value(depth)
    if writer.random.random() < 0.3:
        x = Value(f"{writer.inner(x)} * {writer.random.choice([0.1, 3, 8, 30])}", x.shape, x.frames)
    return writer.call(name, [("x", x.text)], x.shape, x.frames)


@rule("exp")
def power_of_e(writer, name, depth):
    x = writer.value(depth)
    return writer.call(name, [("x", f"2 * tanh({x.text})")], x.shape, x.frames)


@rule("sinh", "cosh")
def hyperbola(writer, name, depth):
    x = writer.value(depth)
    return writer.call(name, [("x", x.text if x.simple else f"4 * tanh({x.text})")], x.shape, x.frames)


@rule("asin", "acos")
def arc(writer, name, depth):
    x = writer.value(depth)
    return writer.call(
        name, [("x", x.text if writer.random.random() < 0.3 else f"softsign({x.text})")], x.shape, x.frames
    )


@rule("log2", "log10", "gainToDecibels", "frequencyToNote")
def logarithm(writer, name, depth):
    x, key = writer.value(depth), {"gainToDecibels": "gain", "frequencyToNote": "frequency"}.get(name, "x")
    least, most = (10, 2000) if key == "frequency" else (0.01, 1)
    text = x.text if writer.random.random() < 0.2 else f"{least:g} + {most:g} * abs({x.text})"
    return writer.call(name, [(key, text)], x.shape, x.frames)


@rule("decibelsToGain", "noteToFrequency")
def power_of_level_or_note(writer, name, depth):
    x, key = writer.value(depth), {"decibelsToGain": "decibels", "noteToFrequency": "note"}[name]
    middle, half = writer.random.choice([(0, 1), (-20, 20), (60, 30)])
    text = x.text if writer.random.random() < 0.2 else f"{middle:g} + {half:g} * tanh({x.text})"
    return writer.call(name, [(key, text)], x.shape, x.frames)


@rule("min", "max")
def of_two(writer, name, depth):
    (x, y), shape, frames = pair(writer, depth)
    return writer.call(name, [("x", x.text), ("y", y.text)], shape, frames)


@rule("atan2")
def angle(writer, name, depth):
    (x, y), shape, frames = pair(writer, depth)
    return writer.call(name, [("y", y.text), ("x", x.text)], shape, frames)


@rule("pow")
def power(writer, name, depth):
    x, y = writer.value(depth), writer.number(-3, 3) if writer.random.random() < 0.6 else writer.value(0)
    shape = broadcast(x.shape, y.shape)
    if shape is None:
        raise Unfit
    base = x.text if writer.random.random() < 0.2 else f"abs({x.text}) + 0.01"
    return writer.call(name, [("x", base), ("y", y.text)], shape, x.frames or y.frames)


@rule("clamp")
def clamp(writer, name, depth):
    x, low, high = writer.value(depth), writer.number(-2, -0.1), writer.number(0.1, 2)
    if writer.random.random() < 0.3:
        high = writer.parameter(0.2, 2)
    return writer.call(name, [("x", x.text), ("minimum", low.text), ("maximum", high.text)], x.shape, x.frames)


@rule("limit")
def limit(writer, name, depth):
    x, level = writer.value(depth), writer.number(0.1, 2) if writer.random.random() < 0.5 else writer.signal(depth)
    shape = broadcast(x.shape, level.shape)
    if shape is None:
        raise Unfit
    return writer.call(name, [("x", x.text), ("level", level.text)], shape, x.frames or level.frames)


@rule("leakyRelu", "elu", "celu")
def sloped(writer, name, depth):
    x, key = writer.value(depth), "slope:" if name == "leakyRelu" else "alpha:"
    more = [(key, repr(round(writer.random.uniform(0.01, 1.5), 2)))] if writer.random.random() < 0.6 else []
    return writer.call(name, [("x", x.text), *more], x.shape, x.frames)


@rule("select", "fma")
def of_three(writer, name, depth):
    (x, y), shape, frames = pair(writer, depth)
    z = writer.value(depth)
    shape = broadcast(shape, z.shape)
    if shape is None:
        raise Unfit
    keys = ("condition", "a", "b") if name == "select" else ("a", "b", "c")
    first = x.text if name == "fma" or writer.random.random() < 0.3 else f"{writer.inner(x)} > 0.1"
    return writer.call(name, [(keys[0], first), (keys[1], y.text), (keys[2], z.text)], shape, frames or z.frames)


@rule("slice")
def slice_(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    start = writer.random.randrange(x.shape[axis])
    count = writer.random.randint(1, x.shape[axis] - start)
    shape = x.shape[:axis] + (count,) + x.shape[axis + 1 :]
    arguments = [("x", x.text), ("axis", str(axis)), ("start", str(start))]
    return writer.call(name, arguments + [("count", str(count))] * (count > 1), shape, x.frames)


@rule("concatenate")
def concatenate(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    parts = [x, x if x.simple else writer.random.choice([x])]
    for other in writer.random.sample(writer.names, len(writer.names)):
        if (
            other.frames == x.frames
            and len(other.shape) == len(x.shape)
            and all(a == b or place == axis for place, (a, b) in enumerate(zip(other.shape, x.shape)))
        ):
            parts.append(other)
            break
    parts = parts[1:] if len(parts) > 2 else parts
    shape = x.shape[:axis] + (sum(part.shape[axis] for part in parts),) + x.shape[axis + 1 :]
    texts = "[" + ", ".join(part.text for part in parts) + "]"
    more = [("axis:", str(axis))] if axis or writer.random.random() < 0.3 else []
    return writer.call(name, [("parts", texts), *more], shape, any(part.frames for part in parts))


def divided(size, random):
    """Extents whose product is a size."""
    result = []
    while size > 1 and len(result) < 2:
        part = random.choice([one for one in range(1, size + 1) if size % one == 0])
        result.append(part)
        size //= part
    return [*result, size]


@rule("reshape")
def reshape(writer, name, depth):
    x = writer.with_axes(depth)
    shape = divided(math.prod(x.shape), writer.random)
    return writer.call(name, [("x", x.text), ("shape", str(shape))], tuple(shape), x.frames)


@rule("transpose")
def transpose(writer, name, depth):
    x = writer.with_axes(depth)
    order = list(range(len(x.shape)))[::-1]
    if writer.random.random() < 0.5:
        return writer.call(name, [("x", x.text)], x.shape[::-1], x.frames)
    writer.random.shuffle(order)
    return writer.call(name, [("x", x.text), ("order", str(order))], tuple(x.shape[one] for one in order), x.frames)


@rule("pad")
def pad(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    before, after = writer.random.randint(0, 2), writer.random.randint(0, 2)
    shape = x.shape[:axis] + (x.shape[axis] + before + after,) + x.shape[axis + 1 :]
    return writer.call(
        name, [("x", x.text), ("axis", str(axis)), ("before:", str(before)), ("after:", str(after))], shape, x.frames
    )


@rule("broadcast")
def broadcast_(writer, name, depth):
    x = writer.value(depth)
    shape = tuple(writer.random.choice([2, 3]) if one == 1 else one for one in x.shape)
    if writer.random.random() < 0.5 or not shape:
        shape = (writer.random.choice([1, 2, 3]), *shape)
    return writer.call(name, [("x", x.text), ("shape", str(list(shape)))], shape, x.frames)


@rule("gather")
def gather(writer, name, depth):
    x, index = writer.with_axes(depth), writer.value(depth)
    axis = writer.random.randrange(len(x.shape))
    shape = x.shape[:axis] + index.shape + x.shape[axis + 1 :]
    size = x.shape[axis]
    return writer.call(
        name,
        [("x", x.text), ("index", f"{size / 2:g} + {size:g} * {writer.inner(index)}"), ("axis:", str(axis))],
        shape,
        x.frames or index.frames,
    )


@rule("lookup")
def lookup(writer, name, depth):
    table = writer.weight(*writer.random.choice([(5,), (3,), (2, 4), (1,), (7,)]))
    if writer.random.random() < 0.3:
        table = writer.with_axes(depth)
    position = writer.value(depth)
    axis = writer.random.randrange(len(table.shape))
    size = table.shape[axis]
    arguments = [("table", table.text), ("position", f"{size / 2:g} + {size:g} * tanh({position.text})")]
    if axis != len(table.shape) - 1 or writer.random.random() < 0.3:
        arguments.append(("axis:", str(axis)))
    if writer.random.random() < 0.7:
        arguments.append(("interpolation:", writer.random.choice(["'linear'", "'cubic'", "'none'"])))
    if writer.random.random() < 0.5:
        arguments.append(("edges:", writer.random.choice(["'clamped'", "'wrapped'"])))
    shape = table.shape[:axis] + position.shape + table.shape[axis + 1 :]
    return writer.call(name, arguments, shape, table.frames or position.frames)


@rule("sum", "mean", "maximum")
def reduction(writer, name, depth):
    x = writer.with_axes(depth)
    kind = writer.random.random()
    if kind < 0.4:
        return writer.call(name, [("x", x.text)], (), x.frames)
    if kind < 0.8:
        axis = writer.random.randrange(len(x.shape))
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        text = str(axis if writer.random.random() < 0.7 else axis - len(x.shape))
        return writer.call(name, [("x", x.text), ("axis", text)], shape, x.frames)
    axes = writer.random.sample(range(len(x.shape)), writer.random.randint(1, len(x.shape)))
    shape = tuple(one for place, one in enumerate(x.shape) if place not in axes)
    return writer.call(name, [("x", x.text), ("axis", str(axes))], shape, x.frames)


@rule("softmax")
def softmax(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(-1, len(x.shape))
    more = [("axis", str(axis))] if axis >= 0 or writer.random.random() < 0.5 else []
    return writer.call(name, [("x", x.text), *more], x.shape, x.frames)


@rule("dense")
def dense(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    out = writer.random.choice([1, 2, 3, 5])
    arguments = [("x", x.text), ("weight", writer.weight(out, x.shape[axis]).text)]
    if writer.random.random() < 0.4:
        arguments.append(("bias", writer.weight(out).text))
    if axis != len(x.shape) - 1 or writer.random.random() < 0.2:
        arguments.append(("axis:", str(axis)))
    return writer.call(name, arguments, x.shape[:axis] + (out,) + x.shape[axis + 1 :], x.frames)


@rule("conv1d")
def convolution(writer, name, depth):
    random = writer.random
    along = random.random() < 0.3
    x = writer.with_axes(depth, 2) if along else writer.signal(depth, 1)
    if not along and len(x.shape) != 1:
        raise Unfit
    axis = random.randrange(1, len(x.shape)) if along else None
    channels = x.shape[axis - 1] if along else x.shape[0]
    groups = random.choice([one for one in range(1, channels + 1) if channels % one == 0])
    out, kernel, dilation = groups * random.choice([1, 2]), random.choice([1, 2, 3, 4]), random.choice([1, 1, 2, 5])
    arguments = [("x", x.text), ("weight", writer.weight(out, channels // groups, kernel).text)]
    if random.random() < 0.4:
        arguments.append(("bias", writer.weight(out).text))
    if dilation > 1:
        arguments.append(("dilation:", str(dilation)))
    if groups > 1:
        arguments.append(("groups:", str(groups)))
    reach = (kernel - 1) * dilation
    if not along:
        if random.random() < 0.2:
            arguments.append(("padding:", "'same'"))
            writer.latency += reach
        return writer.call(name, arguments, (out,))
    padding, stride = random.choice(["causal", "same", "valid"]), random.choice([1, 1, 2])
    arguments += [("axis:", str(axis)), ("padding:", f"'{padding}'")]
    if stride > 1:
        arguments.append(("stride:", str(stride)))
    length = x.shape[axis] - (reach if padding == "valid" else 0)
    if length < 1:
        raise Unfit
    length = (length - 1) // stride + 1
    return writer.call(name, arguments, x.shape[: axis - 1] + (out, length) + x.shape[axis + 1 :], x.frames)


@rule("delay")
def delay(writer, name, depth):
    random = writer.random
    x = writer.value(depth)
    if random.random() < 0.5:
        length = random.randint(1, 150)
        if random.random() < 0.2:
            each = (length,) if length < 9 and random.random() < 0.5 else ()
            initial = writer.weight(*x.shape, *each)
            return writer.call(name, [("x", x.text), ("frames", str(length)), ("initial:", initial.text)], x.shape)
        return writer.call(name, [("x", x.text), ("frames", str(length))], x.shape)
    most, how = random.randint(2, 150), random.choice(["linear", "cubic", "allpass"])
    least = random.randint(1 if how == "allpass" else 0, most)
    by = writer.ranged(least - 1, most + 1, depth)
    shape = broadcast(x.shape, by.shape)
    if shape is None:
        raise Unfit
    arguments = [("x", x.text), ("by:", by.text), ("maximum:", str(most))]
    if least or random.random() < 0.2:
        arguments.append(("minimum:", str(least)))
    if how != "linear" or random.random() < 0.2:
        arguments.append(("interpolation:", f"'{how}'"))
    return writer.call(name, arguments, shape)


@rule("prelu")
def sloped_by_weights(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    slope = writer.number() if writer.random.random() < 0.3 else writer.weight(x.shape[axis])
    more = [("axis:", str(axis))] if axis or writer.random.random() < 0.3 else []
    return writer.call(name, [("x", x.text), ("slope", slope.text), *more], x.shape, x.frames)


@rule("gated")
def gated(writer, name, depth):
    x = writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    if x.shape[axis] % 2:
        raise Unfit
    more = [("axis:", str(axis))] if axis or writer.random.random() < 0.3 else []
    return writer.call(name, [("x", x.text), *more], halved(x.shape, axis), x.frames)


def halved(shape, axis):
    return shape[:axis] + (shape[axis] // 2,) + shape[axis + 1 :]


def some(writer, *choices):
    """Arguments that may be left out, those behind the first that is by name."""
    return [choice for choice in choices if writer.random.random() < 0.4]


@rule("layerNorm", "rmsNorm", "groupNorm", "batchNorm")
def normed(writer, name, depth):
    random = writer.random
    x = writer.with_axes(depth)
    axis = random.randrange(len(x.shape))
    size = x.shape[axis]
    arguments = [("x", x.text)]
    if name == "groupNorm":
        arguments.append(("groups", str(random.choice([one for one in range(1, size + 1) if size % one == 0]))))
    if name == "batchNorm":
        arguments += [("mean", writer.weight(size).text), ("variance", writer.weight(size, low=0.1).text)]
    more = [("weight:", writer.weight(size).text), ("bias:", writer.weight(size).text)]
    arguments += some(writer, *more[: 1 if name == "rmsNorm" else 2])
    arguments.append(("axis:", str(axis)))
    # What is nearly the same everywhere is all roundings, unless epsilon is larger.
    return writer.call(name, arguments + [("epsilon:", random.choice(["0.01", "0.5"]))], x.shape, x.frames)


@rule("rnn", "gru", "lstm")
def recurrent(writer, name, depth):
    random = writer.random
    x = writer.with_axes(depth)
    axis = random.randrange(len(x.shape))
    gates, units = {"rnn": 1, "gru": 3, "lstm": 4}[name], random.choice([1, 2, 3])
    out = random.choice([1, 2]) if name == "lstm" and random.random() < 0.4 else None
    made = out or units

    def weight(*shape):
        return writer.weight(*shape, low=-0.6, high=0.6).text

    arguments = [("x", x.text), ("weight", weight(gates * units, x.shape[axis]))]
    arguments.append(("recurrent", weight(gates * units, made)))
    arguments += some(writer, ("bias:", weight(gates * units)), ("recurrentBias:", weight(gates * units)))
    if name == "rnn" and random.random() < 0.5:
        arguments.append(("activation:", random.choice(["'tanh'", "'relu'"])))
    if name == "gru" and random.random() < 0.7:
        arguments.append(("reset:", random.choice(["'after'", "'before'"])))
    if out:
        arguments.append(("projection:", weight(out, units)))
    arguments += some(writer, ("initial:", weight(made)))
    if name == "lstm":
        arguments += some(writer, ("initialCell:", weight(units)))
    shape = x.shape[:axis] + (made,) + x.shape[axis + 1 :]
    return writer.call(name, arguments + [("axis:", str(axis))], shape)


@rule("film")
def film(writer, name, depth):
    x, condition = writer.with_axes(depth), writer.with_axes(depth)
    axis = writer.random.randrange(len(x.shape))
    if len(condition.shape) != len(x.shape) or without(condition.shape, axis) != without(x.shape, axis):
        condition = x
    rows = x.shape[axis] * writer.random.choice([1, 2])
    arguments = [("x", x.text), ("condition", condition.text)]
    arguments.append(("weight", writer.weight(rows, condition.shape[axis]).text))
    arguments += some(writer, ("bias:", writer.weight(rows).text))
    return writer.call(name, arguments + [("axis:", str(axis))], x.shape, x.frames or condition.frames)


def without(shape, axis):
    """The shape without an axis."""
    return shape[:axis] + shape[axis + 1 :]


@rule("convTranspose")
def spread(writer, name, depth):
    random = writer.random
    along = random.random() < 0.4
    x = writer.with_axes(depth, 2) if along else writer.signal(depth, 1)
    if not along and len(x.shape) != 1:
        raise Unfit
    axis = random.randrange(1, len(x.shape)) if along else None
    channels = x.shape[axis - 1] if along else x.shape[0]
    groups = random.choice([one for one in range(1, channels + 1) if channels % one == 0])
    out, kernel, dilation = random.choice([1, 2]), random.choice([1, 2, 3, 4]), random.choice([1, 1, 2, 5])
    arguments = [("x", x.text), ("weight", writer.weight(channels, out, kernel).text)]
    arguments += some(writer, ("bias:", writer.weight(out * groups).text))
    arguments += [("dilation:", str(dilation)), ("groups:", str(groups))]
    reach = (kernel - 1) * dilation
    if not along:
        if random.random() < 0.2:
            arguments.append(("padding:", "'same'"))
            writer.latency += reach
        return writer.call(name, arguments, (out * groups,))
    padding, stride = random.choice(["causal", "same", "full"]), random.choice([1, 1, 2, 3])
    length = (x.shape[axis] - 1) * stride + 1 + reach if padding == "full" else x.shape[axis] * stride
    arguments += [("axis:", str(axis)), ("padding:", f"'{padding}'")]
    if stride > 1:
        arguments.append(("stride:", str(stride)))
    return writer.call(name, arguments, x.shape[: axis - 1] + (out * groups, length) + x.shape[axis + 1 :], x.frames)


@rule("lookahead")
def lookahead(writer, name, depth):
    x, frames = writer.signal(depth), writer.random.randint(1, 40)
    writer.latency += frames
    return writer.call(name, [("x", x.text), ("frames", str(frames))], x.shape)


@rule("control")
def control(writer, name, depth):
    x = writer.scalar(depth)
    return writer.call(name, [("x", x.text)], ())


@rule("phasor", "sine", "saw", "square")
def oscillator(writer, name, depth):
    return writer.call(name, [("frequency", writer.ranged(-200, 6000, depth, scalar=True).text)], ())


@rule("noise")
def noise(writer, name, depth):
    seed = writer.random.choice([None, 2, 3, 99])
    return writer.call(name, [("seed", str(seed))] if seed else [], ())


def filtered(writer, depth, *ranges, optional=0):
    """x and what a filter takes besides, some of it or all, and the shape."""
    x = writer.signal(depth)
    if writer.random.random() < 0.6:
        ranges = ranges[: len(ranges) - optional]
    values = [(key, writer.ranged(low, high, 0)) for key, low, high in ranges]
    shape = broadcast(x.shape, *(value.shape for _, value in values))
    if shape is None:
        raise Unfit
    return [("x", x.text)] + [(key, value.text) for key, value in values], shape


@rule("lowpass", "highpass", "bandpass", "notch", "allpass")
def pass_filter(writer, name, depth):
    arguments, shape = filtered(writer, depth, ("frequency", 50, 21_000), ("q", 0.4, 8), optional=1)
    return writer.call(name, arguments, shape)


@rule("peak", "lowShelf", "highShelf")
def louder_filter(writer, name, depth):
    ranges = ("frequency", 50, 21_000), ("gain", -18, 18), ("q", 0.4, 8)
    return writer.call(name, *filtered(writer, depth, *ranges, optional=1))


@rule("svf")
def state_variable(writer, name, depth):
    arguments, shape = filtered(writer, depth, ("frequency", 50, 21_000), ("q", 0.4, 8))
    keys = ("low:", "band:", "high:")
    for key in sorted(writer.random.sample(keys, writer.random.randint(1, 3)), key=keys.index):
        arguments.append((key, writer.number().text))
    return writer.call(name, arguments, shape)


@rule("onePole", "dcBlock")
def first_order(writer, name, depth):
    optional = 1 if name == "dcBlock" else 0
    return writer.call(name, *filtered(writer, depth, ("frequency", 5, 21_000), optional=optional))


@rule("biquad")
def biquad(writer, name, depth):
    random = writer.random
    x = writer.signal(depth)
    radius, angle = random.uniform(0, 0.9), random.uniform(0, math.pi)
    a1, a2 = -2 * radius * math.cos(angle), radius * radius
    numbers = [random.uniform(-1, 1) for _ in range(3)] + [a1, a2]
    keys = ("b0", "b1", "b2", "a1", "a2")
    return writer.call(name, [("x", x.text)] + [(key, f"{number:.4f}") for key, number in zip(keys, numbers)], x.shape)


@rule("fir")
def fir(writer, name, depth):
    x = writer.signal(depth)
    return writer.call(
        name, [("x", x.text), ("taps", writer.weight(writer.random.choice([1, 2, 5, 17])).text)], x.shape
    )


@rule("envelope")
def envelope(writer, name, depth):
    return writer.call(name, *filtered(writer, depth, ("attack", 0, 0.01), ("release", 0, 0.1)))


@rule("slew")
def slew(writer, name, depth):
    return writer.call(name, *filtered(writer, depth, ("up", 10, 20_000), ("down", 10, 20_000)))


@rule("sampleAndHold")
def sample_and_hold(writer, name, depth):
    (x, trigger), shape, frames = pair(writer, depth)
    if not frames:
        raise Unfit
    return writer.call(name, [("x", x.text), ("trigger", f"{writer.inner(trigger)} > 0.3")], shape)
