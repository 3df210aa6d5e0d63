# SPDX-License-Identifier: Apache-2.0
"""What a native client does, in NumPy: one step of SGD a round on the mean squared error of a line."""
import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()


def learned(arrays, x, y, rate):
    w, b = arrays
    error = x @ w.T + b - y
    scale = np.float32(2 / len(x))
    loss = float(np.mean(error**2))
    return [w - np.float32(rate) * (scale * (error.T @ x)), b - np.float32(rate) * (scale * error.sum(axis=0))], loss


def shard(context):
    data = np.load(str(context.node_config["shard"]))
    return data["x"], data["target"]


@app.train()
def train(message: Message, context: Context) -> Message:
    x, y = shard(context)
    record = message.content["arrays"]
    names = list(record)
    arrays, loss = learned(
        [record[name].numpy() for name in ("w", "b")], x, y, message.content["config"]["rate"])
    by_name = dict(zip(("w", "b"), arrays))
    return Message(RecordDict({
        "arrays": ArrayRecord({name: Array(by_name[name]) for name in names}),
        "metrics": MetricRecord({"loss": loss, "num-examples": len(x)})}), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    x, y = shard(context)
    record = message.content["arrays"]
    _, loss = learned([record[name].numpy() for name in ("w", "b")], x, y, 0)
    return Message(RecordDict({"metrics": MetricRecord({"loss": loss, "num-examples": len(x)})}), reply_to=message)
