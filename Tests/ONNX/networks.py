# SPDX-License-Identifier: Apache-2.0
"""Whole networks, as PyTorch exports them, run by ONNX Runtime and by Legato.

    python Tests/ONNX/networks.py .build/release/legato [--filter resnet] [--exporter older] [--keep FOLDER] [--json FILE]

Each network has random weights, the same in each run, and is exported by both exporters of PyTorch. What is printed: the
nodes of the file, the largest difference relative to the largest number of the output, what is allowed of it, the seconds
of `legato run` with one step and nothing in its cache, of which nearly all is compiling, and the milliseconds of a step
beside ONNX Runtime's with one thread: what each further step takes, in which its results are kept for a file, too. Allowed
are 2e-6, or 4 times as much as ONNX Runtime's own optimisations change.

Needs: pip install torch onnx onnxscript onnxruntime numpy
"""

import argparse
import collections
import contextlib
import io
import json
import logging
import math
import pathlib
import sys
import tempfile
import warnings

import onnxruntime
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from beside import compare  # noqa: E402

EXPORTERS = ("older", "new")


class Tagger(nn.Module):
    """A class for each word: an embedding and two bidirectional LSTMs."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(2000, 64)
        self.lstm = nn.LSTM(64, 96, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(192, 17)

    def forward(self, tokens):
        return self.head(self.lstm(self.words(tokens))[0]).log_softmax(-1)


class Encoder(nn.Module):
    """Three GRUs over frames of features, which go on from a state."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(40, 256, num_layers=3)

    def forward(self, features, state):
        return self.gru(features, state)


