# SPDX-License-Identifier: Apache-2.0
"""A small network that goes on from step to step, as voice activity detectors do, and what ONNX Runtime makes of it.

    python Tests/ONNX/make-streaming.py        needs: pip install onnx onnxruntime numpy

writes streaming.onnx and streaming.json into Tests/Compiler/ONNXFilesTests/reference: 12 windows of 48 numbers go through
a convolution, an LSTM of 6 units whose h and c are inputs and outputs, and a dense layer; the states of a step go into the
next one. The axis of the batch has a name.
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(5)
UNITS, CHANNELS = 6, 4


def array(name, *shape):
    return numpy_helper.from_array((random.uniform(-0.5, 0.5, shape) * 4096).round().astype(np.float32) / 4096, name)


def port(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


nodes = [
    helper.make_node("Unsqueeze", ["input", "one"], ["row"]),
    helper.make_node("Conv", ["row", "kernel", "offset"], ["convolved"], strides=[4]),
    helper.make_node("Relu", ["convolved"], ["features"]),
    helper.make_node("Transpose", ["features"], ["sequence"], perm=[2, 0, 1]),
    helper.make_node("LSTM", ["sequence", "W", "R", "B", "", "h", "c"], ["all", "hn", "cn"], hidden_size=UNITS),
    helper.make_node("Squeeze", ["hn", "zero"], ["last"]),
    helper.make_node("Gemm", ["last", "head", "bias"], ["score"], transB=1),
    helper.make_node("Sigmoid", ["score"], ["output"]),
]
states = [port(name, 1, "batch", UNITS) for name in ("h", "c")]
graph = helper.make_graph(
    nodes, "streaming", [port("input", "batch", 48), *states],
    [port("output", "batch", 1), *[port(name, 1, "batch", UNITS) for name in ("hn", "cn")]],
    [
        numpy_helper.from_array(np.array([1], np.int64), "one"), numpy_helper.from_array(np.array([0], np.int64), "zero"),
        array("kernel", CHANNELS, 1, 8), array("offset", CHANNELS), array("W", 1, 4 * UNITS, CHANNELS),
        array("R", 1, 4 * UNITS, UNITS), array("B", 1, 8 * UNITS), array("head", 1, UNITS), array("bias", 1),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
folder = pathlib.Path(__file__).parent.parent / "Compiler/ONNXFilesTests/reference"
onnx.save(model, folder / "streaming.onnx")

session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
h = c = np.zeros((1, 1, UNITS), np.float32)
windows = (random.uniform(-1, 1, (12, 48)) * 4096).round().astype(np.float32) / 4096
outputs = []
for window in windows:
    output, h, c = session.run(None, {"input": window[None], "h": h, "c": c})
    outputs.append(float(output[0, 0]))
(folder / "streaming.json").write_text(
    json.dumps({"input": windows.ravel().tolist(), "output": outputs, "h": h.ravel().tolist()}) + "\n")
