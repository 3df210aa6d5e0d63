# SPDX-License-Identifier: Apache-2.0
"""Networks over a stretch of sound, and what ONNX Runtime makes of one.

    python Tests/ONNX/make-streamed.py        needs: pip install onnx onnxruntime numpy

writes into Tests/Compiler/ONNXFilesTests/reference, over [batch, 1, time]:

- streamed.onnx and streamed.json: a convolution that looks two frames ahead, with a bias, an LSTM of 5 units whose h is an
  input and an output, and a dense layer;
- strided.onnx and strided.json: a convolution of stride 2, a pool, a recurrent layer at a fourth of the rate, and transposed
  convolutions back, with a skip.
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


def save(name, nodes, inputs, outputs, arrays, x, given):
    """The network, and its numbers for x and what else is given."""
    graph = helper.make_graph(nodes, name, inputs, outputs, arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    folder = pathlib.Path(__file__).parent.parent / "Compiler/ONNXFilesTests/reference"
    onnx.save(model, folder / f"{name}.onnx")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    y = session.run(["y"], {"x": x.reshape(1, 1, -1), **given})[0]
    (folder / f"{name}.json").write_text(json.dumps({"x": x.tolist(), "y": y.ravel().tolist()}))


def sound():
    return (random.uniform(-1, 1, FRAMES) * 4096).round().astype(np.float32) / 4096


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
save(
    "streamed", nodes, [port("x", "batch", 1, "time"), port("h", 1, "batch", UNITS)],
    [port("y", "batch", 1, "time"), port("hn", 1, "batch", UNITS)],
    [
        numpy_helper.from_array(np.array([1], np.int64), "one"), array("kernel", CHANNELS, 1, 5),
        array("offset", CHANNELS), array("W", 1, 4 * UNITS, CHANNELS), array("R", 1, 4 * UNITS, UNITS),
        array("B", 1, 8 * UNITS), array("c", 1, 1, UNITS), array("head", UNITS, 1),
    ],
    sound(), {"h": np.zeros((1, 1, UNITS), np.float32)},
)

nodes = [
    helper.make_node("Conv", ["x", "kernel", "offset"], ["convolved"], pads=[1, 1], strides=[2]),
    helper.make_node("Tanh", ["convolved"], ["features"]),
    helper.make_node("MaxPool", ["features"], ["pooled"], kernel_shape=[2], strides=[2]),
    helper.make_node("Transpose", ["pooled"], ["sequence"], perm=[2, 0, 1]),
    helper.make_node("GRU", ["sequence", "W", "R", "B"], ["all"], hidden_size=CHANNELS),
    helper.make_node("Squeeze", ["all", "one"], ["states"]),
    helper.make_node("Transpose", ["states"], ["slow"], perm=[1, 2, 0]),
    helper.make_node("ConvTranspose", ["slow", "up", "offset"], ["spread"], pads=[1, 1], strides=[2]),
    helper.make_node("Add", ["spread", "features"], ["sum"]),
    helper.make_node("ConvTranspose", ["sum", "back"], ["y"], pads=[1, 1], strides=[2]),
]
save(
    "strided", nodes, [port("x", "batch", 1, "time")], [port("y", "batch", 1, "time")],
    [
        numpy_helper.from_array(np.array([1], np.int64), "one"), array("kernel", CHANNELS, 1, 4), array("offset", CHANNELS),
        array("W", 1, 3 * CHANNELS, CHANNELS), array("R", 1, 3 * CHANNELS, CHANNELS), array("B", 1, 6 * CHANNELS),
        array("up", CHANNELS, CHANNELS, 4), array("back", CHANNELS, 1, 4),
    ],
    sound(), {},
)