class Transformer(nn.Module):
    """Attention to what came before and is not padding."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)

    def forward(self, x, padding):
        length = x.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.layers(x, mask=later, src_key_padding_mask=padding, is_causal=True)


def convolution(a, b, size=3, stride=1, groups=1, activation=nn.ReLU):
    """A convolution with a batch norm."""
    layers = [nn.Conv2d(a, b, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(b)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class Residual(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.body = nn.Sequential(convolution(a, b, stride=stride), convolution(b, b, activation=None))
        self.across = convolution(a, b, 1, stride, activation=None) if a != b else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.across(x))


def resnet():
    blocks = [Residual(a, b, 1 + (a != b)) for a, b in
              [(32, 32), (32, 32), (32, 64), (64, 64), (64, 128), (128, 128), (128, 256), (256, 256)]]
    return nn.Sequential(convolution(3, 32, 7, 2), nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(256, 100))


class Squeezed(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(a, a // 4, 1), nn.ReLU(), nn.Conv2d(a // 4, a, 1),
                                   nn.Hardsigmoid())

    def forward(self, x):
        return x * self.weigh(x)


class Inverted(nn.Module):
    """Wide in the middle, each channel by itself there."""

    def __init__(self, a, b, size, stride, activation, weighs):
        super().__init__()
        wide = 4 * a
        self.body = nn.Sequential(
            convolution(a, wide, 1, activation=activation), convolution(wide, wide, size, stride, wide, activation),
            *([Squeezed(wide)] if weighs else []), convolution(wide, b, 1, activation=None))
        self.goes_around = a == b and stride == 1

    def forward(self, x):
        return x + self.body(x) if self.goes_around else self.body(x)


def mobilenet():
    return nn.Sequential(
        convolution(3, 16, 3, 2, activation=nn.Hardswish),
        Inverted(16, 16, 3, 1, nn.ReLU6, False), Inverted(16, 24, 3, 2, nn.ReLU6, False),
        Inverted(24, 24, 3, 1, nn.ReLU6, False), Inverted(24, 40, 5, 2, nn.ReLU6, True),
        Inverted(40, 40, 5, 1, nn.ReLU6, True), Inverted(40, 80, 3, 2, nn.Hardswish, False),
        Inverted(80, 80, 3, 1, nn.Hardswish, True), Inverted(80, 112, 5, 2, nn.Hardswish, True),
        convolution(112, 448, 1, activation=nn.Hardswish), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(448, 256), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(256, 100), nn.Softmax(-1))


class TimeUNet(nn.Module):
    """Down by strides, up by transposed convolutions, and across by joining."""

    def __init__(self):
        super().__init__()
        widths = [1, 16, 32, 64, 96]
        self.down = nn.ModuleList(nn.Sequential(nn.Conv1d(a, b, 8, 4, 2), nn.ReLU(), nn.Conv1d(b, 2 * b, 1), nn.GLU(1))
                                  for a, b in zip(widths, widths[1:]))
        self.middle = nn.LSTM(96, 48, bidirectional=True, batch_first=True)
        self.up = nn.ModuleList(
            nn.Sequential(nn.Conv1d(2 * b, 2 * b, 3, padding=1), nn.GLU(1), nn.ConvTranspose1d(b, a, 8, 4, 2), nn.LeakyReLU(0.2))
            for a, b in reversed(list(zip(widths, widths[1:]))))

    def forward(self, x):
        deviation = x.std(-1, keepdim=True) + 1e-5
        x, passed = x / deviation, []
        for layer in self.down:
            x = layer(x)
            passed.append(x)
        x = self.middle(x.transpose(1, 2))[0].transpose(1, 2)
        for layer in self.up:
            x = layer(torch.cat([x, passed.pop()], 1))
        return x * deviation


class Separator(nn.Module):
    """Conv-TasNet: a learned transform, dilated blocks that make masks, and the transform back."""

    class Block(nn.Module):
        def __init__(self, a, b, dilation):
            super().__init__()
            self.body = nn.Sequential(nn.Conv1d(a, b, 1), nn.PReLU(), nn.GroupNorm(1, b),
                                      nn.Conv1d(b, b, 3, padding=dilation, dilation=dilation, groups=b), nn.PReLU(),
                                      nn.GroupNorm(1, b))
            self.on, self.out = nn.Conv1d(b, a, 1), nn.Conv1d(b, a, 1)

        def forward(self, x):
            y = self.body(x)
            return x + self.on(y), self.out(y)

    def __init__(self, speakers=2, bases=128):
        super().__init__()
        self.speakers = speakers
        self.encoder, self.decoder = nn.Conv1d(1, bases, 16, 8, bias=False), nn.ConvTranspose1d(bases, 1, 16, 8, bias=False)
        self.norm, self.narrow = nn.GroupNorm(1, bases), nn.Conv1d(bases, 64, 1)
        self.blocks = nn.ModuleList(self.Block(64, 128, 2**row) for _ in range(2) for row in range(6))
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(64, speakers * bases, 1), nn.Sigmoid())

    def forward(self, sound):
        code = F.relu(self.encoder(sound))
        x, sum = self.narrow(self.norm(code)), 0
        for block in self.blocks:
            x, out = block(x)
            sum = sum + out
        masked = code.unsqueeze(1) * self.masks(sum).unflatten(1, (self.speakers, -1))
        return self.decoder(masked.flatten(0, 1)).view(sound.shape[0], self.speakers, -1)


class Diffusion(nn.Module):
    """A level of a UNet of diffusion: residual blocks that are told the time, attention, half the size and back."""

    class Block(nn.Module):
        def __init__(self, a, b):
            super().__init__()
            self.first = nn.Sequential(nn.GroupNorm(8, a), nn.SiLU(), nn.Conv2d(a, b, 3, padding=1))
            self.time = nn.Sequential(nn.SiLU(), nn.Linear(128, b))
            self.second = nn.Sequential(nn.GroupNorm(8, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1))
            self.across = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

        def forward(self, x, time):
            return self.across(x) + self.second(self.first(x) + self.time(time)[:, :, None, None])

    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.norm = heads, nn.GroupNorm(8, width)
            self.into, self.out = nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1)

        def forward(self, x):
            b, c, h, w = x.shape
            q, k, v = self.into(self.norm(x)).view(b, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
            return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(b, c, h, w))

    def __init__(self, width=32):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 128))
        self.into = nn.Conv2d(4, width, 3, padding=1)
        self.before, self.inner = self.Block(width, width), self.Block(width, 2 * width)
        self.attention = self.Attention(2 * width, 4)
        self.shrink = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.grow = nn.Conv2d(2 * width, width, 3, padding=1)
        self.after = self.Block(2 * width, width)
        self.out = nn.Sequential(nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, 4, 3, padding=1))

    def forward(self, x, time):
        angles = time[:, None].float() * torch.exp(torch.arange(32) * (-math.log(10000) / 32))
        time = self.time(torch.cat([angles.cos(), angles.sin()], -1))
        x = self.before(self.into(x), time)
        y = self.attention(self.inner(self.shrink(x), time))
        y = self.grow(F.interpolate(y, scale_factor=2, mode="nearest"))
        return self.out(self.after(torch.cat([x, y], 1), time))


class Sentence(nn.Module):
    """BERT with six layers of 384, and the mean over the words, of length 1."""

    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.first, self.second = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

        def forward(self, x, mask):
            q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
            weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask).softmax(-1)
            x = self.first(x + self.out((weights @ v).transpose(1, 2).flatten(2)))
            return self.second(x + self.narrow(F.gelu(self.wide(x))))

    def __init__(self, width=384):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(30522, width), nn.Embedding(512, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(self.Layer(width, 12) for _ in range(6))

    def forward(self, tokens, mask):
        places = torch.arange(tokens.shape[1], device=tokens.device)[None]
        x = self.norm(self.words(tokens) + self.places(places) + self.kinds(torch.zeros_like(tokens)))
        away = (1 - mask[:, None, None].float()) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, away)
        weights = mask[..., None].float()
        return F.normalize((x * weights).sum(1) / weights.sum(1).clamp(min=1e-9), dim=-1)


class Tied(nn.Module):
    """As many words as GPT-2 has, whose embedding is the last layer, too: an array of more than 2^24 numbers. How far the
    likeliest word is ahead of all."""

    def __init__(self, words=50257, width=768):
        super().__init__()
        self.words, self.norm = nn.Embedding(words, width), nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, tokens):
        x = self.norm(self.words(tokens))
        scores = F.linear(x + self.narrow(F.gelu(self.wide(x))), self.words.weight)
        return scores.amax(-1) - scores.mean(-1)


# The module, its inputs by name, the names of axes that the file leaves open, and those of outputs.
Network = collections.namedtuple("Network", "make inputs open outputs", defaults=[{}, ["y"]])


def noise(*shape):
    return torch.randn(shape)


def mask(length, count):
    return (torch.arange(length) < count)[None]


NETWORKS = {
    "tagger": Network(Tagger, lambda: {"tokens": torch.randint(0, 2000, (1, 24))}, {"tokens": {1: "words"}}),
    "encoder": Network(Encoder, lambda: {"features": noise(160, 1, 40), "state": noise(3, 1, 256)}, outputs=["y", "last"]),
    "transformer": Network(Transformer, lambda: {"x": noise(1, 48, 128), "padding": ~mask(48, 41)}),
    "resnet": Network(resnet, lambda: {"input": noise(1, 3, 128, 128)}, {"input": {0: "batch"}}),
    "mobilenet": Network(mobilenet, lambda: {"input": noise(1, 3, 128, 128)}),
    "unet": Network(TimeUNet, lambda: {"x": noise(1, 1, 4096)}),
    "tasnet": Network(Separator, lambda: {"sound": noise(1, 1, 4000)}),
    "diffusion": Network(Diffusion, lambda: {"x": noise(1, 4, 32, 32), "time": torch.tensor([417])}),
    "sentence": Network(Sentence, lambda: {"tokens": torch.randint(0, 30522, (1, 32)), "mask": mask(32, 27).long()},
                        {"tokens": {1: "words"}, "mask": {1: "words"}}),
    "tied": Network(Tied, lambda: {"tokens": torch.randint(0, 50257, (1, 8))}, {"tokens": {1: "words"}}),
}


def seeded(make):
    """A module with weights that training might have left: norms, too, do something."""
    torch.manual_seed(1)
    module = make().eval()
    for part in module.modules():
        if isinstance(part, (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm)):
            nn.init.uniform_(part.weight, 0.7, 1.3)
            nn.init.normal_(part.bias, 0, 0.1)
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 2)
    return module


def export(module, network, inputs, is_new, path):
    """Open axes are as PyTorch's exporter takes them: by name for the older one, as a structure for the other."""
    more = {"input_names": list(inputs), "output_names": network.outputs, "dynamo": is_new}
    if not is_new:
        more["dynamic_axes"] = network.open
    elif network.open:
        more["dynamic_shapes"] = tuple(
            {axis: torch.export.Dim.DYNAMIC if name == "batch" else torch.export.Dim(name, min=2, max=500)
             for axis, name in network.open.get(port, {}).items()} for port in inputs)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        torch.onnx.export(module, tuple(inputs.values()), path, **more)


