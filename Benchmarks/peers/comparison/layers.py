# SPDX-License-Identifier: Apache-2.0
"""Layers with random weights, where ONNX Runtime is at home; the same weights in both."""

import json
from pathlib import Path

import numpy as np

from .contender import Key, Times
from .legato import NAME, Library
from .onnx_file import OnnxGraph
from .onnx_runtime import Model, OnnxRuntime
from .programs import BUILD

SEED = 4
FRAMES = 128
BLOCKS = 64
CHANNELS = 16
DILATIONS = (1, 2, 4, 8, 16)
KERNEL = 3
# How many earlier frames the stack hears.
HISTORY = (KERNEL - 1) * sum(DILATIONS)
WIDTH, DEPTH = 64, 3

STACK = "conv stack, 5 layers of 16 channels"
DENSE = "dense stack, 3 layers of 64"


def _legato_model(path: Path, rows: int, graph: dict[str, str], weights: dict[str, np.ndarray]) -> Path:
    path.write_text(json.dumps({
        "legato": 1, "name": path.stem, "inputs": {"src": {"shape": [rows, "frames"]}}, "graph": graph,
        "weights": {name: array.tolist() for name, array in weights.items()}, "outputs": ["dst"]}))
    return path


class _Layers:
    """A graph as both know it."""

    graph: str
    frames_skipped = 0

    def __init__(self, runtime: OnnxRuntime, compiler: str) -> None:
        self.runtime = runtime
        self.folder = BUILD / "models"
        self.folder.mkdir(exist_ok=True)
        self.random = np.random.default_rng(SEED)
        self.samples = self.random.uniform(-1, 1, (self.rows, BLOCKS * FRAMES)).astype("<f4")
        self.library = Library(compiler, self.legato_model())
        self.models = self.onnx_models()

    def weights(self, *shape: int) -> np.ndarray:
        """Sound neither dies nor saturates on its way."""
        scale = 1.5 / np.sqrt(np.prod(shape[1:]) or 1)
        return (self.random.standard_normal(shape) * scale).astype("<f4")

    def save(self, name: str, array: np.ndarray) -> Path:
        path = self.folder / name
        path.write_bytes(np.ascontiguousarray(array, "<f4").tobytes())
        return path

    def blocks(self) -> np.ndarray:
        """[block, row, frame]"""
        return self.samples.reshape(self.rows, BLOCKS, FRAMES).transpose(1, 0, 2)

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        times = {
            Key(self.runtime.name, self.graph, FRAMES, setting): time
            for setting, time in self.runtime.times(self.models, milliseconds).items()}
        ours = Key(NAME, self.graph, FRAMES, "its object file, called from C")
        return times | {ours: self.library.time(FRAMES, milliseconds)}

    def difference(self) -> float:
        """The largest difference between Legato and any of ONNX Runtime's spellings."""
        target = self.folder / "result.f32"
        self.library.apply(FRAMES, BLOCKS, self.save("layers.f32", self.blocks()), target)
        ours = np.fromfile(target, "<f4").reshape(BLOCKS, self.results, FRAMES)
        worst = 0.0
        for model in self.models:
            self.runtime.apply(model, BLOCKS, target)
            theirs = self.in_order(np.fromfile(target, "<f4"), model)
            parts = [array.transpose(1, 0, 2).reshape(self.results, -1) for array in (ours, theirs)]
            worst = max(worst, float(np.abs(parts[0] - parts[1])[:, self.frames_skipped :].max()))
        return worst


