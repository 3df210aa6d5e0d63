# SPDX-License-Identifier: Apache-2.0
"""Rounds of learning: PyTorch beside legato-bench's rows, with as many threads: one, and two where there are two processors."""

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


def find(found: Programs, processors: set[int]) -> "list[Learning]":
    """One contender where a Python has PyTorch, which is as large as all else together; none where there is none."""
    for python in (sys.executable, which("python3", path=os.defpath), which("python3")):
        if python and call([python, "-c", "import torch"], stdout=DEVNULL, stderr=DEVNULL) == 0:
            return [Learning(python, processors)]
    found.missing.append(f"learning: left out, as torch is missing; install it: {sys.executable} -m pip install torch")
    return []


class Learning:
    name = "PyTorch"

    def __init__(self, python: str, processors: set[int]) -> None:
        self.python = python
        # Where two threads may run; one stays where everything else does.
        self.processors = processors

    def rounds(self, threads: int) -> tuple[str, dict[str, float]]:
        peer = json.loads(run([self.python, HERE / "runners" / "torch_learning.py", str(SECONDS), str(threads)]))
        return peer["version"], peer["rounds"]

    def measure(self, sizes: list[int], milliseconds: float) -> Times:
        figures = BUILD / "legato-bench-learning.json"
        figures.unlink(missing_ok=True)
        pinned = os.sched_getaffinity(0)
        version, rounds = self.rounds(1)
        notes = dict.fromkeys(rounds, "one thread")
        os.sched_setaffinity(0, self.processors)
        try:
            if len(self.processors) > 1:
                both = self.rounds(2)[1]
                rounds |= both
                notes |= dict.fromkeys(both, "two threads")
            run([BENCH, "--quick", "--filter", ROWS, "--processor", str(min(pinned)), "--json", figures],
                environment=os.environ | {"PATH": ""})
        finally:
            os.sched_setaffinity(0, pinned)
        ours = {figure["name"]: figure["median"] for figure in json.loads(figures.read_text())["figures"]}
        times: Times = {}
        for graph, nanoseconds in rounds.items():
            times[Key(NAME, graph, STEP, "through the trainer")] = ours[graph]
            times[Key(f"PyTorch {version}", graph, STEP, f"forward, backward, update; {notes[graph]}")] = nanoseconds
        return times
