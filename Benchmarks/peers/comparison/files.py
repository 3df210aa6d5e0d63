# SPDX-License-Identifier: Apache-2.0
"""A minute of sound through whole programs."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from . import legato, settings, sound
from .board import OTHER_FORMULA
from .faust import WAYS, Faust
from .programs import BUILD, HERE, Failure, Programs, compile_c, run

SECONDS = 60
LOOP = "compiled beforehand; a libsndfile loop, 4096 frames at a time"


class Program(NamedTuple):
    name: str
    note: str
    command: Callable[[Path, Path], list[str | Path]]


class FileRow(NamedTuple):
    program: str
    milliseconds: float
    cpu_milliseconds: float
    peak_mebibytes: float
    ratio: float
    note: str


def programs(found: Programs, library: legato.Library, fausts: list[Faust], board: str) -> list[Program]:
    result = [Program(
        legato.NAME, "legato process, its start and compilation included",
        lambda source, target: [
            legato.COMMAND, "process", legato.MODEL, source, target, "--force", "--quiet",
            *(word for assignment in settings.ASSIGNMENTS for word in ("--set", assignment))])]
    result.append(Program(
        f"{legato.NAME}, its object file", f"{LOOP}; not the command", library.file_command))
    for faust in fausts:
        result.append(Program(
            faust.name, LOOP,
            lambda source, target, faust=faust: faust.file_command(next(iter(WAYS)), source, target)))
    result.append(Program(
        board, f"a Python script; {OTHER_FORMULA}",
        lambda source, target: [
            BUILD / "environment" / "bin" / "python", HERE / "runners" / "pedalboard_file.py", source, target,
            str(settings.BITS)]))
    if ffmpeg := found.find("ffmpeg", "ffmpeg", "ffmpeg acrusher"):
        version = run([ffmpeg, "-version"]).split()[2]
        result.append(Program(
            f"ffmpeg {version} acrusher", "other formula: rounds to bits, no saturation; in double precision",
            lambda source, target: [
                ffmpeg, "-v", "error", "-y", "-i", source, "-af",
                f"acrusher=bits={settings.BITS}:mode=lin:aa=0:mix={1 - settings.WET:g}", "-c:a", "pcm_f32le",
                target]))
    if sox := found.find("sox", "sox", "sox overdrive"):
        version = run([sox, "--version"]).split()[-1]
        result.append(Program(
            f"sox {version} overdrive", "other formula: it has no bitcrusher; saturation alone, no rounding",
            lambda source, target: [
                sox, source, "-e", "floating-point", "-b", "32", target, "overdrive", "6", "0"]))
    return result


def measure(compiler: str, wanted: list[Program], rounds: int) -> list[FileRow]:
    launch = compile_c(compiler, HERE / "runners" / "Launch.c", BUILD / "launch")
    figures: dict[str, list[tuple[float, float, float]]] = {program.name: [] for program in wanted}
    with tempfile.TemporaryDirectory(prefix="legato-peers-") as folder:
        source, target = Path(folder, "minute.wav"), Path(folder, "result.wav")
        sound.write(source, sound.synthesize(SECONDS))
        # The first round warms up.
        for number in range(rounds + 1):
            for program in wanted:
                target.unlink(missing_ok=True)
                line = run([launch, *program.command(source, target)], name=program.name)
                wall, cpu, peak = map(float, line.split())
                frames = (os.path.getsize(target) - 44) // 8
                if abs(frames - SECONDS * sound.RATE) > 64:
                    raise Failure(f"{program.name} wrote {frames} frames of {SECONDS * sound.RATE}")
                if number:
                    figures[program.name].append((wall * 1e3, cpu * 1e3, peak / 1024))
    ours = figures[legato.NAME]
    rows = []
    for program in wanted:
        rows.append(FileRow(
            program.name, *(median(figure[place] for figure in figures[program.name]) for place in range(3)),
            median(their[0] / our[0] for their, our in zip(figures[program.name], ours, strict=True)), program.note))
    return rows
