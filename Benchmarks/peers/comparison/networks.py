# SPDX-License-Identifier: Apache-2.0
"""Whole networks, as PyTorch exports them: a step of `legato run` beside ONNX Runtime's."""

import json
import sys
from typing import NamedTuple

from . import legato
from .programs import BUILD, REPOSITORY, Failure, Programs, python_with, run

SCRIPT = REPOSITORY / "Tests" / "ONNX" / "networks.py"
MODULES = ["torch", "onnx", "onnxruntime", "numpy"]


class Network(NamedTuple):
    name: str
    peer: str
    milliseconds: float
    legato: float

    @property
    def ratio(self) -> float:
        return self.milliseconds / self.legato


def measure(found: Programs) -> list[Network]:
    """A row of each network; none where no Python has what exports them."""
    python = python_with(MODULES)
    if not python:
        remedy = f"{sys.executable} -m pip install {' '.join(MODULES)}"
        found.missing.append(f"networks: left out; install what exports them: {remedy}")
        return []
    figures = BUILD / "networks.json"
    figures.unlink(missing_ok=True)
    try:
        run([python, SCRIPT, legato.COMMAND, "--exporter", "older", "--json", figures])
    except Failure as failure:
        # What was measured before is shown, as are the networks that are right.
        found.missing.append(f"networks: {failure}")
    if not figures.exists():
        return []
    made = json.loads(figures.read_text())
    peer = f"ONNX Runtime {made['runtime']}"
    return [Network(row["network"], peer, 1000 * row["theirSeconds"], 1000 * row["seconds"]) for row in made["rows"]]


def bars(networks: list[Network]) -> list[str]:
    """Whether the promise is kept: no network takes longer than there."""
    return [
        f"{'kept' if row.ratio >= 1 else 'MISSED'}: at least as fast as {row.peer}, network {row.name}: {row.ratio:.2f} times"
        for row in networks]
