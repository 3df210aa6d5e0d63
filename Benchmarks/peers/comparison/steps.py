# SPDX-License-Identifier: Apache-2.0
"""Single steps of networks: products, convolutions, attention; the same weights in both, one thread each."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .contender import STEP, Key, Times
from .legato import NAME, Library
from .onnx_file import OnnxGraph
from .onnx_runtime import Model, OnnxRuntime
from .programs import BUILD

SEED = 5
STEPS = 4


@dataclass(frozen=True)
class Step:
    """A graph from x to y: an expression, and the nodes that say the same."""

    name: str
    shape: tuple[int, ...]
    result: tuple[int, ...]
    expression: str
    nodes: Callable[[OnnxGraph], object]
    weight: tuple[int, ...] = ()
    # ONNX's convolutions and pools have an axis of batches in front.
    batch: bool = False


def _attention(heads: int) -> Callable[[OnnxGraph], object]:
    def nodes(graph: OnnxGraph) -> None:
        graph.constant("apart", [160, heads, 64 // heads])
        graph.constant("whole", [160, 64])
        graph.constant("scale", (64 / heads) ** -0.5)
        split = graph.node("Reshape", "x", "apart")
        q, k = graph.node("Transpose", split, perm=[1, 0, 2]), graph.node("Transpose", split, perm=[1, 2, 0])
        scores = graph.node("Softmax", graph.node("Mul", graph.node("MatMul", q, k), "scale"), axis=-1)
        mixed = graph.node("Transpose", graph.node("MatMul", scores, q), perm=[1, 0, 2])
        graph.node("Reshape", mixed, "whole", to="y")

    return nodes


def _convolution(**attributes: int | list[int]) -> Callable[[OnnxGraph], object]:
    return lambda graph: graph.node("Conv", "x", "w", to="y", **attributes)


def _norm(graph: OnnxGraph) -> None:
    graph.constant("one", np.ones(256))
    graph.node("LayerNormalization", "x", "one", to="y", axis=-1)


SAME = [1, 1, 1, 1]
ALL = (
    Step("product, 256 x 256 by 256", (256, 256), (256, 256), "dense(x, 'w')", lambda graph: (
        graph.node("MatMul", "x", graph.node("Transpose", "w", perm=[1, 0]), to="y")), (256, 256)),
    Step("product of two, 256 x 256", (2, 256, 256), (256, 256),
         "matmul(reshape(slice(x, 0, 0), [256, 256]), reshape(slice(x, 0, 1), [256, 256]))", lambda graph: (
             graph.node("MatMul", graph.node("Gather", "x", graph.constant("a", [0]), axis=0),
                        graph.node("Gather", "x", graph.constant("b", [1]), axis=0), to="v"),
             graph.node("Reshape", "v", graph.constant("s", [256, 256]), to="y"))),
    Step("transposition, 256 x 256", (256, 256), (256, 256), "transpose(x)", lambda graph: (
        graph.node("Transpose", "x", perm=[1, 0], to="y"))),
    Step("layer norm, 160 x 256", (160, 256), (160, 256), "layerNorm(x)", _norm),
    Step("attention, 160 x 64", (160, 64), (160, 64), "attention(x, x, x)", _attention(1)),
    Step("attention, 160 x 64, 4 heads", (160, 64), (160, 64), "attention(x, x, x, heads: 4)", _attention(4)),
    Step("conv2d, 64 of 32 x 32", (64, 32, 32), (64, 32, 32), "conv2d(x, 'w', padding: 'same')",
         _convolution(pads=SAME), (64, 64, 3, 3), True),
    Step("conv2d, 64 of 33 x 33, stride 2", (64, 33, 33), (64, 16, 16), "conv2d(x, 'w', stride: 2)",
         _convolution(strides=[2, 2]), (64, 64, 3, 3), True),
    Step("conv1d, 64 of 1000, stride 2", (64, 1000), (64, 499),
         "conv1d(x, 'w', axis: 1, stride: 2, padding: 'valid')", _convolution(strides=[2]), (64, 64, 3), True),
    Step("conv2d, 256 of 7 x 7", (256, 7, 7), (256, 7, 7), "conv2d(x, 'w', padding: 'same')",
         _convolution(pads=SAME), (256, 256, 3, 3), True),
    Step("conv2d, depthwise, 64 of 32 x 32", (64, 32, 32), (64, 32, 32), "conv2d(x, 'w', padding: 'same', groups: 64)",
         _convolution(pads=SAME, group=64), (64, 1, 3, 3), True),
    Step("max pool, 64 of 32 x 32", (64, 32, 32), (64, 16, 16), "maxPool(x, size: [2, 2])", lambda graph: (
        graph.node("MaxPool", "x", to="y", kernel_shape=[2, 2], strides=[2, 2])), (), True),
)


class MeasuredStep:
    """A step as both know it."""

    def __init__(self, step: Step, runtime: OnnxRuntime, compiler: str) -> None:
        self.step, self.runtime = step, runtime
        self.graph = self.name = step.name
        random = np.random.default_rng(SEED)
        self.file = "step-" + "".join(letter if letter.isalnum() else "-" for letter in step.name)
        folder = BUILD / "models"
        folder.mkdir(exist_ok=True)
        scale = 1 / np.sqrt(np.prod(step.weight[1:]) or 1)
        weight = (random.standard_normal(step.weight) * scale).astype("<f4")
        self.source, self.target = folder / f"{self.file}.f32", folder / "step-result.f32"
        random.uniform(-1, 1, (STEPS, *step.shape)).astype("<f4").tofile(self.source)
        path = folder / f"{self.file}.json"
        path.write_text(json.dumps({
            "legato": 1, "name": "step", "clock": "step", "inputs": {"x": {"shape": step.shape}},
            "graph": {"y": step.expression}, "outputs": ["y"],
            "weights": {"w": weight.tolist()} if step.weight else {}}))
        self.library = Library(compiler, path, steps=True)
        front = (1,) if step.batch else ()
        graph = OnnxGraph({"x": (*front, *step.shape)}, ("y", (*front, *step.result)))
        if step.weight:
            graph.constant("w", weight)
        step.nodes(graph)
        shapes = ["x".join(map(str, (*front, *shape))) for shape in (step.shape, step.result)]
        self.model = Model(
            graph.write(folder / f"{self.file}.onnx"), f"y:{shapes[1]}", (f"x:{shapes[0]}",), self.source, "one thread")

    @property
    def numbers(self) -> int:
        return int(max(np.prod(self.step.shape), np.prod(self.step.result)))

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        times = {
            Key(self.runtime.name, self.graph, STEP, setting): time
            for setting, time in self.runtime.times([self.model], milliseconds).items()}
        ours = Key(NAME, self.graph, STEP, "its object file, called from C")
        return times | {ours: self.library.time(self.numbers, milliseconds)}

    def difference(self) -> float:
        """The largest difference between the results of both."""
        self.library.apply(self.numbers, STEPS, self.source, self.target)
        ours = np.fromfile(self.target, "<f4")
        self.runtime.apply(self.model, STEPS, self.target)
        return float(np.abs(ours - np.fromfile(self.target, "<f4")).max())


def all_steps(runtime: OnnxRuntime, compiler: str) -> list[MeasuredStep]:
    return [MeasuredStep(step, runtime, compiler) for step in ALL]
