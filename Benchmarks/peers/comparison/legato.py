# SPDX-License-Identifier: Apache-2.0
"""Legato itself: the benchmark, the command, and what it compiles."""

import json
import os
import re
import shutil
from pathlib import Path

from . import settings
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

# How legato-bench calls its rows.
ROWS = re.compile(rf"{BITCRUSHER} (\d+)( all ramping)?")


def build() -> None:
    if not shutil.which("swift"):
        raise Failure("swift is missing, which builds Legato; the README says how to get it")
    for product in ("legato", "legato-bench"):
        run(["swift", "build", "-c", "release", "--product", product])


class Bench:
    """Legato and the C kernel, as legato-bench measures them; one run is a round."""

    name = NAME

    def __init__(self, processor: int) -> None:
        self.processor = processor

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        figures = BUILD / "legato-bench.json"
        figures.unlink(missing_ok=True)
        # Without a PATH it finds no valgrind to count instructions with: nobody asks for them here.
        run([BENCH, "--quick", "--filter", BITCRUSHER, "--processor", str(self.processor), "--json", figures],
            environment=os.environ | {"PATH": ""})
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

    def __init__(
        self, compiler: str, model: Path, channels: int = 1, renders_files: bool = False, steps: bool = False
    ) -> None:
        folder = BUILD / f"legato-{model.stem}"
        folder.mkdir(exist_ok=True)
        run([COMMAND, "compile", model, "--symbol", "peer", "--channels", str(channels),
             "-o", folder / "peer.o", "--force", "--quiet"])
        files = ["-DRENDERS_FILES", "-lsndfile"] if renders_files else ["-DSTEPS"] if steps else []
        self.program = compile_c(
            compiler, HERE / "runners" / "LegatoLibrary.c", folder / "program", f"-I{folder}", folder / "peer.o",
            *files)

    def time(self, frames: int, milliseconds: float) -> float:
        return float(run([self.program, "time", str(milliseconds), str(frames)]))

    def file_command(self, source: Path, target: Path) -> list[str | Path]:
        return [self.program, "file", source, target, *(f"{value:g}" for value in settings.PARAMETERS.values())]

    def apply(self, frames: int, blocks: int, source: Path, target: Path) -> None:
        run([self.program, "apply", str(frames), str(blocks), source, target])
