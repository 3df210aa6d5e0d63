# SPDX-License-Identifier: Apache-2.0
"""Models of steps as ONNX files, run by ONNX Runtime, and compared with what Legato computes.

    python Tests/ONNX/export.py .build/release/legato          needs: pip install onnx onnxruntime numpy

The models are those of export-models.json, which has only the shapes of inputs and weights; the numbers are random, the
same in each run. Of each model several steps are run with `legato run`, and with the file that `legato export` makes of
it, as it stands and as ONNX Runtime optimises it. What is printed is the largest difference, relative to the largest
number of the output.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

STEPS = 6
TOLERANCE = 1e-6
LEVELS = [onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL]


def numbers(random, shape):
    return random.normal(0, 1, shape).round(3).astype(np.float32)


def document(name, short, random):
    """A model file of a model in short form; all values are outputs where nothing else is said."""
    model = {"legato": 1, "name": name, "outputs": list(short["graph"])} | short
    model["inputs"] = {port: {"shape": shape} for port, shape in short["inputs"].items()}
    weights = short.get("weights", {})
    model["weights"] = {key: numbers(random, shape).tolist() for key, shape in weights.items()}
    return model


def run(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, words))}:\n{result.stderr}")


def first_states(session, properties):
    """Zeros, and what the silence leaves that runs before the first step."""
    ports = {port.name: np.zeros(port.shape, np.float32) for port in session.get_inputs()}
    pairs = {key.removeprefix("legato.state."): out for key, out in properties.items() if key.startswith("legato.state.")}
    states = {name: ports[name] for name in pairs}
    for _ in range(int(properties.get("legato.prewarm", 0))):
        states = step(session, pairs, ports | states)[1]
    return pairs, states


def step(session, pairs, given):
    names = [port.name for port in session.get_outputs()]
    results = dict(zip(names, session.run(names, given)))
    return results, {name: results[out] for name, out in pairs.items()}


def onnx_outputs(path, inputs, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    pairs, states = first_states(session, session.get_modelmeta().custom_metadata_map)
    rows = []
    for index in range(STEPS):
        results, states = step(session, pairs, {name: np.asarray(array[index]) for name, array in inputs.items()} | states)
        rows.append(results)
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def difference(ours, theirs):
    """The largest one, relative to the largest number; infinite where only one is a number."""
    finite = np.isfinite(ours)
    if ours.shape != theirs.shape or not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return np.inf
    largest = np.abs(ours[finite]).max(initial=0)
    apart = np.abs(ours[finite].astype(np.float64) - theirs[finite]).max(initial=0)
    return apart / largest if largest else apart


def check(legato, folder, name, short):
    random = np.random.default_rng(1)
    model, file = folder / f"{name}.json", folder / f"{name}.onnx"
    model.write_text(json.dumps(document(name, short, random)))
    inputs = {port: numbers(random, [STEPS] + shape) for port, shape in short["inputs"].items()}
    np.savez(folder / "in.npz", **inputs)
    given = ["--input", folder / "in.npz"] if inputs else ["--steps", STEPS]
    run(legato, "run", model, *given, "-o", folder / "out.npz", "--force", "--quiet")
    run(legato, "export", model, "-o", file, "--quiet")
    onnx.checker.check_model(str(file), full_check=True)
    graph = onnx.load(file).graph
    ours = np.load(folder / "out.npz")
    worst, where = 0, ""
    for level in LEVELS:
        theirs = onnx_outputs(file, inputs, level)
        for output in ours.files:
            apart = difference(ours[output], theirs[output])
            if not apart <= worst:
                worst, where = apart, output
    return graph, worst, where


def check_types(legato, folder):
    """A network of tokens and a mask, imported and exported: what goes in and comes out in ONNX Runtime is of the same types."""
    ports = {"tokens": np.array([[3, 0, 7]]), "mask": np.array([[True, False, True]]), "gain": np.float32([[2.5]])}
    kinds = {"score": onnx.TensorProto.FLOAT, "best": onnx.TensorProto.INT64, "isLarge": onnx.TensorProto.BOOL}
    nodes = [
        onnx.helper.make_node("Gather", ["table", "tokens"], ["rows"]),
        onnx.helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        onnx.helper.make_node("Where", ["column", "rows", "gain"], ["score"]),
        onnx.helper.make_node("ArgMax", ["score"], ["best"], axis=-1, keepdims=0),
        onnx.helper.make_node("Greater", ["best", "tokens"], ["isLarge"]),
    ]
    table = numbers(np.random.default_rng(2), (8, 5))
    graph = onnx.helper.make_graph(
        nodes, "types",
        [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
         for name, array in ports.items()],
        [onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()],
        [onnx.numpy_helper.from_array(table, "table"), onnx.numpy_helper.from_array(np.array([-1]), "last")])
    first, second = folder / "types.onnx", folder / "again.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), first)
    run(legato, "export", first, "-o", second, "--quiet")
    onnx.checker.check_model(str(second), full_check=True)
    results = [onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(list(kinds), ports)
               for path in (first, second)]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(*results))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    models = json.loads((pathlib.Path(__file__).parent / "export-models.json").read_text())
    types, failed = set(), []
    print(f"{'model':12} {'nodes':>5} {'states':>6} {'outputs':>7} {'difference':>10}  where")
    with tempfile.TemporaryDirectory() as folder:
        for name, short in models.items():
            graph, worst, where = check(sys.argv[1], pathlib.Path(folder), name, short)
            states = sum(port.name.endswith("_in") for port in graph.input)
            print(f"{name:12} {len(graph.node):5} {states:6} {len(graph.output) - states:7} {worst:10.1e}  {where}")
            types |= {node.op_type for node in graph.node}
            if not worst <= TOLERANCE:
                failed.append(name)
        if not check_types(sys.argv[1], pathlib.Path(folder)):
            failed.append("the types of tokens and masks, which are others")
    print(f"\n{len(types)} operators of ONNX: {', '.join(sorted(types))}")
    if failed:
        sys.exit(f"further off than {TOLERANCE}: {', '.join(failed)}")


if __name__ == "__main__":
    main()
