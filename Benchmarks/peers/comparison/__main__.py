# SPDX-License-Identifier: Apache-2.0
"""The order of things: build, compare what is computed, race, render files, run networks, print."""

import os
import sys

import numpy as np

from . import agreement, faust, files, learning, legato, networks, onnx_runtime, options, report, settings, sound
from .board import Pedalboard
from .contender import Row, race, rows
from .layers import ConvolutionStack, DenseStack
from .programs import BUILD, Failure, Programs, run
from .steps import all_steps

SAMPLE_SECONDS = 2
# What is promised: so many times as fast as ONNX Runtime's best, for a block of so many frames.
BAR, BAR_FRAMES = 40, 128


def say(text: str) -> None:
    print(f"compare: {text}", file=sys.stderr, flush=True)


def crush_files(
    samples: np.ndarray, library: legato.Library, fausts: list[faust.Faust]
) -> tuple[np.ndarray, dict[str, dict[str, np.ndarray]]]:
    """What Legato makes of the samples as a file, and what its object file and Faust's programs make of them."""
    source, target = BUILD / "sample.wav", BUILD / "crushed.wav"
    sound.write(source, samples)
    sets = [word for assignment in settings.ASSIGNMENTS for word in ("--set", assignment)]
    run([legato.COMMAND, "process", legato.MODEL, source, target, "--force", "--quiet", *sets])
    ours = sound.read(target)
    run(library.file_command(source, target))
    others = {f"{legato.NAME}, its object file": {"as a file": sound.read(target)}}
    for each in fausts:
        others[each.name] = {}
        for way in faust.WAYS:
            run(each.file_command(way, source, target))
            others[each.name][way] = sound.read(target)
    return ours, others


def bar(table: list[Row], peer: str) -> str:
    row = next(
        (row for row in table if row.graph == legato.BITCRUSHER and row.peer == peer and row.frames == BAR_FRAMES),
        None)
    if row is None:
        raise Failure(f"legato-bench has no row of {BAR_FRAMES} frames")
    verdict = "kept" if row.ratio >= BAR else "MISSED"
    return (
        f"{verdict}: at least {BAR} times as fast as {peer}'s best at {BAR_FRAMES} frames, stereo bitcrusher: "
        f"{row.ratio:.0f} times")


def compare(chosen: options.Options) -> None:
    found = Programs()
    BUILD.mkdir(parents=True, exist_ok=True)
    compiler = found.find("clang", "clang", "everything") or found.find("gcc", "gcc", "everything")
    if not compiler:
        raise Failure("a C compiler is missing; install it: apt-get install clang")
    say("building")
    legato.build()
    # What Legato's files take has compiling in it, and leaves nothing behind.
    os.environ["LEGATO_CACHE"] = ""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {chosen.processor})
    runtime = onnx_runtime.OnnxRuntime(compiler)
    fausts = faust.all_compilers(found)
    board = Pedalboard()
    library = legato.Library(compiler, legato.MODEL, channels=2, renders_files=True)
    samples = sound.synthesize(SAMPLE_SECONDS)
    bitcrusher = onnx_runtime.Bitcrusher(runtime, samples)
    layers = [ConvolutionStack(runtime, compiler), DenseStack(runtime, compiler), *all_steps(runtime, compiler)]
    learners = learning.find(found, processors)

    say("comparing what is computed")
    ours, others = crush_files(samples, library, fausts)
    others[runtime.name] = bitcrusher.crush(BAR_FRAMES)
    agreed = agreement.bitcrushers(samples, ours, others)
    agreed += [agreement.layers(each.graph, each.difference()) for each in layers]

    say(f"measuring blocks, {chosen.rounds} rounds")
    bench = legato.Bench(chosen.processor)
    sizes = bench.sizes()
    table = rows(
        race([bench, bitcrusher, *fausts, board, *layers, *learners], sizes, chosen.rounds, chosen.milliseconds), legato.NAME)
    table = [row for row in table if row.peer != legato.NAME]

    say(f"measuring files, {chosen.file_rounds} rounds")
    file_rows = files.measure(compiler, files.programs(found, library, fausts, board.name), chosen.file_rounds)

    say("measuring networks")
    network_rows = networks.measure(found)

    about = report.machine()
    print(f"{about['processor']}; processor {chosen.processor} alone; load {about['loadAverage']}")
    print("ratio: how many times as long as Legato the peer takes; of all its ways the fastest counts\n")
    print(report.blocks(table))
    print(report.files(file_rows))
    if network_rows:
        print(report.networks(network_rows))
    print("\nsample by sample, beside Legato")
    print("\n".join(agreed))
    print("\n" + "\n".join([bar(table, runtime.name), *learning.bars(table), *networks.bars(network_rows), *found.missing]))
    if chosen.json:
        report.write_json(chosen.json, table, file_rows, network_rows, agreed, found.missing, about)
        say(f"wrote {chosen.json}")


def main() -> int:
    try:
        compare(options.parse())
    except Failure as failure:
        say(str(failure))
        return 1
    except OSError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
