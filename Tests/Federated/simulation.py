#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flower's simulation engine with Ray plays many devices, each of which lets processes of legato learn and judge.

    pip install 'flwr[simulation]==1.42.0' scikit-learn safetensors
    Tests/Federated/simulation.py [LEGATO] [--devices N] [--rounds N] [--epochs N]

The 1797 digits of scikit-learn are dealt evenly; a fifth of each device's is held back, and judges the common model after each
round. `simulation/devices/client.py` is the device, and has nothing of digits in it.
"""
import argparse
import json
import pathlib
import shutil
import tempfile

import numpy as np
from proof import HERE, Proof, free_port
from safetensors.numpy import save_file
from sklearn.datasets import load_digits

MODEL = """{ "legato": 1, "name": "Digits", "clock": "step", "inputs": { "x": { "shape": [64] } },
  "weights": { "file": "begin.safetensors" },
  "graph": {
    "hidden": "relu(dense(x, 'hidden.weight', 'hidden.bias'))", "scores": "dense(hidden, 'scores.weight', 'scores.bias')"
  },
  "outputs": ["scores"],
  "train": {
    "targets": { "target": { "shape": [] } }, "loss": "crossEntropy(scores, target)",
    "metrics": { "accuracy": "topAccuracy(scores, target)" }, "batch": 16
  } }
"""


def deal(folder, devices):
    """Writes the model, the weights to begin with, and what each device has."""
    random, digits = np.random.default_rng(1), load_digits()
    order = random.permutation(len(digits.target))
    for device, rows in enumerate(np.array_split(order, devices)):
        for ending, own in (("", rows[len(rows) // 5 :]), ("-held", rows[: len(rows) // 5])):
            np.savez(
                folder / f"{device}{ending}.npz", x=(digits.data[own] / 16).astype(np.float32),
                target=digits.target[own].astype(np.float32))
    (folder / "model.json").write_text(MODEL, encoding="utf-8")
    weights = {}
    for name, rows, columns in (("hidden", 32, 64), ("scores", 10, 32)):
        weights[name + ".weight"] = (random.normal(size=(rows, columns)) * np.sqrt(2 / columns)).astype(np.float32)
        weights[name + ".bias"] = np.zeros(rows, np.float32)
    save_file(weights, folder / "begin.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("legato", nargs="?", default=str(HERE.parents[1] / ".build/release/legato"))
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    legato = str(pathlib.Path(options.legato).resolve())
    simulation = Proof(legato, folder, "simulation")
    try:
        data = folder / "data"
        data.mkdir()
        deal(data, options.devices)
        simulation.superlink(free_port(), "--simulation")
        text, seconds = simulation.result(
            ["--federation-config", f"num-supernodes={options.devices} client-resources-num-cpus=1"], most=3600, ending=".json",
            legato=legato, folder=str(data), rounds=options.rounds, epochs=options.epochs)
    finally:
        simulation.end_all()
        shutil.rmtree(folder, ignore_errors=True)
    rounds = json.loads(text)
    print(f"{options.devices} devices, {seconds:.0f} s")
    for number, scores in rounds.items():
        print(f"round {number}: loss {scores['loss']:.3f}, accuracy {scores['accuracy']:.3f}")
    if len(rounds) != options.rounds or not rounds[str(options.rounds)]["accuracy"] > 0.5:
        raise SystemExit("the devices have not learned")


if __name__ == "__main__":
    main()
