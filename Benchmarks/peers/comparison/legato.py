# SPDX-License-Identifier: Apache-2.0
"""Legato itself: the benchmark, the command, and what it compiles."""

import json
import re
from pathlib import Path

from .contender import Key, Times
from .programs import BUILD, HERE, REPOSITORY, Failure, compile_c, run

RELEASE = REPOSITORY / ".build" / "release"
COMMAND = RELEASE / "legato"
BENCH = RELEASE / "legato-bench"
MODEL = REPOSITORY / "models" / "bitcrusher.json"

NAME = "Legato"
KERNEL = "C by hand"
BITCRUSHER = "bitcrusher stereo"
RAMPING = "bitcrusher stereo, all ramping"

# A prefix of legato-bench's names, and the graph of the table.
ROWS = re.compile(rf"{BITCRUSHER} (\d+)( all ramping)?")


def build() -> None:
    for product in ("legato", "legato-bench"):
        run(["swift", "build", "-c", "release", "--product", product])


class Bench:
    """Legato and the C kernel, as legato-bench measures them; one run is a round."""

    name = NAME

    def __init__(self, processor: int) -> None:
        self.processor = processor

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        figures = BUILD / "legato-bench.json"
        run([BENCH, "--quick", "--filter", BITCRUSHER, "--processor", str(self.processor), "--json", figures])
        times: Times = {}
        for figure in json.loads(figures.read_text())["figures"]:
            row = ROWS.fullmatch(figure["name"])
            if not row or (sizes and int(row[1]) not in sizes):
                continue
            graph = RAMPING if row[2] else BITCRUSHER
            times[Key(NAME, graph, int(row[1]), "the whole execute")] = figure["median"]
            if "referenceMedian" in figure:
                times[Key(KERNEL, graph, int(row[1]), "the fastest of its variants")] = figure["referenceMedian"]
        if not times:
            raise Failure(f"legato-bench has no row '{BITCRUSHER} N'")
        return times

    def sizes(self) -> list[int]:
        """The block sizes that it measures."""
        return sorted({key.frames for key in self.measure([], 0)})


class Library:
    """A model as an object file of `legato compile`, and a C program that calls it."""

    def __init__(self, compiler: str, model: Path) -> None:
        folder = model.with_suffix("")
        folder.mkdir(exist_ok=True)
        run([COMMAND, "compile", model, "--symbol", "peer", "-o", folder / "peer.o", "--force", "--quiet"])
        self.program = compile_c(
            compiler, HERE / "runners" / "LegatoLibrary.c", folder / "program", f"-I{folder}", folder / "peer.o")

    def time(self, frames: int, milliseconds: float) -> float:
        return float(run([self.program, "time", str(milliseconds), str(frames)]))

    def apply(self, frames: int, blocks: int, source: Path, target: Path) -> None:
        run([self.program, "apply", str(frames), str(blocks), source, target])
