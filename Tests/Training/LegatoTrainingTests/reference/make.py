#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Losses and optimizers as PyTorch computes them, in double precision; what the tests compare Legato's with.

    python3 Tests/Training/LegatoTrainingTests/reference/make.py        (PyTorch 2.13)

writes reference.json beside itself: losses with their values and gradients, and weights after steps of optimizers.
"""

import json
import pathlib

import torch
from torch.nn import functional

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


def optimizer(name, make, clip=None, steps=8):
    p = numbers(6).requires_grad_()
    start = p.detach().tolist()
    rule = make([p])
    gradients, results = [], []
    for _ in range(steps):
        g = numbers(6)
        gradients.append(g.tolist())
        p.grad = g.clone()
        if clip == "norm":
            torch.nn.utils.clip_grad_norm_([p], 1.5)
        if clip == "value":
            torch.nn.utils.clip_grad_value_([p], 0.5)
        rule.step()
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

path = pathlib.Path(__file__).with_name("reference.json")
lines = [json.dumps(entry) for entry in losses]
more = [json.dumps(entry) for entry in optimizers]
path.write_text('{"losses": [\n' + ",\n".join(lines) + '\n],\n"optimizers": [\n' + ",\n".join(more) + "\n]}\n")
