# SPDX-License-Identifier: Apache-2.0
"""Times ONNX Runtime's training, one thread: a step, the update, the reset; prints the nanoseconds of a round as JSON.

onnx_runtime_learning.py SECONDS: as long as it is measured. The network is the head of `legato-bench --filter "learn a head"`.
"""

import json
import sys
import tempfile
from importlib.machinery import ModuleSpec
from unittest.mock import MagicMock

from rounds import time

# The package imports it for what is not used here.
sys.modules["torch"] = MagicMock(__spec__=ModuleSpec("torch", None))

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.training import api, artifacts

SIZE, CLASSES, BATCH = 256, 2, 2
random = np.random.default_rng(1)


def network():
    weights = [
        numpy_helper.from_array(random.normal(0, 0.05, shape).astype(np.float32), name)
        for name, shape in (("w", (CLASSES, SIZE)), ("b", (CLASSES,)))]
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["scores"], transB=1)], "head",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [BATCH, SIZE])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [BATCH, CLASSES])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


with tempfile.TemporaryDirectory() as folder:
    artifacts.generate_artifacts(
        network(), requires_grad=["w", "b"], loss=artifacts.LossType.CrossEntropyLoss, optimizer=artifacts.OptimType.SGD,
        artifact_directory=folder)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    state = api.CheckpointState.load_checkpoint(f"{folder}/checkpoint")
    module = api.Module(f"{folder}/training_model.onnx", state, session_options=options)
    optimizer = api.Optimizer(f"{folder}/optimizer_model.onnx", module)
    optimizer.set_learning_rate(1e-6)
# Over memory that was there before.
batch = [
    onnxruntime.OrtValue.ortvalue_from_numpy(array)
    for array in (random.normal(size=(BATCH, SIZE)).astype(np.float32), np.arange(BATCH))]


def round_():
    module(*batch)
    optimizer.step()
    module.lazy_reset_grad()


print(json.dumps({"version": onnxruntime.__version__, "rounds": {
    "learn a head of 256 to 2, a batch of 2": time(round_, float(sys.argv[1]))}}))