def check(legato, folder, name, network, is_new):
    """A row of the table: nodes, difference, what is allowed, seconds to the first step, of a step, of ONNX Runtime's."""
    module = seeded(network.make)
    inputs = network.inputs()
    path = folder / f"{name}-{'new' if is_new else 'old'}.onnx"
    export(module, network, inputs, is_new, path)
    return compare(legato, folder, path, {port: array.numpy() for port, array in inputs.items()})


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("legato", help="the command, such as .build/release/legato")
    options.add_argument("--filter", default="", help="a part of the names of the networks")
    options.add_argument("--exporter", choices=EXPORTERS, help="one of PyTorch's exporters (default: both)")
    options.add_argument("--keep", type=pathlib.Path, help="a folder for the files")
    options.add_argument("--json", type=pathlib.Path, help="the rows as JSON, too")
    options = options.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.backends.mha.set_fastpath_enabled(False)
    torch.set_num_threads(1)
    failed, rows = [], []
    print(f"{'network':12} {'exporter':8} {'nodes':>5} {'difference':>10} {'allowed':>8} {'first, s':>8} {'step, ms':>9} "
          f"{'ONNX Runtime':>12}")
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
        for name, network in NETWORKS.items():
            if options.filter not in name:
                continue
            for exporter in [options.exporter] if options.exporter else EXPORTERS:
                row = check(options.legato, options.keep or pathlib.Path(folder), name, network, exporter == "new")
                print(f"{name:12} {exporter:8} {row[0]:5} ", end="")
                reason = row[-1]
                if len(row) > 2:
                    apart, allowed, first, ours, theirs = row[1:-1]
                    print(f"{apart:10.1e} {allowed:8.1e} {first:8.2f} {1000 * ours:9.3f} {1000 * theirs:12.3f}", flush=True)
                    rows.append({"network": name, "exporter": exporter, "seconds": ours, "theirSeconds": theirs})
                if reason:
                    print(f"  {reason}", flush=True)
                    failed.append(f"{name} ({exporter})")
    if options.json:
        options.json.write_text(json.dumps({"runtime": onnxruntime.__version__, "rows": rows}, indent=1) + "\n")
    if failed:
        sys.exit(f"refused, or further off than allowed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
