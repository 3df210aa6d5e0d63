# SPDX-License-Identifier: Apache-2.0
"""A network in Legato, beside ONNX Runtime with one thread."""

import os
import subprocess
import time

import numpy as np
import onnx
import onnxruntime

from export import LEVELS, difference


def runtime(path, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def seconds(call):
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def compare(legato, folder, path, given, numbers={}, least=2e-6):  # noqa: B006
    """Nodes, largest difference, what is allowed, seconds to the first step, of a step, and of ONNX Runtime's, and what is wrong.

    `numbers` are integers, or lists of such, that go into ONNX Runtime, and stand in place of inputs here. Where the network is refused, there
    are only the nodes and the reason. Allowed are `least` of the largest number, or 4 times as much as ONNX Runtime's own
    optimisations change.
    """
    nodes = len(onnx.load(path, load_external_data=False).graph.node)
    plain, session = (runtime(path, level) for level in LEVELS)
    names = [port.name for port in session.get_outputs()]
    all_given = given | {name: np.array(number) for name, number in numbers.items()}
    golden = dict(zip(names, session.run(names, all_given)))
    own = max(difference(array, golden[name]) for name, array in zip(names, plain.run(names, all_given)))
    theirs = min(seconds(lambda: session.run(names, all_given))[0] for _ in range(20))
    allowed = max(least, 4 * own)
    np.savez(folder / "in.npz", **given)

    def run(*more, cache=folder / "cache"):
        words = [legato, "run", path, "--force", "--quiet", "-o", folder / "out.npz", *more]
        words += [word for port in given for word in ("--input", f"{port}={folder / 'in.npz'}:{port}")]
        words += [word for name, number in numbers.items() for word in ("--bind", f"{name}={number}")]
        where = os.environ | {"LEGATO_CACHE": str(cache)}
        return seconds(lambda: subprocess.run([str(word) for word in words], capture_output=True, text=True, env=where))

    first, result = run(cache="")
    if result.returncode:
        return nodes, result.stderr.strip()
    with np.load(folder / "out.npz") as made:
        # In the order of the network, by names that expressions can say.
        apart = max(difference(golden[name], made[own]) for name, own in zip(names, made.files, strict=True))
    count = int(np.clip(1 / theirs, 10, 400))
    run()
    many, one = (min(run("--steps", steps)[0] for _ in range(3)) for steps in (count, 1))
    ours = (many - one) / (count - 1)
    wrong = "" if apart <= allowed else f"{apart:.1e} apart, {allowed:.1e} are allowed"
    return nodes, apart, allowed, first, ours, theirs, wrong
