# SPDX-License-Identifier: Apache-2.0
"""A device of a simulation: what the server asks for is done by a process of legato, with weights in and out as files.

FOLDER of the run's configuration has model.json, whose weights are the file begin.safetensors, and for each device N what it
learns from and is judged by, N.npz and N-held.npz.
"""
import json
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from safetensors.numpy import load_file, save_file

app = ClientApp()


class Device:
    """A folder of its own with the model and the server's weights, for one request."""

    def __init__(self, message: Message, context: Context, ending: str):
        self.config, shared = context.run_config, pathlib.Path(context.run_config["folder"])
        self.data = shared / f"{context.node_config['partition-id']}{ending}.npz"
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name)
        shutil.copy(shared / "model.json", self.place)
        save_file({name: array.numpy() for name, array in message.content["arrays"].items()}, self.place / "begin.safetensors")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def legato(self, command, *words):
        run = subprocess.run(
            [self.config["legato"], command, "model.json", "--data", self.data, "--threads", "1", *map(str, words)],
            cwd=self.place, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"legato {command}: {run.stderr.strip()}")
        return run.stdout

    def examples(self):
        with np.load(self.data) as file:
            return len(file["target"])


@app.train()
def train(message: Message, context: Context) -> Message:
    with Device(message, context, "") as device:
        device.legato(
            "train", "--epochs", device.config["epochs"], "--seed", message.content["config"]["server-round"],
            "--validate", 0, "--quiet", "-o", "learned.json")
        learned = load_file(device.place / "learned.safetensors")
        names = message.content["arrays"]
        return Message(RecordDict({
            "arrays": ArrayRecord({name: Array(learned[name]) for name in names}),
            "metrics": MetricRecord({"num-examples": device.examples()})}), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    with Device(message, context, "-held") as device:
        scores = json.loads(device.legato("evaluate", "--json"))["scores"]
        return Message(
            RecordDict({"metrics": MetricRecord(scores | {"num-examples": device.examples()})}), reply_to=message)
