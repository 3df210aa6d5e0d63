# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime through the C interface of the library inside its wheel."""

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from . import legato, settings
from .contender import Key, Times
from .onnx_file import OnnxGraph
from .programs import BUILD, HERE, Failure, compile_c, run

CALLS = {"binding": "io-binding", "run": "arguments"}
MEMORIES = {"pattern": "memory planned", "heap": "memory planned, no arena", "plain": "no memory plan"}


@dataclass(frozen=True)
class Model:
    """A model file with the tensors it is called with, as the runner spells them."""

    path: Path
    output: str
    inputs: tuple[str, ...]
    # Raw floats: the tensors of the first input, one after the other.
    source: Path
    setting: str

    def job(self, call: str, memory: str, blocks: int, target: Path | str) -> str:
        words = [call, memory, self.path, blocks, self.source, target, self.output, *self.inputs]
        return " ".join(map(str, words))


class OnnxRuntime:
    def __init__(self, compiler: str) -> None:
        package = importlib.util.find_spec("onnxruntime")
        folder = Path(package.origin).parent / "capi" if package and package.origin else Path()
        libraries = sorted(folder.glob("libonnxruntime.so*"))
        if not libraries:
            raise Failure("the wheel of onnxruntime has no libonnxruntime.so; delete .build/peers and try again")
        self.library = libraries[0]
        self.program = compile_c(compiler, HERE / "runners" / "OnnxRuntime.c", BUILD / "onnxruntime")
        version = run([self.program, self.library]).strip()
        if version != importlib.metadata.version("onnxruntime"):
            raise Failure(f"libonnxruntime.so calls itself {version}, its wheel otherwise")
        self.name = f"ONNX Runtime {version}"

    def times(self, models: list[Model], milliseconds: float) -> dict[str, float]:
        """Each way to call each model, with the nanoseconds of a call."""
        ways = [(model, call, memory) for model in models for call, memory in product(CALLS, MEMORIES)]
        jobs = "\n".join(model.job(call, memory, 1, "-") for model, call, memory in ways)
        lines = run([self.program, self.library, "time", str(milliseconds)], jobs + "\n").split()
        return {
            f"{model.setting}; {CALLS[call]}, {MEMORIES[memory]}": float(line)
            for (model, call, memory), line in zip(ways, lines, strict=True)}

    def apply(self, model: Model, blocks: int, target: Path) -> None:
        run([self.program, self.library, "apply"], model.job("binding", "pattern", blocks, target) + "\n")


class Bitcrusher:
    """The bitcrusher in three spellings, and one whose parameters are vectors, for ramps."""

    def __init__(self, runtime: OnnxRuntime, samples: np.ndarray) -> None:
        self.runtime = runtime
        self.name = runtime.name
        self.samples = samples
        self.folder = BUILD / "models"
        self.folder.mkdir(exist_ok=True)
        self.graphs: dict[int, dict[str, list[Model]]] = {}

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        times: Times = {}
        for frames in sizes:
            for graph, models in self.models(frames).items():
                for setting, time in self.runtime.times(models, milliseconds).items():
                    times[Key(self.name, graph, frames, setting)] = time
        return times

    def models(self, frames: int) -> dict[str, list[Model]]:
        """The models of each graph for blocks of some size; written when they are first asked for."""
        if frames not in self.graphs:
            self.write_source(frames)
            self.graphs[frames] = {
                legato.BITCRUSHER: [
                    self.inputs(frames, 1, "parameters are inputs"), self.constants(frames, False),
                    self.constants(frames, True)],
                legato.RAMPING: [self.inputs(frames, frames, "ramps are inputs, made beforehand")],
            }
        return self.graphs[frames]

    def inputs(self, frames: int, extent: int, setting: str) -> Model:
        """Parameters that can be turned. The caller works out 1 - dryWet: an op less."""
        values = {
            "gain": settings.GAIN, "resolution": settings.RESOLUTION, "wet": settings.WET, "dry": 1 - settings.WET}
        graph = self.graph(frames, {name: (extent,) for name in values})
        self.formula(graph)
        return self.model(graph, frames, f"inputs-{extent}", setting, values, extent)

    def constants(self, frames: int, simplified: bool) -> Model:
        graph = self.graph(frames, {})
        graph.constant("gain", settings.GAIN)
        graph.constant("resolution", settings.RESOLUTION)
        graph.constant("dry", 1 - settings.WET)
        if simplified:
            graph.constant("level", settings.WET / settings.RESOLUTION)
            rounded = self.rounded(graph)
            self.mixed(graph, graph.node("Mul", rounded, "level"))
            return self.model(graph, frames, "simplified", "parameters are constants, wet / resolution is one")
        graph.constant("wet", settings.WET)
        self.formula(graph)
        return self.model(graph, frames, "constants", "parameters are constants")

    def graph(self, frames: int, parameters: dict[str, tuple[int, ...]]) -> OnnxGraph:
        return OnnxGraph({"src": (2, frames)} | parameters, ("dst", (2, frames)))

    def formula(self, graph: OnnxGraph) -> None:
        quantized = graph.node("Div", self.rounded(graph), "resolution")
        self.mixed(graph, graph.node("Mul", quantized, "wet"))

    def rounded(self, graph: OnnxGraph) -> str:
        saturated = graph.node("Tanh", graph.node("Mul", "src", "gain"))
        return graph.node("Round", graph.node("Mul", saturated, "resolution"))

    def mixed(self, graph: OnnxGraph, wet: str) -> None:
        graph.node("Add", wet, graph.node("Mul", "src", "dry"), to="dst")

    def model(
        self, graph: OnnxGraph, frames: int, name: str, setting: str, values: dict[str, float] | None = None,
        extent: int = 1
    ) -> Model:
        path = graph.write(self.folder / f"bitcrusher-{name}-{frames}.onnx")
        inputs = (f"src:2x{frames}", *(f"{name}:{extent}={value:g}" for name, value in (values or {}).items()))
        return Model(path, f"dst:2x{frames}", inputs, self.source(frames), setting)

    def source(self, frames: int) -> Path:
        return self.folder / f"source-{frames}.f32"

    def write_source(self, frames: int) -> None:
        """Writes the samples in blocks, the rows of a block one after the other."""
        blocks = self.samples.shape[1] // frames
        cut = self.samples[:, : blocks * frames].reshape(2, blocks, frames).transpose(1, 0, 2)
        self.source(frames).write_bytes(np.ascontiguousarray(cut).tobytes())

    def crush(self, frames: int) -> dict[str, np.ndarray]:
        """What comes out of each spelling; [channel, frame]."""
        blocks = self.samples.shape[1] // frames
        results = {}
        for model in [model for models in self.models(frames).values() for model in models]:
            target = self.folder / "result.f32"
            self.runtime.apply(model, blocks, target)
            result = np.fromfile(target, "<f4").reshape(blocks, 2, frames)
            results[model.setting] = result.transpose(1, 0, 2).reshape(2, -1)
        return results
