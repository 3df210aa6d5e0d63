# SPDX-License-Identifier: Apache-2.0
"""The same formula in Faust, made into C++ and compiled as Faust's users do."""

from pathlib import Path

from . import legato, settings
from .contender import Key, Times
from .programs import BUILD, HERE, Programs, run

WAYS = {
    "scalar": [],
    "-vec -lv 0": ["-vec", "-lv", "0", "-vs", "32"],
    "-vec -lv 1": ["-vec", "-lv", "1", "-vs", "32"],
}
FLAGS = ["-O3", "-march=native", "-ffast-math", "-std=c++17"]
SOURCES = {legato.BITCRUSHER: "bitcrusher.dsp", legato.RAMPING: "bitcrusher-smooth.dsp"}


class Faust:
    """One compiler's programs: each way of Faust's to write each source."""

    def __init__(self, faust: str, compiler: str) -> None:
        name = Path(compiler).name
        self.name = f"Faust {run([faust, '--version']).split()[2]}, {name}"
        folder = BUILD / f"faust-{name}"
        folder.mkdir(exist_ok=True)
        self.programs: dict[tuple[str, str], Path] = {}
        for graph, source in SOURCES.items():
            for number, (way, words) in enumerate(WAYS.items()):
                code = folder / f"{Path(source).stem}-{number}.cpp"
                run([faust, "-A", HERE / "faust", "-a", "architecture.cpp", *words, HERE / "faust" / source,
                     "-o", code])
                program = code.with_suffix("")
                run([compiler, *FLAGS, f"-I{HERE / 'runners'}", code, "-lsndfile", "-o", program])
                self.programs[graph, way] = program

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        times: Times = {}
        for (graph, way), program in self.programs.items():
            text = ",".join(map(str, sizes))
            lines = run([program, "time", str(milliseconds), text, *settings.ASSIGNMENTS]).split()
            for frames, line in zip(sizes, lines, strict=True):
                setting = f"{way}; through one pole each" if graph == legato.RAMPING else way
                times[Key(self.name, graph, frames, setting)] = float(line)
        return times

    def file_command(self, way: str, source: Path, target: Path) -> list[str | Path]:
        return [self.programs[legato.BITCRUSHER, way], "file", source, target, *settings.ASSIGNMENTS]


def all_compilers(programs: Programs) -> list[Faust]:
    faust = programs.find("faust", "faust", "Faust")
    compilers = [
        programs.find("clang++", "clang", "Faust through clang++"),
        programs.find("g++", "g++", "Faust through g++"),
    ]
    return [Faust(faust, compiler) for compiler in compilers if compiler] if faust else []
