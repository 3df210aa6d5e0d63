# SPDX-License-Identifier: Apache-2.0
"""A network over a stretch of sound, and what ONNX Runtime makes of one.

    python Tests/ONNX/make-streamed.py        needs: pip install onnx onnxruntime numpy

writes streamed.onnx and streamed.json into Tests/Compiler/ONNXFilesTests/reference: a convolution that looks two frames
ahead, with a bias, an LSTM of 5 units whose h is an input and an output, and a dense layer, over [batch, 1, time].
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(7)
UNITS, CHANNELS, FRAMES = 5, 4, 96


def array(name, *shape):
    return numpy_helper.from_array((random.uniform(-0.5, 0.5, shape) * 4096).round().astype(np.float32) / 4096, name)


def port(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


nodes = [
    helper.make_node("Conv", ["x", "kernel", "offset"], ["convolved"], pads=[2, 2]),
    helper.make_node("Tanh", ["convolved"], ["features"]),
    helper.make_node("Transpose", ["features"], ["sequence"], perm=[2, 0, 1]),
    helper.make_node("LSTM", ["sequence", "W", "R", "B", "", "h", "c"], ["all", "hn"], hidden_size=UNITS),
    helper.make_node("Squeeze", ["all", "one"], ["states"]),
    helper.make_node("MatMul", ["states", "head"], ["rows"]),
    helper.make_node("Transpose", ["rows"], ["turned"], perm=[1, 2, 0]),
    helper.make_node("Add", ["turned", "x"], ["y"]),
]
graph = helper.make_graph(
    nodes, "streamed", [port("x", "batch", 1, "time"), port("h", 1, "batch", UNITS)],
    [port("y", "batch", 1, "time"), port("hn", 1, "batch", UNITS)],
    [
        numpy_helper.from_array(np.array([1], np.int64), "one"), array("kernel", CHANNELS, 1, 5),
        array("offset", CHANNELS), array("W", 1, 4 * UNITS, CHANNELS), array("R", 1, 4 * UNITS, UNITS),
        array("B", 1, 8 * UNITS), array("c", 1, 1, UNITS), array("head", UNITS, 1),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
folder = pathlib.Path(__file__).parent.parent / "Compiler/ONNXFilesTests/reference"
onnx.save(model, folder / "streamed.onnx")

session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = (random.uniform(-1, 1, FRAMES) * 4096).round().astype(np.float32) / 4096
y = session.run(["y"], {"x": x.reshape(1, 1, -1), "h": np.zeros((1, 1, UNITS), np.float32)})[0]
(folder / "streamed.json").write_text(json.dumps({"x": x.tolist(), "y": y.ravel().tolist()}))
