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

FRAMES, END, TOLERANCE = 3840, 256, 1e-6


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


class Encoder(nn.Module):
    """Strided convolutions and pools: one number for 24 frames, as of a detector of voices."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(1, 6, 5, stride=2, padding=2), nn.Conv1d(6, 8, 4, stride=3, padding=(1,))
        self.layer, self.head = nn.GRU(8, 6, batch_first=True), nn.Linear(6, 1)

    def forward(self, x):
        y = functional.max_pool1d(self.first(x), 3, 2, 1)
        y = functional.avg_pool1d(torch.tanh(self.second(functional.pad(y, (1, 0)))), 2)
        y, _ = self.layer(y.transpose(1, 2))
        return torch.sigmoid(self.head(y)).transpose(1, 2)


class Wave(nn.Module):
    """A U-Net over time, down to an eighth and up again, with skips that are cut and joined."""

    def __init__(self, isRepeating):
        super().__init__()
        self.isRepeating = isRepeating
        sizes = [1, 6, 8, 10]
        self.down = nn.ModuleList([nn.Conv1d(a, b, 5, stride=1, padding=2) for a, b in zip(sizes, sizes[1:])])
        self.middle = nn.Conv1d(10, 10, 3, padding=1)
        self.up = nn.ModuleList([nn.Conv1d(a + b, c, 5, padding=2) for a, b, c in ((10, 10, 8), (8, 8, 6), (6, 6, 4))])
        self.spread = nn.ModuleList([nn.ConvTranspose1d(c, c, 4, stride=2, padding=1) for c in (10, 8, 6)])
        self.head = nn.Conv1d(4, 1, 1)

    def forward(self, x):
        y, skips = x, []
        for layer in self.down:
            y = torch.tanh(layer(y))
            skips.append(y)
            y = y[..., ::2] if self.isRepeating else functional.avg_pool1d(y, 2)
        y = torch.tanh(self.middle(y))
        for layer, spread, skip in zip(self.up, self.spread, reversed(skips)):
            y = functional.interpolate(y, scale_factor=2, mode="nearest") if self.isRepeating else spread(y)
            y = torch.tanh(layer(torch.cat([y[..., : skip.shape[-1]], skip], 1)))
        return self.head(y)


class Demucs(nn.Module):
    """Strided encoders with gated layers, an LSTM, and decoders that add the skips, as the causal denoiser has them."""

    def __init__(self):
        super().__init__()
        self.encoders, self.decoders = nn.ModuleList(), nn.ModuleList()
        channels, hidden = 1, 4
        for index in range(3):
            self.encoders.append(
                nn.Sequential(nn.Conv1d(channels, hidden, 8, 4 if index < 2 else 2), nn.ReLU(), nn.Conv1d(hidden, 2 * hidden, 1), nn.GLU(1)))
            decoder = [nn.Conv1d(hidden, 2 * hidden, 1), nn.GLU(1), nn.ConvTranspose1d(hidden, channels, 8, 4 if index < 2 else 2)]
            self.decoders.insert(0, nn.Sequential(*decoder, *([nn.ReLU()] if index else [])))
            channels, hidden = hidden, 2 * hidden
        self.layer = nn.LSTM(channels, channels, 2)

    def forward(self, x):
        length = x.shape[-1]
        y, skips = functional.pad(x, (0, 64)), []
        for encoder in self.encoders:
            y = encoder(y)
            skips.append(y)
        y, _ = self.layer(y.permute(2, 0, 1))
        y = y.permute(1, 2, 0)
        for decoder in self.decoders:
            skip = skips.pop()
            y = decoder(y + skip[..., : y.shape[-1]])
        return y[..., :length]


class TasNet(nn.Module):
    """Stretches of 16 a half apart, a mask by dilated convolutions, and stretches that overlap."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, 12, 16, 8, bias=False), nn.ConvTranspose1d(12, 1, 16, 8, bias=False)
        self.norm, self.front = nn.LayerNorm(12), nn.Conv1d(12, 8, 1)
        self.layers = nn.ModuleList([nn.Conv1d(8, 8, 3, dilation=2**i, padding=2**i, groups=8) for i in range(3)])
        self.slope, self.mask = nn.PReLU(), nn.Conv1d(8, 12, 1)

    def forward(self, x):
        code = torch.relu(self.encoder(x))
        y = self.front(self.norm(code.transpose(1, 2)).transpose(1, 2))
        for layer in self.layers:
            y = y + self.slope(layer(y))
        return self.decoder(code * torch.sigmoid(self.mask(y)))


