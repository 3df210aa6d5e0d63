# SPDX-License-Identifier: Apache-2.0
"""Writes fedadam.json: what Flower's FedAvg and FedAdam (flwr 1.42) make of three rounds of results."""
import json
import pathlib

import numpy as np
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.app.metadata import Metadata
from flwr.serverapp.strategy import FedAdam, FedAvg

random = np.random.default_rng(5)
start = random.normal(size=6).astype(np.float32)
rounds = [[(random.normal(size=6).astype(np.float32), int(n)) for n in random.integers(1, 50, 3)] for _ in range(3)]


def reply(values, examples):
    metadata = Metadata(1, "x", 2, 1, "y", "1", 0.0, 1.0, "train")
    return Message(metadata=metadata, content=RecordDict({
        "arrays": ArrayRecord({"w": Array(values)}), "metrics": MetricRecord({"num-examples": examples})}))


def run(strategy):
    result, current = [], ArrayRecord({"w": Array(start)})
    for number, replies in enumerate(rounds, 1):
        if isinstance(strategy, FedAdam):
            strategy.current_arrays = {k: v.numpy() for k, v in current.items()}
        current, _ = strategy.aggregate_train(number, [reply(*r) for r in replies])
        result.append(current["w"].numpy().astype(float).tolist())
    return result


pathlib.Path(__file__).with_name("fedadam.json").write_text(json.dumps({
    "start": start.astype(float).tolist(),
    "rounds": [[{"values": v.astype(float).tolist(), "examples": n} for v, n in r] for r in rounds],
    "fedavg": run(FedAvg()), "fedadam": run(FedAdam(eta=0.05))}, indent=1) + "\n")
