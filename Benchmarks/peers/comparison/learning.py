# SPDX-License-Identifier: Apache-2.0
"""Rounds of learning: PyTorch, ONNX Runtime and LiteRT beside legato-bench's rows, with as many threads."""

import json
import os
import sys
from typing import NamedTuple

from .contender import STEP, Key, Row, Times
from .legato import BENCH, NAME
from .programs import BUILD, HERE, Programs, python_with, run

ROWS = "learn "
SECONDS = 0.3
# The promises: so many times as fast as PyTorch.
BARS = {
    "learn a NAM A1 standard, 8192 frames, a batch of 4": 3,
    "learn an image classifier, 32 x 32, a batch of 32": 1,
}


class Peer(NamedTuple):
    """Who learns, where its packages are: they are too large, or too old, to be installed with the others."""

    name: str
    module: str
    packages: str
    # A Python of its own, in .build/peers; without one, that of the others or the system's.
    folder: str | None
    runner: str
    way: str
    # The numbers of threads that its runner takes; one that takes none has one.
    threads: tuple[int, ...] = ()

    def python(self) -> str | None:
        """One that has the packages."""
        return python_with([self.module], self.folder)

    def remedy(self) -> str:
        if not self.folder:
            return f"{sys.executable} -m pip install {self.packages}"
        return f"python3 -m venv {BUILD / self.folder} && {BUILD / self.folder}/bin/pip install {self.packages}"


PEERS = [
    Peer("PyTorch", "torch", "torch", None, "torch_learning.py", "forward, backward, update", threads=(1, 2)),
    Peer(
        "ONNX Runtime's training", "onnxruntime", "onnxruntime-training-cpu==1.19.2 onnx==1.16.2",
        "onnxruntime-training", "onnx_runtime_learning.py", "train step, optimizer step, reset"),
    Peer(
        "LiteRT", "tensorflow", "tensorflow-cpu==2.21.0 ai-edge-litert==2.3.0", "litert", "litert_learning.py",
        "a signature that learns"),
]


def find(found: Programs, processors: set[int]) -> "list[Learning]":
    """One contender for all peers whose packages are there; none where there are none."""
    pythons = {peer: python for peer in PEERS if (python := peer.python())}
    found.missing += [
        f"learning in {peer.name}: left out; install it: {peer.remedy()}" for peer in PEERS if peer not in pythons]
    return [Learning(pythons, processors)] if pythons else []


class Learning:
    name = "learning"

    def __init__(self, pythons: dict[Peer, str], processors: set[int]) -> None:
        self.pythons = pythons
        # Where two threads may run; one stays where everything else does.
        self.processors = processors

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        figures = BUILD / "legato-bench-learning.json"
        figures.unlink(missing_ok=True)
        pinned = os.sched_getaffinity(0)
        theirs: Times = {}
        for peer, python in self.pythons.items():
            theirs |= self.rounds(peer, python, peer.threads[:1], "one thread")
        os.sched_setaffinity(0, self.processors)
        try:
            for peer, python in self.pythons.items():
                if len(self.processors) > 1 and len(peer.threads) > 1:
                    theirs |= self.rounds(peer, python, peer.threads[1:2], "two threads")
            run([BENCH, "--quick", "--filter", ROWS, "--processor", str(min(pinned)), "--json", figures],
                environment=os.environ | {"PATH": ""})
        finally:
            os.sched_setaffinity(0, pinned)
        ours = {figure["name"]: figure["median"] for figure in json.loads(figures.read_text())["figures"]}
        return theirs | {Key(NAME, key.graph, STEP, "through the trainer"): ours[key.graph] for key in theirs}

    @staticmethod
    def rounds(peer: Peer, python: str, threads: tuple[int, ...], note: str) -> Times:
        made = json.loads(run([python, HERE / "runners" / peer.runner, str(SECONDS), *map(str, threads)]))
        name = f"{peer.name} {made['version']}"
        return {Key(name, graph, STEP, f"{peer.way}; {note}"): time for graph, time in made["rounds"].items()}


def bars(table: list[Row]) -> list[str]:
    """Whether the promises are kept, of the rows that there are."""
    return [
        f"{'kept' if row.ratio >= BARS[row.graph] else 'MISSED'}: at least {BARS[row.graph]} times as fast as {row.peer}, "
        f"{row.graph}: {row.ratio:.2f} times"
        for row in table if row.graph in BARS and row.peer.startswith("PyTorch")]