class Patches(nn.Module):
    """Frames in groups of 10, each a vector, an LSTM over them, and frames again."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.LSTM(10, 12, batch_first=True), nn.Linear(12, 10)

    def forward(self, x):
        y, _ = self.layer(x.reshape(1, -1, 10))
        return self.head(y).reshape(1, 1, -1)


class Spectral(nn.Module):
    """Convolutions with a stride along time and along frequencies, and back, over [batch, 1, time, frequencies]."""

    def __init__(self):
        super().__init__()
        self.front, self.back = nn.Conv2d(1, 4, (3, 3), (2, 2), (1, 1)), nn.ConvTranspose2d(4, 1, (2, 4), (2, 2), (0, 1))

    def forward(self, x):
        return x * torch.sigmoid(self.back(torch.tanh(self.front(x))))


def networks():
    """Name, what makes the network, shapes of the inputs, and the axis of time."""
    state = [1, 1, 16]
    for padding in ("causal", "same", "none"):
        yield f"convolutions, {padding}", lambda: Convolutions(padding), [[1, 1, FRAMES]], 2
    yield "convolution without padding, LSTM", Late, [[1, 1, FRAMES]], 2
    yield "LSTM", Amplifier, [[1, FRAMES, 1]], 1
    yield "LSTM with its state", Amplifier, [[1, FRAMES, 1], state, state], 1
    yield "convolution, GRU, norms", Denoiser, [[1, 2, FRAMES]], 2
    yield "mask over frequencies", Mask, [[1, 1, FRAMES, 16]], 2
    yield "strided encoder, GRU", Encoder, [[1, 1, FRAMES]], 2
    yield "U-Net, transposed convolutions", lambda: Wave(False), [[1, 1, FRAMES]], 2
    yield "U-Net, repeated frames", lambda: Wave(True), [[1, 1, FRAMES]], 2
    yield "encoder, LSTM, decoder", Demucs, [[1, 1, FRAMES]], 2
    yield "stretches of 16 that overlap", TasNet, [[1, 1, FRAMES]], 2
    yield "groups of 10, LSTM", Patches, [[1, 1, FRAMES]], 2
    yield "strides over frequencies as well", Spectral, [[1, 1, FRAMES, 16]], 2


def rows(array, axis):
    return np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])


def compare(legato, folder, make, shapes, axis):
    torch.manual_seed(5)
    network = make()
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
    # Behind a stride one frame stands for several: those of which twice the stretch has one more.
    twice = session.run(["y"], {**given, "x": np.concatenate([given["x"]] * 2, axis)})[0]
    hop = FRAMES // (twice.shape[axis] - whole.shape[axis])
    # Where frames are missing, a stretch begins with so much silence.
    silence = list(shapes[0])
    silence[axis] = max(0, FRAMES - whole.shape[axis] * hop)
    given["x"] = np.concatenate([np.zeros(silence, np.float32), given["x"]], axis)
    whole = session.run(["y"], given)[0]
    write_wave(folder / "in.wav", rows(arguments[0].numpy(), axis))
    states = ["--state", "h:hn", "--state", "c:cn"] if len(names) > 1 else []
    done = subprocess.run(
        [legato, "process", file, "--stream", "x", *states, folder / "in.wav", folder / "out.wav", "--force", "--bits", "float"],
        capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    theirs, ours = rows(whole, axis).repeat(hop, 1)[:, :FRAMES], read_wave(folder / "out.wav")
    inside = slice(None, -END)
    return np.abs(ours - theirs)[:, inside].max() / np.abs(theirs).max()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make, shapes, axis in networks():
            worst = compare(sys.argv[1], pathlib.Path(folder), make, shapes, axis)
            print(f"{name:34} {worst if isinstance(worst, str) else format(worst, '.1e')}", flush=True)
            if isinstance(worst, str) or worst > TOLERANCE:
                failed.append(name)
    if failed:
        sys.exit(f"further off than {TOLERANCE}: {', '.join(failed)}")


if __name__ == "__main__":
    main()
