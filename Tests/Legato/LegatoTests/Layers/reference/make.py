#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers as PyTorch's documentation defines them, in double precision with NumPy; what the tests compare Legato's with.

    python3 Tests/Legato/LegatoTests/Layers/reference/make.py

writes cases.json beside itself: for each case the call, its weights, the input (channels, frames) and the output.
"""

import json
import pathlib

import numpy as np

FRAMES = 24
random = np.random.default_rng(7)
cases = []


def array(*shape, scale=0.6):
    """Numbers that a float holds exactly."""
    return np.round(random.uniform(-scale, scale, shape) * 4096) / 4096


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def case(call, weights, x, y):
    cases.append(
        {
            "call": call,
            "weights": {name: {"shape": list(w.shape), "values": w.ravel().tolist()} for name, w in weights.items()},
            "input": x.tolist(),
            "output": np.round(y, 9).tolist(),
        }
    )


def over_time(x, step, *states):
    """Columns one after the other; step takes a column and the states, and gives a result and the next states."""
    results = []
    for t in range(x.shape[1]):
        result, *states = step(x[:, t], *states)
        results.append(result)
    return np.stack(results, axis=1)


def biased(prefix, rows, units, inputs, outputs=None):
    return {
        prefix + "w": array(rows * units, inputs),
        prefix + "u": array(rows * units, outputs or units),
        prefix + "b": array(rows * units),
        prefix + "v": array(rows * units),
    }


# torch.nn.RNN
for name, function in (("tanh", np.tanh), ("relu", lambda x: np.maximum(x, 0))):
    p, x = biased("", 1, 3, 2), array(2, FRAMES, scale=1)

    def plain(column, h, function=function):
        h = function(p["w"] @ column + p["b"] + p["u"] @ h + p["v"])
        return h, h

    case(f'rnn(x, "w", "u", "b", "v", activation: "{name}", axis: 0)', p, x, over_time(x, plain, np.zeros(3)))

# torch.nn.GRU, whose reset follows the product; and with the reset in front of it (Cho et al. 2014, version 1)
for reset in ("after", "before"):
    p, x = biased("", 3, 5, 3), array(3, FRAMES, scale=1)

    def gru(column, h):
        wr, wz, wn = np.split(p["w"] @ column + p["b"], 3)
        ur, uz, un = np.split(p["u"], 3)
        vr, vz, vn = np.split(p["v"], 3)
        r = sigmoid(wr + ur @ h + vr)
        z = sigmoid(wz + uz @ h + vz)
        n = np.tanh(wn + (r * (un @ h + vn) if reset == "after" else un @ (r * h) + vn))
        h = (1 - z) * n + z * h
        return h, h

    case(f'gru(x, "w", "u", "b", "v", reset: "{reset}", axis: 0)', p, x, over_time(x, gru, np.zeros(5)))

# torch.nn.LSTM, without and with proj_size
for outputs in (17, 2):
    units = 17
    p, x = biased("", 4, units, 1, outputs), array(1, FRAMES, scale=1)
    projection = ""
    if outputs != units:
        p["r"], projection = array(outputs, units), ', projection: "r"'

    def lstm(column, h, c):
        i, f, g, o = np.split(p["w"] @ column + p["b"] + p["u"] @ h + p["v"], 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        if outputs != units:
            h = p["r"] @ h
        return h, h, c

    case(
        f'lstm(x, "w", "u", "b", "v"{projection}, axis: 0)',
        p,
        x,
        over_time(x, lstm, np.zeros(outputs), np.zeros(units)),
    )

# The states that they begin with; x, twelve frames late, with others in their place
p, x = biased("", 1, 3, 2), array(2, FRAMES, scale=1)
p["h"] = array(3)
case('rnn(x, "w", "u", "b", "v", initial: "h", axis: 0)', p, x, over_time(x, lambda column, h: plain(column, h, np.tanh), p["h"]))
p, x = biased("", 3, 5, 3), array(3, FRAMES, scale=1)
p["h"], reset = array(5), "after"
case('gru(x, "w", "u", "b", "v", initial: "h", axis: 0)', p, x, over_time(x, gru, p["h"]))
units = outputs = 17
p, x = biased("", 4, units, 1), array(1, FRAMES, scale=1)
p["h"], p["c"] = array(units), array(units)
case(
    'lstm(x, "w", "u", "b", "v", initial: "h", initialCell: "c", axis: 0)',
    p,
    x,
    over_time(x, lstm, p["h"], p["c"]),
)
p, x = {"h": array(2), "f": array(2, 12)}, array(2, FRAMES, scale=1)
case(
    'delay(x, 12, initial: "h")', {"h": p["h"]}, x, np.concatenate([np.tile(p["h"], (12, 1)).T, x[:, :12]], axis=1)
)
case('delay(x, 12, initial: "f")', {"f": p["f"]}, x, np.concatenate([p["f"], x[:, :12]], axis=1))

# torch.nn.GRU and LSTM with two layers, by the names of their state_dict; the LSTM with proj_size
p, x = {}, array(2, FRAMES, scale=1)
y = x
for layer in range(2):
    q = biased("", 3, 4, len(y))
    wanted = {"w": "weight_ih", "u": "weight_hh", "b": "bias_ih", "v": "bias_hh"}
    p |= {f"rec.{wanted[name]}_l{layer}": value for name, value in q.items()}

    def stacked(column, h):
        wr, wz, wn = np.split(q["w"] @ column + q["b"], 3)
        ur, uz, un = np.split(q["u"] @ h + q["v"], 3)
        r, z = sigmoid(wr + ur), sigmoid(wz + uz)
        h = (1 - z) * np.tanh(wn + r * un) + z * h
        return h, h

    y = over_time(y, stacked, np.zeros(4))
case('gru(x, "rec", axis: 0)', p, x, y)
p, x = {}, array(1, FRAMES, scale=1)
y, units, outputs = x, 5, 3
for layer in range(2):
    q = biased("", 4, units, len(y), outputs) | {"r": array(outputs, units)}
    p |= {
        f"amp.rec.{name}_l{layer}": q[short]
        for short, name in (("w", "weight_ih"), ("u", "weight_hh"), ("b", "bias_ih"), ("v", "bias_hh"), ("r", "weight_hr"))
    }

    def projected(column, h, c):
        i, f, g, o = np.split(q["w"] @ column + q["b"] + q["u"] @ h + q["v"], 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = q["r"] @ (sigmoid(o) * np.tanh(c))
        return h, h, c

    y = over_time(y, projected, np.zeros(outputs), np.zeros(units))
case('lstm(x, "amp.rec", axis: 0)', p, x, y)


# torch.nn.ConvTranspose1d: each number is spread over a kernel
def spread(x, w, b, groups, dilation):
    inputs, outputs, kernel = w.shape
    count = len(x) // groups
    y = np.tile(b[:, None], (1, x.shape[1] + (kernel - 1) * dilation))
    for i in range(inputs):
        for o in range(outputs):
            for k in range(kernel):
                y[i // count * outputs + o, k * dilation : k * dilation + x.shape[1]] += w[i, o, k] * x[i]
    return y


x, w, b = array(4, FRAMES, scale=1), array(4, 3, 3), array(6)
call = 'convTranspose(x, "w", "b", groups: 2, dilation: 2)'
case(call, {"w": w, "b": b}, x, spread(x, w, b, 2, 2)[:, :FRAMES])
x, w, b = array(6, FRAMES, scale=1), array(2, 1, 3), array(1)
for padding, cut in (("full", 0), ("same", 1)):
    y = [spread(x[:, t].reshape(2, 3), w, b, 1, 1)[0, cut : 5 - cut] for t in range(FRAMES)]
    call = f'reshape(convTranspose(reshape(x, [2, 3]), "w", "b", axis: 1, padding: "{padding}"), [{5 - 2 * cut}])'
    case(call, {"w": w, "b": b}, x, np.stack(y, axis=1))

# FiLM (Perez et al. 2018): scales and shifts, or scales only
x, w, b = array(3, FRAMES, scale=1), array(6, 2), array(6)
told = w @ x[1:] + b[:, None]
case('film(x, slice(x, 0, 1, 2), "w", "b")', {"w": w, "b": b}, x, x * told[:3] + told[3:])
case('film(x, slice(x, 0, 1, 2), "w")', {"w": w[:3]}, x, x * (w[:3] @ x[1:]))

# torch.nn.LayerNorm, RMSNorm, GroupNorm, BatchNorm1d in evaluation
x = array(6, FRAMES, scale=2)
w, b = array(6), array(6)
centred = x - x.mean(0)
layer = centred / np.sqrt(x.var(0) + 1e-5)
case('layerNorm(x, "w", "b", axis: 0)', {"w": w, "b": b}, x, layer * w[:, None] + b[:, None])
root = np.sqrt((x * x).mean(0) + 0.25)
case('rmsNorm(x, "w", axis: 0, epsilon: 0.25)', {"w": w}, x, x / root * w[:, None])
groups = x.reshape(2, 3, FRAMES)
normed = (groups - groups.mean(1, keepdims=True)) / np.sqrt(groups.var(1, keepdims=True) + 1e-5)
case('groupNorm(x, 2, "w", "b")', {"w": w, "b": b}, x, normed.reshape(x.shape) * w[:, None] + b[:, None])
mean, variance = array(6), np.abs(array(6)) + 0.125
case(
    'batchNorm(x, "m", "s", "w", "b")',
    {"m": mean, "s": variance, "w": w, "b": b},
    x,
    (x - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5) * w[:, None] + b[:, None],
)

# torch.nn.functional: prelu, selu, celu, hardsigmoid, hardswish, mish; WaveNet's gate
case('prelu(x, "w")', {"w": w}, x, np.where(x > 0, x, w[:, None] * x))
scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
case("selu(x)", {}, x, scale * np.where(x > 0, x, alpha * np.expm1(x)))
case("celu(x, alpha: 0.5)", {}, x, np.where(x > 0, x, 0.5 * np.expm1(x / 0.5)))
hard = np.clip(x / 6 + 0.5, 0, 1)
case("hardSigmoid(x)", {}, x, hard)
case("hardSwish(x)", {}, x, x * hard)
case("mish(x)", {}, x, x * np.tanh(np.log1p(np.exp(x))))
case("gated(x)", {}, x, np.tanh(x[:3]) * sigmoid(x[3:]))


# torch.nn.Conv2d and Conv3d: a product of each window of the area with the weight
def convolved(x, w, b, stride, dilation, groups):
    axes = w.ndim - 2
    span = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation)]
    out = [(n - s) // h + 1 for n, s, h in zip(x.shape[1:], span, stride)]
    y = np.zeros((w.shape[0], *out))
    each = w.shape[0] // groups
    for place in np.ndindex(*out):
        window = tuple(slice(p * h, p * h + s, d) for p, h, s, d in zip(place, stride, span, dilation))
        for o in range(w.shape[0]):
            group = o // each
            channels = x[group * w.shape[1] : (group + 1) * w.shape[1]]
            y[(o, *place)] = (channels[(slice(None), *window)] * w[o]).sum() + b[o]
    assert axes == len(out)
    return y


def each_frame(x, shape, function):
    return np.stack([function(x[:, t].reshape(shape)).ravel() for t in range(x.shape[1])], axis=1)


for shape, weight, call, stride, dilation, groups in (
    ((2, 5, 7), (4, 1, 3, 2), "conv2d({x}, 'w', 'b', stride: [2, 1], dilation: [1, 2], groups: 2)", (2, 1), (1, 2), 2),
    ((1, 3, 4, 5), (2, 1, 2, 2, 3), "conv3d({x}, 'w', 'b', stride: [1, 2, 1])", (1, 2, 1), (1, 1, 1), 1),
):
    x, w, b = array(int(np.prod(shape)), FRAMES, scale=1), array(*weight), array(weight[0])
    y = each_frame(x, shape, lambda v: convolved(v, w, b, stride, dilation, groups))
    inner = call.replace("{x}", f"reshape(x, {list(shape)})")
    case(f"reshape({inner}, [{len(y)}])", {"w": w, "b": b}, x, y)

# numpy.matmul of two computed values, batches broadcast
x = array(24, FRAMES, scale=1)
y = each_frame(x, (2, 3, 4), lambda v: v @ np.swapaxes(v[:1], 1, 2))
case("reshape(matmul(reshape(x, [2, 3, 4]), transpose(reshape(slice(x, 0, 0, 12), [3, 4]))), [18])", {}, x, y)


# torch.nn.functional.scaled_dot_product_attention of two heads, is_causal
def attention(q, k, v, heads):
    split = lambda z: z.reshape(len(z), heads, -1).swapaxes(0, 1)
    q, k, v = split(q), split(k), split(v)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tril(np.ones(scores.shape[1:])) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    return ((weights / weights.sum(2, keepdims=True)) @ v).swapaxes(0, 1).reshape(q.shape[1], -1)


x = array(20, FRAMES, scale=2)
y = each_frame(x, (5, 4), lambda v: attention(v, v[::-1], v * v, 2))
rows = ", ".join(f"slice(v, 0, {row}, 1)" for row in range(4, -1, -1))
v = "reshape(x, [5, 4])"
call = f"attention({v}, concatenate([{rows.replace('v', v)}], 0), {v} * {v}, heads: 2, sees: 'past')"
case(f"reshape({call}, [20])", {}, x, y)

# torch.nn.MaxPool2d, AvgPool2d; numpy.argmax, cumsum; torch.nn.functional.interpolate
x = array(24, FRAMES, scale=2)


def pooled(v, size, stride, function):
    out = [(n - s) // h + 1 for n, s, h in zip(v.shape, size, stride)]
    return np.array([[function(v[i * stride[0] : i * stride[0] + size[0], j * stride[1] : j * stride[1] + size[1]]) for j in range(out[1])] for i in range(out[0])])


plane = "reshape(x, [4, 6])"
y = each_frame(x, (4, 6), lambda v: pooled(v, (2, 3), (1, 2), np.max))
case(f"reshape(maxPool({plane}, size: [2, 3], stride: [1, 2]), [6])", {}, x, y)
y = each_frame(x, (4, 6), lambda v: pooled(v, (2, 2), (2, 2), np.mean))
case(f"reshape(averagePool({plane}, size: [2, 2]), [6])", {}, x, y)
case(f"argmax({plane}, axis: 1)", {}, x, each_frame(x, (4, 6), lambda v: v.argmax(1)))
backward = lambda v: v[:, ::-1].cumsum(1)[:, ::-1]
case(f"reshape(cumsum({plane}, direction: 'backward'), [24])", {}, x, each_frame(x, (4, 6), backward))
case(f"reshape(cumsum({plane}, axis: 0, own: 'excluded'), [24])", {}, x, each_frame(x, (4, 6), lambda v: v.cumsum(0) - v))


def interpolated(v, count):
    places = np.clip((np.arange(count) + 0.5) * v.shape[1] / count - 0.5, 0, v.shape[1] - 1)
    return np.stack([np.interp(places, np.arange(v.shape[1]), row) for row in v])


case(f"reshape(resize({plane}, 9), [36])", {}, x, each_frame(x, (4, 6), lambda v: interpolated(v, 9)))


# torch.nn.ConvTranspose1d, 2d and 3d with a stride; causal: as many positions as the stride makes
def strewn(x, w, b, groups, stride, dilation):
    kernel, outputs, count = w.shape[2:], w.shape[1], len(x) // groups
    full = [(n - 1) * s + (k - 1) * d + 1 for n, k, s, d in zip(x.shape[1:], kernel, stride, dilation)]
    y = np.tile(b.reshape((-1,) + (1,) * len(full)), (1, *full))
    for place in np.ndindex(*x.shape[1:]):
        for tap in np.ndindex(*kernel):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation))
            for i in range(len(x)):
                for o in range(outputs):
                    y[(i // count * outputs + o, *at)] += w[(i, o, *tap)] * x[(i, *place)]
    return y


def kept(y, x, stride, padding):
    """The positions of the whole that a padding keeps; what lies beyond it is the bias, which is 0 there."""
    for axis, (n, s) in enumerate(zip(x.shape[1:], stride), 1):
        if padding != "full":
            y = np.pad(y, [(0, max(0, n * s - y.shape[axis]) if a == axis else 0) if a else (0, 0) for a in range(y.ndim)])
            cut = (y.shape[axis] - n * s) // 2 if padding == "same" else 0
            y = y.take(range(cut, cut + n * s), axis)
    return y


for shape, weight, stride, dilation, groups, padding in (
    ((2, 4), (2, 3, 4), (2,), (1,), 1, "full"),
    ((4, 3), (4, 2, 3), (2,), (1,), 2, "full"),
    ((2, 4), (2, 1, 5), (3,), (2,), 1, "full"),
    ((2, 4), (2, 2, 3), (4,), (2,), 1, "causal"),
    ((2, 5), (2, 2, 16), (8,), (1,), 1, "same"),
    ((2, 3, 2), (2, 2, 3, 2), (2, 3), (1, 1), 1, "full"),
    ((2, 2, 3), (2, 1, 4, 3), (2, 1), (1, 2), 2, "same"),
    ((1, 2, 2, 2), (1, 2, 3, 2, 1), (2, 1, 3), (1, 3, 1), 1, "full"),
):
    x, w = array(int(np.prod(shape)), FRAMES, scale=1), array(*weight)
    beyond = any(k * d < s for k, s, d in zip(weight[2:], stride, dilation)) and padding != "full"
    b = array(weight[1] * groups) * (0 if beyond else 1)
    y = each_frame(x, shape, lambda v: kept(strewn(v, w, b, groups, stride, dilation), v, stride, padding))
    numbers = lambda list: str(list[0]) if len(list) == 1 else str([*list])
    call = f'convTranspose(reshape(x, {[*shape]}), "w", "b", axis: 1, stride: {numbers(stride)}, dilation: {numbers(dilation)}'
    case(f'reshape({call}, groups: {groups}, padding: "{padding}"), [{len(y)}])', {"w": w, "b": b}, x, y)

path = pathlib.Path(__file__).with_name("cases.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
