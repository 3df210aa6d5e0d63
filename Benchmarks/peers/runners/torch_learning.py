# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's rounds of learning: forward, backward, update; prints the nanoseconds of each as JSON.

torch_learning.py SECONDS THREADS: as long as each is measured, and on so many threads; on more than one the long rounds only.
The networks and the names are those of `legato-bench --filter "learn "`. The head is updated by SGD, the others by AdamW.
"""

import json
import sys

import torch
from torch import nn

from rounds import time

SECONDS, THREADS = float(sys.argv[1]), int(sys.argv[2])
ON_THREADS = {1: "", 2: ", on two threads"}[THREADS]
# Those that legato-bench has no row of on two threads.
SHORT = ("learn a head of 256 to 2, a batch of 2", "learn an LSTM 16, 4800 frames, a batch of 1")

torch.set_num_threads(THREADS)


class Head(nn.Linear):
    def __init__(self):
        super().__init__(256, 2)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.dense = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, x):
        return self.dense(self.lstm(x)[0])


class LayerArray(nn.Module):
    """Dilated convolutions, what goes around them, and the sum of their activations."""

    def __init__(self, inputs, channels, outputs, bias):
        super().__init__()
        dilations = [1 << power for power in range(10)]
        self.rechannel = nn.Conv1d(inputs, channels, 1, bias=False)
        self.convolutions = nn.ModuleList(nn.Conv1d(channels, channels, 3, dilation=d) for d in dilations)
        self.mixins = nn.ModuleList(nn.Conv1d(1, channels, 1, bias=False) for _ in dilations)
        self.backs = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in dilations)
        self.head = nn.Conv1d(channels, outputs, 1, bias=bias)

    def forward(self, x, condition, head):
        y = self.rechannel(x)
        for convolution, mixin, back in zip(self.convolutions, self.mixins, self.backs):
            z = convolution(y)
            z = torch.tanh(z + mixin(condition)[..., -z.shape[-1]:])
            head = z if head is None else head[..., -z.shape[-1]:] + z
            y = y[..., -z.shape[-1]:] + back(z)
        return y, self.head(head)


class Capture(nn.Module):
    """NAM A1 standard; each layer gives the frames that have all of their past, and no more."""

    def __init__(self):
        super().__init__()
        self.arrays = nn.ModuleList([LayerArray(1, 16, 8, False), LayerArray(16, 8, 1, True)])

    def forward(self, x):
        y, head = x, None
        for array in self.arrays:
            y, head = array(y, x, head)
        return 0.02 * head


class Pictures(nn.Sequential):
    def __init__(self):
        layers = [nn.Conv2d(3, 32, 3, padding=1), nn.ReLU6()]
        for inputs, outputs, stride in ((32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1)):
            layers += [nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs), nn.ReLU6(),
                       nn.Conv2d(inputs, outputs, 1), nn.ReLU6()]
        super().__init__(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))


def round_of(model, x, target, loss, optimizer):
    def round_():
        optimizer.zero_grad()
        loss(model(x), target).backward()
        optimizer.step()

    return round_


def rounds():
    """By the names of legato-bench's rows."""
    def adam(model, x, target, loss):
        return round_of(model, x, target, loss, torch.optim.AdamW(model.parameters(), 1e-6))

    head = Head()
    labels = torch.tensor([0, 1])
    yield "learn a head of 256 to 2, a batch of 2", round_of(
        head, torch.randn(2, 256), labels, nn.functional.cross_entropy, torch.optim.SGD(head.parameters(), 1e-6))
    for batch in (1, 16):
        yield f"learn an LSTM 16, 4800 frames, a batch of {batch}", adam(
            Recurrent(), torch.randn(batch, 4800, 1), torch.randn(batch, 4800, 1), nn.functional.mse_loss)
    past = 2 * (3 - 1) * 1023
    yield "learn a NAM A1 standard, 8192 frames, a batch of 4", adam(
        Capture(), torch.randn(4, 1, 8192 + past), torch.randn(4, 1, 8192), nn.functional.mse_loss)
    yield "learn an image classifier, 32 x 32, a batch of 32", adam(
        Pictures(), torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,)), nn.functional.cross_entropy)


print(json.dumps({"version": torch.__version__, "rounds": {
    name + ON_THREADS: time(call, SECONDS) for name, call in rounds() if THREADS == 1 or name not in SHORT}}))
