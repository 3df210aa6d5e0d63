#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Artifacts of ONNX Runtime's training, and the losses that it comes to with them.

    make-training.py FOLDER

writes training_model.onnx, eval_model.onnx, optimizer_model.onnx, checkpoint, and steps.npz: four examples, the loss
before each of five steps of AdamW at a rate of 0.001, and the loss behind them. It needs onnxruntime-training 1.19.2, onnx
1.16 and torch, which its module of artifacts imports. `nominal` and `after` are two checkpoints more: one without numbers,
one with what the optimizer remembers.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime.training.api as training
import onnxruntime.training.artifacts as artifacts
from onnx import TensorProto, helper, numpy_helper

NUMBERS = np.random.default_rng(1)


def tensor(name, *shape):
    return numpy_helper.from_array((NUMBERS.normal(size=shape) * 0.3).astype(np.float32), name)


def network():
    nodes = [
        helper.make_node("Conv", ["x", "features.0.weight", "features.0.bias"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["g"]),
        helper.make_node("Flatten", ["g"], ["f"]),
        helper.make_node("Gemm", ["f", "classifier.weight", "classifier.bias"], ["scores"], transB=1),
    ]
    weights = [
        tensor("features.0.weight", 12, 1, 3, 3),
        tensor("features.0.bias", 12),
        tensor("classifier.weight", 10, 12),
        tensor("classifier.bias", 10),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "net",
        [value("x", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [value("scores", TensorProto.FLOAT, ["batch", 10])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    model = network()
    for nominal in (True, False):
        artifacts.generate_artifacts(
            model,
            requires_grad=["classifier.weight", "classifier.bias"],
            frozen_params=["features.0.weight", "features.0.bias"],
            loss=artifacts.LossType.CrossEntropyLoss,
            optimizer=artifacts.OptimType.AdamW,
            artifact_directory=str(folder),
            nominal_checkpoint=nominal,
        )
    shutil.move(folder / "nominal_checkpoint", folder / "nominal")
    state = training.CheckpointState.load_checkpoint(str(folder / "checkpoint"))
    module = training.Module(str(folder / "training_model.onnx"), state, str(folder / "eval_model.onnx"), device="cpu")
    optimizer = training.Optimizer(str(folder / "optimizer_model.onnx"), module)
    x = np.random.default_rng(3).normal(size=(4, 1, 8, 8)).astype(np.float32)
    labels = np.array([0, 3, 2, 9], np.int64)
    losses = []
    module.train()
    for _ in range(5):
        losses.append(float(module(x, labels)))
        optimizer.step()
        module.lazy_reset_grad()
    module.eval()
    losses.append(float(module(x, labels)))
    training.CheckpointState.save_checkpoint(state, str(folder / "after"), include_optimizer_state=True)
    np.savez(folder / "steps.npz", x=x, labels=labels.astype(np.float32), losses=np.array(losses, np.float32))


if __name__ == "__main__":
    main()
