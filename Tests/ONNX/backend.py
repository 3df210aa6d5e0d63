# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the package onnx, 1,884 models with inputs and outputs, through `legato run`, and says of
each whether it passed, was refused with a reason, or is wrong.

    python Tests/ONNX/backend.py --run .build/release/legato [--filter relu] [--table cases.tsv]

Each case runs as it is; an input that has to be known beforehand, as the refusal says, is given by --bind then. Where a case
has several inputs it runs once more with all but the first as constants, as exported models have them. The exit code is 1 where a
case is wrong, and, of all cases, where fewer than 75 in 100 of those with floats of 32 bits, booleans and integers of 32 and 64
bits alone pass as they are. Needs: pip install onnx numpy
"""

import argparse
import collections
import copy
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from onnx import TensorProto, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from cases import binds, is_numbers  # noqa: E402

warnings.filterwarnings("ignore")
from onnx.backend.test.case.node import collect_testcases  # noqa: E402


def plain(array):
    """The numbers of types that NumPy does not know, as floats."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "V":
        try:
            return array.astype(np.float32)
        except (TypeError, ValueError):
            pass
    return array


def variants(case):
    inputs, outputs = case.data_sets[0] if case.data_sets else ([], [])
    names = [port.name for port in case.model.graph.input]
    given = list(zip(names, map(plain, inputs)))
    expected = list(zip([port.name for port in case.model.graph.output], map(plain, outputs)))
    yield case.name, case.model, given, expected
    if len(given) > 1 and all(is_numbers(array) for _, array in given):
        frozen = copy.deepcopy(case.model)
        for name, array in list(zip(names, inputs))[1:]:
            frozen.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        del frozen.graph.input[1:]
        yield case.name + " (constants)", frozen, given[:1], expected


def run(command, model, given, expected, tolerance):
    if not all(is_numbers(array) for _, array in given + expected):
        return "refused", "goes in or comes out as something else than numbers"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "case.onnx").write_bytes(model.SerializeToString())
        extents = binds(model, given)
        for row, (name, array) in enumerate(given):
            np.save(folder / f"{row}.npy", np.asarray(array))
        known = set()
        while True:
            arguments = [*command, "run", "case.onnx", "--json"]
            for row, (name, array) in enumerate(given):
                if name in known:
                    arguments += ["--bind", f"{name}={row}.npy"]
                elif np.asarray(array).size:
                    arguments += ["--input", f"{as_name(name)}={row}.npy"]
            for name, extent in extents.items():
                if extent > 0:
                    arguments += ["--bind", f"{name}={extent}"]
            arguments += ["--output", "out.npz"]
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
            asked = set(re.findall(r"--bind (\S+)=(?:N|\[…\]|FILE)", done.stderr)) & {name for name, _ in given}
            if not done.returncode or asked <= known:
                break
            known |= asked
            # Axes of what is no input any more need no number.
            extents = binds(model, [(name, array) for name, array in given if name not in known])
        if done.returncode < 0:
            return "wrong", f"ended by signal {-done.returncode}"
        if done.returncode:
            return "refused", done.stderr.strip().splitlines()[0] if done.stderr.strip() else "without a reason"
        results = list(np.load(folder / "out.npz").values())
    if len(results) != len(expected):
        return "wrong", f"it has {len(results)} outputs, not {len(expected)}"
    for (name, want), made in zip(expected, results):
        want = np.asarray(want)
        if made.shape != want.shape:
            return "wrong", f"{name} has the shape {made.shape}, not {want.shape}"
        want = want.astype(np.float64)
        near = np.isclose(made, want, rtol=tolerance[0], atol=tolerance[1], equal_nan=True)
        # Where a rounding decides, both sides are right.
        if not near.all() and not ("quantize" in name.lower() and np.abs(made - want).max() <= 1):
            place = tuple(int(axis) for axis in np.argwhere(~near)[0])
            return "wrong", f"{name}{list(place)} is {made[place]}, not {want[place]}"
    return "passed", ""


def is_common(case):
    """Whether all that goes in and comes out is of the kinds of numbers that most networks have."""
    common = {TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT32, TensorProto.INT64}
    return all(port.type.tensor_type.elem_type in common for port in [*case.model.graph.input, *case.model.graph.output])


def as_name(name):
    """The name as expressions have it."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--run", default="legato", help="the command, such as .build/release/legato")
    options.add_argument("--filter", default="", help="a part of the names of the cases")
    options.add_argument("--table", help="where each case is written, with its reason")
    options = options.parse_args()
    rows, reasons, common = [], collections.Counter(), []
    for case in collect_testcases(None):
        if options.filter not in case.name:
            continue
        low = "bf16" in case.name.lower() or "bfloat16" in case.name.lower()
        own = []
        tolerance = (max(case.rtol, 1e-2 if low else 1e-3), 1e-2 if low else 1e-5)
        for name, model, given, expected in variants(case):
            result, reason = run([str(pathlib.Path(options.run).absolute())], model, given, expected, tolerance)
            rows.append((result, name, reason))
            own.append(result == "passed")
            if result == "refused":
                kind = re.search(r"\((\w+)\)|× ([\w.]+) (?:is|are) not known", reason)
                reasons[next(filter(None, kind.groups())) if kind else re.sub(r"'[^']*'|\d+", "…", reason)[:80]] += 1
            if result == "wrong":
                print(f"wrong: {name}: {reason}", flush=True)
        if is_common(case):
            common.append((any(own), own[0]))
    counts = collections.Counter(result for result, _, _ in rows)
    print(", ".join(f"{counts[result]} {result}" for result in ("passed", "refused", "wrong")))
    either, plain = (sum(column) for column in zip(*common)) if common else (0, 0)
    print(f"of {len(common)} cases with common kinds of numbers {plain} pass as they are, {either} in either form")
    for reason, count in reasons.most_common(60):
        print(f"{count:6}  {reason}")
    if options.table:
        pathlib.Path(options.table).write_text("".join("\t".join(row) + "\n" for row in rows))
    sys.exit(1 if counts["wrong"] or (not options.filter and plain < 0.75 * len(common)) else 0)


if __name__ == "__main__":
    main()