class ConvolutionStack(_Layers):
    """1 channel to 16, on to 16, and back to 1; tanh behind each layer but the last."""

    graph = name = STACK
    rows, results = 1, 1
    # What is remembered before the first frame is another thing: zeros in each layer, or zeros in front of all.
    frames_skipped = HISTORY

    def legato_model(self) -> Path:
        self.values: dict[str, np.ndarray] = {}
        graph, source, inputs = {}, "src", 1
        for layer, dilation in enumerate(DILATIONS):
            self.values[f"w{layer}"] = self.weights(CHANNELS, inputs, KERNEL)
            self.values[f"b{layer}"] = self.weights(CHANNELS) * np.float32(0.1)
            graph[f"t{layer}"] = f"tanh(conv1d({source}, 'w{layer}', bias: 'b{layer}', dilation: {dilation}))"
            source, inputs = f"t{layer}", CHANNELS
        self.values |= {"head": self.weights(1, CHANNELS, 1), "last": self.weights(1) * np.float32(0.1)}
        graph["dst"] = f"conv1d({source}, 'head', bias: 'last')"
        return _legato_model(self.folder / "conv-stack.json", 1, graph, self.values)

    def onnx_models(self) -> list[Model]:
        """The block with the frames before it, so that no layer needs to remember: fewer ops than states of each."""
        padded = np.concatenate([np.zeros((1, HISTORY), "<f4"), self.samples], axis=1)
        windows = [padded[:, start : start + HISTORY + FRAMES] for start in range(0, BLOCKS * FRAMES, FRAMES)]
        source = self.save("conv-stack.f32", np.stack(windows))
        return [
            self.onnx_model(source, (), "convolutions of one dimension"),
            self.onnx_model(source, (1,), "convolutions of two dimensions, one of them 1")]

    def onnx_model(self, source: Path, extra: tuple[int, ...], setting: str) -> Model:
        shapes = [(1, 1, *extra, HISTORY + FRAMES), (1, 1, *extra, FRAMES)]
        graph = OnnxGraph({"src": shapes[0]}, ("dst", shapes[1]))
        for name, values in self.values.items():
            is_kernel = values.ndim == 3
            graph.constant(name, values.reshape(*values.shape[:2], *extra, -1) if is_kernel else values)
        value = "src"
        for layer, dilation in enumerate(DILATIONS):
            value = graph.node("Tanh", graph.node(
                "Conv", value, f"w{layer}", f"b{layer}", dilations=[*extra, dilation], kernel_shape=[*extra, KERNEL]))
        graph.node("Conv", value, "head", "last", to="dst", kernel_shape=[*extra, 1])
        path = graph.write(self.folder / f"conv-stack-{len(extra) + 1}.onnx")
        spelled = ["x".join(map(str, shape)) for shape in shapes]
        return Model(path, f"dst:{spelled[1]}", (f"src:{spelled[0]}",), source, setting)

    def in_order(self, result: np.ndarray, model: Model) -> np.ndarray:
        return result.reshape(BLOCKS, 1, FRAMES)


class DenseStack(_Layers):
    """Matrices with a bias and tanh, frame by frame."""

    graph = name = DENSE
    rows, results = WIDTH, WIDTH

    def legato_model(self) -> Path:
        self.values = {}
        graph, source = {}, "src"
        for layer in range(DEPTH):
            self.values[f"w{layer}"] = self.weights(WIDTH, WIDTH)
            self.values[f"b{layer}"] = self.weights(WIDTH) * np.float32(0.1)
            name = "dst" if layer == DEPTH - 1 else f"t{layer}"
            graph[name] = f"tanh(dense({source}, 'w{layer}', bias: 'b{layer}', axis: 0))"
            source = name
        return _legato_model(self.folder / "dense-stack.json", WIDTH, graph, self.values)

    def onnx_models(self) -> list[Model]:
        planar, interleaved = self.blocks(), self.blocks().transpose(0, 2, 1)
        return [
            self.onnx_model("frames", (FRAMES, WIDTH), self.save("dense-frames.f32", interleaved), "rows of frames"),
            self.onnx_model("channels", (WIDTH, FRAMES), self.save("dense-channels.f32", planar), "rows of channels")]

    def onnx_model(self, order: str, shape: tuple[int, int], source: Path, setting: str) -> Model:
        graph = OnnxGraph({"src": shape}, ("dst", shape))
        value = "src"
        for layer in range(DEPTH):
            weights, bias = self.values[f"w{layer}"], self.values[f"b{layer}"]
            to = "dst" if layer == DEPTH - 1 else None
            if order == "frames":
                graph.constant(f"w{layer}", weights.T.copy())
                graph.constant(f"b{layer}", bias)
                operands = (value, f"w{layer}", f"b{layer}")
            else:
                graph.constant(f"w{layer}", weights)
                graph.constant(f"b{layer}", bias.reshape(WIDTH, 1))
                operands = (f"w{layer}", value, f"b{layer}")
            value = graph.node("Tanh", graph.node("Gemm", *operands), to=to)
        path = graph.write(self.folder / f"dense-{order}.onnx")
        spelled = "x".join(map(str, shape))
        return Model(path, f"dst:{spelled}", (f"src:{spelled}",), source, setting)

    def in_order(self, result: np.ndarray, model: Model) -> np.ndarray:
        if "rows of frames" in model.setting:
            return result.reshape(BLOCKS, FRAMES, WIDTH).transpose(0, 2, 1)
        return result.reshape(BLOCKS, WIDTH, FRAMES)
