# SPDX-License-Identifier: Apache-2.0
"""Rounds of learning: PyTorch beside legato-bench's rows, one thread each."""

import json
import os
import sys
from shutil import which
from subprocess import DEVNULL, call

from .contender import STEP, Key, Times
from .legato import BENCH, NAME
from .programs import BUILD, HERE, Programs, run

ROWS = "learn "
SECONDS = 0.3


def find(found: Programs) -> "list[Learning]":
    """One contender where a Python has PyTorch, which is as large as all else together; none where there is none."""
    for python in (sys.executable, which("python3", path=os.defpath), which("python3")):
        if python and call([python, "-c", "import torch"], stdout=DEVNULL, stderr=DEVNULL) == 0:
            return [Learning(python)]
    found.missing.append(f"learning: left out, as torch is missing; install it: {sys.executable} -m pip install torch")
    return []


class Learning:
    name = "PyTorch"

    def __init__(self, python: str) -> None:
        self.python = python

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        peer = json.loads(run([self.python, HERE / "runners" / "torch_learning.py", str(SECONDS)]))
        figures = BUILD / "legato-bench-learning.json"
        figures.unlink(missing_ok=True)
        run([BENCH, "--quick", "--filter", ROWS, "--processor", str(min(os.sched_getaffinity(0))), "--json", figures],
            environment=os.environ | {"PATH": ""})
        ours = {figure["name"]: figure["median"] for figure in json.loads(figures.read_text())["figures"]}
        times: Times = {}
        for graph, nanoseconds in peer["rounds"].items():
            times[Key(NAME, graph, STEP, "through the trainer")] = ours[graph]
            times[Key(f"PyTorch {peer['version']}", graph, STEP, "forward, backward, update; one thread")] = nanoseconds
        return times
