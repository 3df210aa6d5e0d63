# SPDX-License-Identifier: Apache-2.0
"""FedAvg in both forms; replies are added up in the order of their examples, whoever comes first."""
import os
import time

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

app = ServerApp()
BODY = np.array([[1, 0, 0], [1, 1, 0], [0, -1, 1]], np.float32)


def beginning(config):
    """The arrays that are learned, and in front of them a body that does not learn, where there is one."""
    arrays = {"w": np.zeros((1, 3), np.float32), "b": np.zeros(1, np.float32)}
    return {"body": BODY} | arrays if config["body"] else arrays


def quick(grid):
    """A grid that looks for replies twenty times a second; Flower's own looks every 3 s."""

    def send_and_receive(messages, *, timeout=None):
        waiting, replies, end = set(grid.push_messages(messages)), [], time.time() + (timeout or 1e9)
        while waiting and time.time() < end:
            found = list(grid.pull_messages(waiting))
            replies += found
            waiting -= {reply.metadata.reply_to_message_id for reply in found}
            time.sleep(0.05 if waiting else 0)
        return replies

    grid.send_and_receive = send_and_receive
    return grid


def nodes_there(grid, count):
    while len(list(grid.get_node_ids())) < count:
        time.sleep(0.05)


class Ordered(FedAvg):
    def aggregate_train(self, server_round, replies):
        def key(reply):
            if reply.has_error():
                return (1, reply.metadata.src_node_id)
            record = next(iter(reply.content.metric_records.values()))
            return (0, record["num-examples"], record.get("shard", 0), reply.metadata.src_node_id)

        return super().aggregate_train(server_round, sorted(replies, key=key))


def message_form(grid, config, context):
    strategy = Ordered(
        fraction_train=1.0, fraction_evaluate=1.0, min_train_nodes=config["clients"],
        min_evaluate_nodes=config["clients"], min_available_nodes=config["clients"])
    result = strategy.start(
        grid=grid, initial_arrays=ArrayRecord({name: Array(array) for name, array in beginning(config).items()}),
        num_rounds=config["rounds"], train_config=ConfigRecord({"rate": config["rate"], "epochs": config["epochs"]}), timeout=120)
    arrays = {name: array.numpy() for name, array in result.arrays.items()}
    losses = [m["loss"] for _, m in sorted(result.evaluate_metrics_clientapp.items())]
    return arrays, losses


def old_form(grid, config, context):
    """With old strategies; in secure aggregations of shares of which a threshold tells a secret, where there is one."""
    from flwr.common import ndarrays_to_parameters, parameters_to_ndarrays
    from flwr.server import LegacyContext, ServerConfig
    from flwr.server.client_manager import SimpleClientManager
    from flwr.server.compat.app import start_grid
    from flwr.server.strategy import FedAvg as OldFedAvg
    from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow

    final = {}

    class OldOrdered(OldFedAvg):
        def aggregate_fit(self, server_round, results, failures):
            results = sorted(results, key=lambda item: (item[1].num_examples, item[0].cid))
            hashes = {result.metrics["sent-hash"] for _, result in results if "sent-hash" in result.metrics}
            if config["threshold"] and len(hashes) != 1:
                raise RuntimeError(f"all devices were sent the same, and say {len(hashes)} hashes of it")
            parameters, metrics = super().aggregate_fit(server_round, results, failures)
            if parameters is not None:
                final["arrays"] = parameters_to_ndarrays(parameters)
            return parameters, metrics

    strategy = OldOrdered(
        min_fit_clients=config["clients"], min_evaluate_clients=config["clients"], inplace=False,
        fraction_evaluate=0.0 if config["threshold"] else 1.0, min_available_clients=config["clients"],
        on_fit_config_fn=lambda r: {"rate": config["rate"]} | ({"epochs": config["epochs"]} if config["epochs"] else {}),
        initial_parameters=ndarrays_to_parameters(list(beginning(config).values())))
    if config["threshold"]:
        workflow = SecAggPlusWorkflow(
            1.0, config["threshold"], max_weight=float(config["weight"]), timeout=config["timeout"])
        legacy = LegacyContext(context, ServerConfig(num_rounds=config["rounds"]), strategy, SimpleClientManager())

        def one_round(grid, context):
            # Where a device has ended, what stands for shares of its mask key is put together, and of a native client that is a mark.
            try:
                workflow(grid, context)
            except ValueError as error:
                with open(config["output"] + ".flaw", "w", encoding="utf-8") as file:
                    file.write(str(error))

        DefaultWorkflow(fit_workflow=one_round)(grid, legacy)
        return dict(zip(beginning(config), final["arrays"])), []
    history = start_grid(
        grid=grid, config=ServerConfig(num_rounds=config["rounds"], round_timeout=120), strategy=strategy)
    return dict(zip(beginning(config), final["arrays"])), [loss for _, loss in history.losses_distributed]


def asking(grid, config):
    """Sends a message of some kind to every node, and writes down what comes back."""
    messages = [
        Message(RecordDict({"config": ConfigRecord({"a": 1})}), node, config["kind"]) for node in grid.get_node_ids()]
    replies = list(grid.send_and_receive(messages, timeout=60))
    return [r.error.reason if r.has_error() else str(dict(r.content)) for r in replies]


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = context.run_config
    nodes_there(quick(grid), config["clients"])
    # What is written appears when it is whole.
    part = config["output"] + ".part"
    if config["kind"]:
        with open(part, "w", encoding="utf-8") as file:
            file.write("\n".join(asking(grid, config)) + "\n")
    else:
        begin = time.time()
        arrays, losses = (message_form if config["form"] == "message" else old_form)(grid, config, context)
        with open(part, "wb") as file:
            np.savez(file, losses=np.array(losses), seconds=np.array(time.time() - begin), **arrays)
    os.rename(part, config["output"])
