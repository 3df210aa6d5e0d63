#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Losses, optimizers and networks as PyTorch computes them, in double precision; what the tests compare Legato's with.

    python3 Tests/Training/LegatoTrainingTests/reference/make.py        (PyTorch 2.15)

writes reference.json beside itself: losses with their values and gradients, weights after steps of optimizers, and
networks, each as a model of ours, with the gradients of their weights.
"""

import json
import pathlib

import torch
from torch import nn
from torch.nn import functional
from torch.optim import lr_scheduler as rates

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)


def numbers(*shape, low=-2.0, high=2.0):
    """Numbers that a float holds exactly."""
    return torch.round((torch.rand(*shape) * (high - low) + low) * 4096) / 4096


losses = []


def loss(expression, x, target, function):
    x = x.clone().requires_grad_()
    value = function(x, target)
    value.backward()
    losses.append(
        {
            "expression": expression,
            "shape": list(x.shape),
            "targetShape": list(target.shape),
            "x": x.detach().flatten().tolist(),
            "target": target.flatten().to(torch.float64).tolist(),
            "value": value.item(),
            "gradient": x.grad.flatten().tolist(),
        }
    )


x, y = numbers(4, 5), numbers(4, 5)
loss("mse(x, target)", x, y, functional.mse_loss)
loss("mae(x, target)", x, y, functional.l1_loss)
loss("huber(x, target, delta: 0.75)", x, y, lambda a, b: functional.huber_loss(a, b, delta=0.75))
yes = numbers(4, 5, low=0, high=1)
loss("bceWithLogits(x, target)", x, yes, functional.binary_cross_entropy_with_logits)
loss("cosineDistance(x, target)", x, y, lambda a, b: (1 - functional.cosine_similarity(a, b, dim=-1)).mean())
classes = torch.tensor([1, 0, 4, 2])
loss("crossEntropy(x, target)", x, classes, functional.cross_entropy)
counts = torch.tensor([1.0, 2.0, 0.0, 4.0, 0.5])
loss(
    "crossEntropy(x, target, weight: concatenate([1, 2, 0, 4, 0.5]))", x, classes,
    lambda a, b: functional.cross_entropy(a, b, weight=counts, reduction="none").mean())
loss("crossEntropy(x, target, smoothing: 0.125)", x, classes, lambda a, b: functional.cross_entropy(a, b, label_smoothing=0.125))
likely = torch.softmax(numbers(4, 5), dim=-1)
likely = torch.round(likely * 4096) / 4096
loss("crossEntropy(x, target)", x, likely, functional.cross_entropy)
loss("esr(x, target)", x, y, lambda a, b: ((b - a) ** 2).sum() / (b**2).sum())


def emphasized(v):
    return v - 0.75 * functional.pad(v, (1, 0))[:, :-1]


loss("esr(x, target, preEmphasis: 0.75)", x, y, lambda a, b: (emphasized(b - a) ** 2).sum() / (emphasized(b) ** 2).sum())

optimizers = []


def optimizer(name, make, clip=None, steps=8, schedule=None, batches=1):
    """Weights after each step, with the gradients of so many batches before it."""
    p = numbers(6).requires_grad_()
    start = p.detach().tolist()
    rule = make([p])
    rate = schedule and schedule(rule)
    gradients, results = [], []
    for _ in range(steps):
        rule.zero_grad()
        for _ in range(batches):
            g = numbers(6)
            gradients.append(g.tolist())
            (p * g).sum().backward()
        if clip == "norm":
            torch.nn.utils.clip_grad_norm_([p], 1.5)
        if clip == "value":
            torch.nn.utils.clip_grad_value_([p], 0.5)
        rule.step()
        if rate:
            rate.step()
        results.append(p.detach().tolist())
    optimizers.append({"name": name, "start": start, "gradients": gradients, "results": results})


optimizer("sgd", lambda p: torch.optim.SGD(p, lr=0.1))
optimizer("momentum", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.75, weight_decay=0.125))
optimizer("nesterov", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.75, nesterov=True))
optimizer("adamW", lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.25))
optimizer("clippedNorm", lambda p: torch.optim.SGD(p, lr=0.1), clip="norm")
optimizer("clippedValue", lambda p: torch.optim.SGD(p, lr=0.1), clip="value")


def multi_stft(x, target, sizes, hops, windows):
    """auraloss.freq.MultiResolutionSTFTLoss with its defaults: spectral convergence and logarithms, eps 1e-8."""
    total = 0
    for size, hop, length in zip(sizes, hops, windows):
        window = torch.hann_window(length)

        def magnitude(v):
            z = torch.stft(v, size, hop, length, window, return_complex=True)
            return torch.sqrt(torch.clamp(z.real**2 + z.imag**2, min=1e-8))

        a, b = magnitude(x), magnitude(target)
        convergence = torch.norm(b - a, p="fro", dim=[-1, -2]) / torch.norm(b, p="fro", dim=[-1, -2])
        total = total + convergence.mean() + functional.l1_loss(a.log(), b.log())
    return total / len(sizes)


x, y = numbers(2, 96), numbers(2, 96)
loss("multiSTFT(x, target, sizes: [32, 48], hops: [8, 10], windowSizes: [24, 40])", x, y, lambda a, b: multi_stft(a, b, [32, 48], [8, 10], [24, 40]))
loss("multiSTFT(x, target, sizes: 64)", x, y, lambda a, b: multi_stft(a, b, [64], [16], [64]))

# At rest, where heads begin that are zeros.
rest = torch.tensor([[0.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
some = torch.tensor([[0.25, 1.0, 0.0], [0.5, -0.75, 0.125]])
loss("bceWithLogits(x, target)", rest, some.abs(), functional.binary_cross_entropy_with_logits)
loss("cosineDistance(x, target)", rest, some, lambda a, b: (1 - functional.cosine_similarity(a, b, dim=-1)).mean())
for name in ["softplus", "mish", "elu", "celu", "selu"]:
    loss(f"mse({name}(x), target)", rest, some, lambda a, b: functional.mse_loss(getattr(functional, name)(a), b))

def warmed_cosine(rule):
    """Three steps of a warm-up, then five of half a cosine down to a tenth."""
    warmup, cosine = rates.LinearLR(rule, 1 / 3, 1, total_iters=2), rates.CosineAnnealingLR(rule, 5, eta_min=0.001)
    return rates.SequentialLR(rule, [warmup, cosine], milestones=[3])


optimizer("linear", lambda p: torch.optim.SGD(p, lr=0.1), schedule=lambda r: rates.LinearLR(r, 1, 0.25, total_iters=5))
optimizer(
    "steps", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.75), schedule=lambda r: rates.StepLR(r, 3, gamma=0.5))
optimizer("warmedCosine", lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.25), schedule=warmed_cosine)
optimizer("accumulated", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.75), batches=2)

networks = []
BATCH, WINDOW, WARMUP = 2, 24, 12


def network(name, graph, net, arrays, forward):
    """The graph of a model of ours, and the gradients of its weights, each called as the array of PyTorch that it is."""
    for parameter in net.parameters():
        parameter.data = numbers(*parameter.shape, low=-0.75, high=0.75)
    sound, target = numbers(BATCH, 1, WINDOW + WARMUP, low=-1, high=1), numbers(BATCH, 1, WINDOW, low=-1, high=1)
    value = functional.mse_loss(forward(sound)[..., WARMUP:], target)
    value.backward()
    model = {
        "legato": 1, "name": name, "inputs": {"src": {"shape": [1, "frames"]}},
        "weights": {ours: net.get_parameter(theirs).tolist() for ours, theirs in arrays.items()},
        "graph": graph, "outputs": ["y"]}
    networks.append(
        {
            "name": name,
            "model": json.dumps(model),
            "window": WINDOW,
            "warmup": WARMUP,
            "sounds": sound.flatten(1).tolist(),
            "targets": target.flatten(1).tolist(),
            "value": value.item(),
            "gradients": {
                ours: net.get_parameter(theirs).grad.flatten().tolist() for ours, theirs in arrays.items()},
        }
    )


lstm = nn.ModuleDict({"lstm": nn.LSTM(1, 5, batch_first=True), "head": nn.Linear(5, 1)})
network(
    "LSTM",
    {"h": "lstm(src, 'weight', 'recurrent', 'bias', 'recurrentBias')", "y": "dense(h, 'head.weight', 'head.bias')"},
    lstm,
    {
        "weight": "lstm.weight_ih_l0", "recurrent": "lstm.weight_hh_l0", "bias": "lstm.bias_ih_l0",
        "recurrentBias": "lstm.bias_hh_l0", "head.weight": "head.weight", "head.bias": "head.bias",
    },
    lambda sound: lstm["head"](lstm["lstm"](sound.transpose(1, 2))[0]).transpose(1, 2))

# Two gated layers of three channels, with residual and skip connections (van den Oord et al. 2016).
DILATIONS = [1, 4]
wavenet = nn.ModuleDict({"in": nn.Conv1d(1, 3, 1, bias=False), "head": nn.Conv1d(3, 1, 1)})
graph, skips = {"x0": "conv1d(src, 'in.weight')"}, []
for row, dilation in enumerate(DILATIONS):
    wavenet[f"conv{row}"] = nn.Conv1d(3, 6, 3, dilation=dilation)
    wavenet[f"mixin{row}"] = nn.Conv1d(1, 6, 1, bias=False)
    wavenet[f"back{row}"] = nn.Conv1d(3, 3, 1)
    graph[f"a{row}"] = (
        f"conv1d(x{row}, 'conv{row}.weight', 'conv{row}.bias', dilation: {dilation}) + conv1d(src, 'mixin{row}.weight')")
    graph[f"z{row}"] = f"gated(a{row})"
    graph[f"x{row + 1}"] = f"x{row} + conv1d(z{row}, 'back{row}.weight', 'back{row}.bias')"
    skips.append(f"z{row}")
graph["y"] = f"conv1d({' + '.join(skips)} + x{len(DILATIONS)}, 'head.weight', 'head.bias')"


def waves(sound):
    x, skipped = wavenet["in"](sound), 0
    for row, dilation in enumerate(DILATIONS):
        a = wavenet[f"conv{row}"](functional.pad(x, (2 * dilation, 0))) + wavenet[f"mixin{row}"](sound)
        z = torch.tanh(a[:, :3]) * torch.sigmoid(a[:, 3:])
        x, skipped = x + wavenet[f"back{row}"](z), skipped + z
    return wavenet["head"](skipped + x)


network("WaveNet", graph, wavenet, {name: name for name, _ in wavenet.named_parameters()}, waves)

path = pathlib.Path(__file__).with_name("reference.json")
kinds = {"losses": losses, "optimizers": optimizers, "networks": networks}
path.write_text(
    "{" + ",\n".join(
        f'"{kind}": [\n' + ",\n".join(json.dumps(entry) for entry in entries) + "\n]"
        for kind, entries in kinds.items()) + "}\n")

