# SPDX-License-Identifier: Apache-2.0
"""The memory that `legato run` takes at most for large networks, beside the bytes of their weights.

    python Tests/ONNX/memory.py .build/release/legato [--layers 24] [--size 2048] [--keep FOLDER]

A network of layers by square matrices with random weights, as MatMul, whose matrices are transposed when they are read, and
as Gemm, each with its weights in the file, in a file beside it, and as the model file that `legato import` makes of it.
What is printed: the bytes of the weights, the most that the process had in memory, both in megabytes of 1,000,000 bytes,
their quotient, and the difference of the output from NumPy's, relative to its largest number. An error is more than 1.3
times the weights beside what a model without any takes.

Needs: pip install onnx numpy
"""

import argparse
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MOST = 1.3
EMPTY = '{ "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1, SIZE] } }, "graph": { "y": "tanh(x)" }, "outputs": ["y"] }'


def network(op, layers, size):
    """The network, and a function that computes it."""
    random = np.random.default_rng(1)
    matrices = [random.standard_normal((size, size), np.float32) / np.float32(size**0.5) for _ in range(layers)]
    nodes, name = [], "x"
    for layer in range(layers):
        attributes = {"transB": 1} if op == "Gemm" else {}
        nodes.append(helper.make_node(op, [name, f"w{layer}"], [f"a{layer}"], **attributes))
        name = f"y{layer}" if layer < layers - 1 else "y"
        nodes.append(helper.make_node("Tanh", [f"a{layer}"], [name]))
    ports = [helper.make_tensor_value_info(port, TensorProto.FLOAT, [1, size]) for port in ("x", "y")]
    tensors = [numpy_helper.from_array(matrix, f"w{layer}") for layer, matrix in enumerate(matrices)]
    graph = helper.make_graph(nodes, "layers", ports[:1], ports[1:], tensors)

    def compute(x):
        for matrix in matrices:
            x = np.tanh(x @ (matrix.T if op == "Gemm" else matrix).astype(np.float64))
        return x

    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), compute


def write(op, layers, size, folder):
    """The network in files, and what it makes of x.npy."""
    model, compute = network(op, layers, size)
    np.save(folder / f"{op}.npy", compute(np.load(folder / "x.npy").astype(np.float64)))
    onnx.save(model, folder / f"{op}.onnx")
    onnx.save(model, folder / f"{op}-beside.onnx", save_as_external_data=True, location=f"{op}.data")


def run(legato, model, folder):
    """The most bytes of a process that computes one step, and the step's output."""
    out = folder / "out.npz"
    command = [legato, "run", model, "--input", f"x={folder / 'x.npy'}", "--force", "-o", out]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{model} cannot be run")
    return usage.ru_maxrss * 1024, np.load(out)["y"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("legato")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the networks, else one that is deleted")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        x = np.random.default_rng(2).standard_normal((1, arguments.size), np.float32)
        np.save(folder / "x.npy", x)
        (folder / "empty.json").write_text(EMPTY.replace("SIZE", str(arguments.size)))
        empty, _ = run(arguments.legato, folder / "empty.json", folder)
        weights = arguments.layers * arguments.size**2 * 4
        print(f"weights {weights / 1e6:.0f} MB, a model without any takes {empty / 1e6:.0f} MB")
        print(f"{'network':<20} {'weights':<22} {'peak, MB':>9} {'times':>6} {'difference':>11}")
        failed = False
        for op in ("MatMul", "Gemm"):
            # Apart, since a process begins with the memory of the one that starts it.
            writer = multiprocessing.Process(target=write, args=(op, arguments.layers, arguments.size, folder))
            writer.start()
            writer.join()
            expected = np.load(folder / f"{op}.npy")
            path, beside, written = (folder / f"{op}{ending}" for ending in (".onnx", "-beside.onnx", ".json"))
            subprocess.run([arguments.legato, "import", path, "-o", written], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            for place, file in (("in the file", path), ("beside it", beside), ("a model file", written)):
                peak, y = run(arguments.legato, file, folder)
                difference = np.abs(y - expected).max() / np.abs(expected).max()
                print(f"{op:<20} {place:<22} {peak / 1e6:>9.0f} {peak / weights:>6.2f} {difference:>11.1e}")
                failed |= peak > MOST * weights + empty or not difference < 1e-4
    sys.exit(4 if failed else 0)


if __name__ == "__main__":
    main()
