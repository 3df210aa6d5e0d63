# SPDX-License-Identifier: Apache-2.0
"""Networks over stretches of sound, as effects: what Legato makes frame by frame, and ONNX Runtime of the whole.

    python Tests/ONNX/streamed.py .build/release/legato      needs: pip install onnx onnxruntime numpy torch

Each network is exported by PyTorch with an axis of time that has no length, and with random weights. What is printed is the
largest difference, relative to the largest number of the output; behind the end of a file, where a network looks ahead, zeros
of its own padding are something else than silence that comes in, and are not compared.
"""

import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch
from torch import nn
from torch.nn import functional

from streams import read_wave, write_wave

FRAMES, TOLERANCE = 3000, 1e-6


class Convolutions(nn.Module):
    """Dilated convolutions with residuals, as WaveNet has them."""

    def __init__(self, padding):
        super().__init__()
        self.padding = padding
        self.layers = nn.ModuleList([nn.Conv1d(8 if i else 1, 8, 3, dilation=2**i) for i in range(5)])
        self.head = nn.Conv1d(8, 1, 1)

    def forward(self, x):
        for index, layer in enumerate(self.layers):
            span = 2 * 2**index
            before = {"causal": span, "same": span // 2, "none": 0}[self.padding]
            after = span - before if self.padding == "same" else 0
            y = torch.tanh(layer(functional.pad(x, (before, after))))
            x = y + x[..., -y.shape[-1] :] if index else y
        return self.head(x)


class Amplifier(nn.Module):
    """An LSTM of [batch, time, 1] whose state is given, or not."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, x, h=None, c=None):
        y, (hn, cn) = self.layer(x, None if h is None else (h, c))
        return (self.head(y) + x, hn, cn) if h is not None else self.head(y) + x


class Late(nn.Module):
    """An LSTM behind a convolution that has no padding."""

    def __init__(self):
        super().__init__()
        self.front, self.layer, self.head = nn.Conv1d(1, 6, 9), nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, x):
        y, _ = self.layer(torch.tanh(self.front(x)).transpose(1, 2))
        return self.head(y).transpose(1, 2)


class Denoiser(nn.Module):
    """Convolutions that look ahead, two GRUs, and norms over the channels."""

    def __init__(self):
        super().__init__()
        self.front, self.norm = nn.Conv1d(2, 6, 5, padding=2), nn.BatchNorm1d(6)
        self.layer, self.scale, self.head = nn.GRU(6, 7, 2, batch_first=True), nn.LayerNorm(7), nn.Linear(7, 2)

    def forward(self, x):
        y, _ = self.layer(torch.relu(self.norm(self.front(x))).transpose(1, 2))
        return self.head(self.scale(y)).transpose(1, 2)


class Mask(nn.Module):
    """A mask over [batch, 1, time, frequencies]."""

    def __init__(self):
        super().__init__()
        self.front, self.slope, self.head = nn.Conv2d(1, 4, 3), nn.PReLU(4), nn.Conv2d(4, 1, (1, 3), padding=(0, 1))

    def forward(self, x):
        return torch.sigmoid(self.head(self.slope(self.front(functional.pad(x, (1, 1, 2, 0)))))) * x


def networks():
    """Name, network, shapes of the inputs, and the axis of time."""
    state = [1, 1, 16]
    for padding in ("causal", "same", "none"):
        yield f"convolutions, {padding}", Convolutions(padding), [[1, 1, FRAMES]], 2
    yield "convolution without padding, LSTM", Late(), [[1, 1, FRAMES]], 2
    yield "LSTM", Amplifier(), [[1, FRAMES, 1]], 1
    yield "LSTM with its state", Amplifier(), [[1, FRAMES, 1], state, state], 1
    yield "convolution, GRU, norms", Denoiser(), [[1, 2, FRAMES]], 2
    yield "mask over frequencies", Mask(), [[1, 1, FRAMES, 16]], 2


def rows(array, axis):
    return np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])


def compare(legato, folder, network, shapes, axis):
    arguments = [torch.randn(shapes[0]) / 2, *[torch.zeros(shape) for shape in shapes[1:]]]
    names = ["x", "h", "c"][: len(arguments)]
    file = folder / "net.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(), tuple(arguments), str(file), input_names=names, output_names=["y", "hn", "cn"][: len(names)],
            dynamic_axes={"x": {axis: "time"}}, opset_version=17, dynamo=False)
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    given = {name: value.numpy() for name, value in zip(names, arguments)}
    whole = session.run(["y"], given)[0]
    # Where frames are missing, a stretch begins with so much silence.
    silence = list(shapes[0])
    silence[axis] = FRAMES - whole.shape[axis]
    given["x"] = np.concatenate([np.zeros(silence, np.float32), given["x"]], axis)
    whole = session.run(["y"], given)[0]
    write_wave(folder / "in.wav", rows(arguments[0].numpy(), axis))
    states = ["--state", "h:hn", "--state", "c:cn"] if len(names) > 1 else []
    done = subprocess.run(
        [legato, "process", file, "--stream", "x", *states, folder / "in.wav", folder / "out.wav", "--force", "--bits", "float"],
        capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    theirs, ours = rows(whole, axis), read_wave(folder / "out.wav")
    inside = slice(None, -64)
    return np.abs(ours - theirs)[:, inside].max() / np.abs(theirs).max()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.manual_seed(1)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, network, shapes, axis in networks():
            worst = compare(sys.argv[1], pathlib.Path(folder), network, shapes, axis)
            print(f"{name:34} {worst if isinstance(worst, str) else format(worst, '.1e')}", flush=True)
            if isinstance(worst, str) or worst > TOLERANCE:
                failed.append(name)
    if failed:
        sys.exit(f"further off than {TOLERANCE}: {', '.join(failed)}")


if __name__ == "__main__":
    main()
