# SPDX-License-Identifier: Apache-2.0
"""Captures of amplifiers that lie: fields, sizes, counts of weights, and files that are cut or immense."""

import copy
import json
import os
import re

import numpy as np

from calls import RATE
from hostile import bytes_mutated, nested, numbers_mutated, tokens_mutated
from result import Failed, Tried, refused
from tensors import cut

COMMANDS = [
    ["process", "amp.nam", "-", "out.wav", "--raw", f"{RATE}:1"],
    ["process", "amp.nam", "-", "out.wav", "--raw", f"{RATE}:1", "--normalize"],
    ["inspect", "amp.nam"],
    ["inspect", "amp.nam", "--size", "0"],
    ["import", "amp.nam", "-o", "amp.json"],
]
# What a message begins with: a place in the capture, or the command.
PLACE = re.compile(r"(\S*amp\.nam(:\d+:\d+)?|process|inspect|import|/dev/stdin): ")
LIES = [0, -1, 1, 2, 3, 0.5, 1e9, 1e300, 1 << 31, 1 << 62, True, None, "x", "", [], {}, [[1]], [0.5] * 3]


class Captures:
    """Captures of each kind that were damaged, or that say of themselves what is not so."""

    name = "captures"

    def __init__(self, program, folder):
        self.program, self.files = program, []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".nam"):
                with open(os.path.join(folder, name), "rb") as file:
                    self.files.append(file.read())

    def case(self, random, folder):
        text = random.choice(self.files)
        if random.random() < 0.5:
            for _ in range(random.choice([1, 1, 2, 4])):
                text = random.choice([cut, bytes_mutated, tokens_mutated, numbers_mutated, nested])(text, random)
        else:
            text = random.choice([lying, lying, lying, immense])(json.loads(text), random)
        with open(os.path.join(folder, "amp.nam"), "wb") as target:
            target.write(text)
        samples = np.random.default_rng(random.getrandbits(60)).uniform(-1, 1, 100).astype("<f4").tobytes()
        before = sorted(os.listdir(folder))
        outcome = self.program.run(random.choice(COMMANDS), samples, folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if not outcome.code:
            return Tried()
        return refused(outcome, PLACE.match(outcome.messages), before, sorted(os.listdir(folder)))


def places(value, found):
    """All places of a document where something else could stand, besides single weights."""
    entries = value.items() if isinstance(value, dict) else enumerate(value[:8]) if isinstance(value, list) else []
    for key, entry in entries:
        found.append((value, key))
        places(entry, found)
    return found


def lying(document, random):
    """Other values in the places of fields, fields under other names, and weights that are too few or too many."""
    for _ in range(random.choice([1, 1, 2, 3])):
        owner, key = random.choice(places(document, []))
        kind = random.randrange(8)
        if kind == 0 and isinstance(owner, dict):
            owner[random.choice(["x", "channels", "weights", "models", "params", "\x1b[1m"])] = owner.pop(key, 1)
        elif kind == 1 and isinstance(owner[key], list):
            owner[key] = owner[key] * random.choice([0, 2, 100]) + owner[key][: random.choice([0, 1])]
        elif kind == 2 and isinstance(owner[key], (int, float)):
            owner[key] = owner[key] * random.choice([2, -1, 1000, 1e6])
        else:
            # A copy: what is put into it must not be in the next case, nor in itself.
            owner[key] = copy.deepcopy(random.choice(LIES))
    return json.dumps(document).encode()


def immense(document, random):
    """Very many layers, parts, knobs or weights, up to the most bytes of a file."""
    many, kind = random.choice([5_000, 60_000]), random.randrange(6)
    config = document["config"]
    if kind == 0:
        document["weights"] = [random.choice([0, 1])] * random.choice([1 << 20, 30_000_000])
    elif kind == 1:
        config["num_layers"] = config["hidden_size"] = random.choice([1000, many])
    elif kind == 2:
        dilations = [random.choice([1, 1 << 24])] * many
        for owner in [config] + [layer for layer in config.get("layers", []) if isinstance(layer, dict)]:
            owner["dilations"] = dilations
            if "kernel_sizes" in owner:
                owner["kernel_sizes"] = 2
            for key in ["activation", "gating_mode", "secondary_activation"]:
                if isinstance(owner.get(key), list):
                    owner[key] = owner[key][0]
    elif kind == 3:
        for key in ["layers", "models", "submodels", "params"]:
            if isinstance(config.get(key), list):
                config[key] = config[key] * (many // 20)
    elif kind == 4:
        config["params"] = [{"name": f"k{index}", "min": 0, "max": 1, "default": 0} for index in range(many)]
    else:
        inner = document
        for _ in range(random.choice([10, 80, 200])):
            inner = {"architecture": "Sequential", "config": {"models": [inner]}}
        document = inner
    return json.dumps(document, separators=(",", ":")).encode()
