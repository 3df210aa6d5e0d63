# SPDX-License-Identifier: Apache-2.0
"""What a native client does, in NumPy: one step of SGD a round on the mean squared error of a line."""
import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp
from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.compat.common.recorddict_compat import fitres_to_recorddict, recorddict_to_fitins


def secured(message, context, call_next):
    """Plays SecAgg+ where the server asks for it."""
    if "secaggplus_configs" in message.content.config_records:
        return secaggplus_mod(message, context, call_next)
    return call_next(message, context)


app = ClientApp(mods=[secured])


def learned(arrays, x, y, rate):
    w, b = arrays
    error = x @ w.T + b - y
    scale = np.float32(2 / len(x))
    loss = float(np.mean(error**2))
    return [w - np.float32(rate) * (scale * (error.T @ x)), b - np.float32(rate) * (scale * error.sum(axis=0))], loss


def shard(context):
    data = np.load(str(context.node_config["shard"]))
    return data["x"], data["target"]


def named(record, x):
    """The arrays that learn, and their inputs: behind a body, which does not learn, where the server has one."""
    return [record[name].numpy() for name in ("w", "b")], x @ record["body"].numpy().T if "body" in record else x


@app.train()
def train(message: Message, context: Context) -> Message:
    x, y = shard(context)
    if "fitins.parameters" in message.content:
        fit = recorddict_to_fitins(message.content, True)
        arrays, loss = learned(parameters_to_ndarrays(fit.parameters), x, y, fit.config["rate"])
        result = FitRes(Status(Code.OK, ""), ndarrays_to_parameters(arrays), len(x), {"loss": loss})
        return Message(fitres_to_recorddict(result, False), reply_to=message)
    record = message.content["arrays"]
    arrays, x = named(record, x)
    arrays, loss = learned(arrays, x, y, message.content["config"]["rate"])
    by_name = dict(zip(("w", "b"), arrays))
    return Message(RecordDict({
        "arrays": ArrayRecord({name: Array(by_name[name]) if name in by_name else record[name] for name in record}),
        "metrics": MetricRecord({"loss": loss, "num-examples": len(x)})}), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    x, y = shard(context)
    arrays, x = named(message.content["arrays"], x)
    _, loss = learned(arrays, x, y, 0)
    return Message(RecordDict({"metrics": MetricRecord({"loss": loss, "num-examples": len(x)})}), reply_to=message)
