# SPDX-License-Identifier: Apache-2.0
"""FedAvg over all devices; the scores of each round are written down."""
import json
import os
import pathlib

from flwr.app import Array, ArrayRecord, Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from safetensors.numpy import load_file

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = context.run_config
    begin = load_file(pathlib.Path(config["folder"]) / "begin.safetensors")
    result = FedAvg(fraction_train=1.0, fraction_evaluate=1.0).start(
        grid=grid, initial_arrays=ArrayRecord({name: Array(array) for name, array in begin.items()}),
        num_rounds=config["rounds"])
    rounds = {number: dict(scores) for number, scores in result.evaluate_metrics_clientapp.items()}
    part = config["output"] + ".part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(rounds, file)
    os.rename(part, config["output"])
