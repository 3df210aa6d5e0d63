# SPDX-License-Identifier: Apache-2.0
"""Data that lies, runs that were damaged, and models whose section "train" makes no sense."""

import json
import os

import numpy as np

from hostile import bytes_mutated, numbers_mutated, tokens_mutated
from result import Failed, Tried, refused
from sounds import wav
from tensors import cut, header_mutated, numbers_lie

ODD = ["", " ", "nan", "inf", "-inf", "1e999", "1,5", '"', '"a"', "0x10", "--1", "1e", "\x00", "ü", "9" * 400]


class Learning:
    """Checkpoints, tables and folders of sounds that were damaged, and tasks with other numbers."""

    name = "learning"

    def __init__(self, program):
        self.program = program

    def case(self, random, folder):
        kind = random.choice([self.checkpoint, self.checkpoint, self.table, self.folder, self.task])
        words, places = kind(random, folder)
        kept = {name: read(folder, name) for name in os.listdir(folder) if "." in name}
        before = sorted(os.listdir(folder))
        outcome = self.program.run(["train", *words, "--epochs", "2", "--threads", "1", "--quiet", "-o", "out.json"], b"", folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if not outcome.code:
            return Tried()
        if any(read(folder, name) != content for name, content in kept.items()):
            return Failed("a file changed", outcome.messages[:300])
        has_place = outcome.messages.startswith((*places, "train: ")) or outcome.code == 2
        return refused(outcome, has_place, before, sorted(os.listdir(folder)))

    def checkpoint(self, random, folder):
        """A run that goes on from a file that is not what was written."""
        write(folder, "m.json", json.dumps(classifier()).encode())
        write(folder, "d.csv", table(random))
        words = ["m.json", "--data", "d.csv", "--checkpoint", "c.safetensors"]
        run = self.program.run(["train", *words, "--epochs", "1", "--threads", "1", "--quiet"], b"", folder)
        if run.code:
            raise RuntimeError(run.messages)
        mutation = random.choice([cut, bytes_mutated, header_mutated, header_mutated, numbers_lie, numbers_lie])
        write(folder, "c.safetensors", mutation(read(folder, "c.safetensors"), random))
        return [*words, "--resume"], ("c.safetensors",)

    def table(self, random, folder):
        """A table with fields that are no numbers, rows that are short or long, and other columns."""
        write(folder, "m.json", json.dumps(classifier()).encode())
        text = table(random)
        for _ in range(random.choice([1, 1, 2, 5])):
            rows = [row.split(b",") for row in text.split(b"\n")]
            row = random.choice(rows)
            place = random.randrange(len(row))
            change = random.randrange(6)
            if change == 0:
                row[place] = random.choice(ODD).encode()
            elif change == 1:
                del row[place:]
            elif change == 2:
                row += [b"1"] * random.choice([1, 2, 1000])
            text = b"\n".join(b",".join(row) for row in rows)
            if change > 2:
                text = random.choice([bytes_mutated, tokens_mutated, numbers_mutated, cut])(text, random)
        write(folder, "d.csv", text)
        return ["m.json", "--data", "d.csv"], ("d.csv",)

    def folder(self, random, folder):
        """Sounds for each class, of which some are none."""
        model = {
            "legato": 1,
            "name": "Level",
            "inputs": {"src": {"shape": [1, 64]}},
            "weights": {"head": [[0.5], [-0.5]]},
            "graph": {"scores": "dense(mean(src, axis: 1), 'head')"},
            "outputs": [{"name": "scores", "labels": ["loud", "quiet"]}],
            "train": {"targets": {"target": {"shape": []}}, "loss": "crossEntropy(scores, target)"},
        }
        write(folder, "m.json", json.dumps(model).encode())
        numbers = np.random.default_rng(random.getrandbits(60))
        for name in random.choice([["loud", "quiet"], ["loud", "quiet"], ["loud"], ["loud", "other"], ["loud", "quiet", ""]]):
            os.makedirs(os.path.join(folder, "clips", name), exist_ok=True)
            for index in range(random.choice([0, 1, 2, 3])):
                sound = wav(numbers.uniform(-1, 1, (random.choice([0, 1, 63, 64, 200]), 1)).astype("<f4"))
                if random.random() < 0.5:
                    sound = random.choice([cut, bytes_mutated])(sound, random)
                write(os.path.join(folder, "clips", name), f"{index}.{random.choice(['wav', 'wav', 'txt', 'png'])}", sound)
        return ["m.json", "--data", "clips"], ("clips", "m.json", "m")

    def task(self, random, folder):
        """Another window, loss, rate or shape."""
        write(folder, "d.csv", table(random))
        text = json.dumps(classifier()).encode()
        mutation = random.choice([numbers_mutated, tokens_mutated, bytes_mutated, swollen])
        write(folder, "m.json", mutation(text, random))
        return ["m.json", "--data", "d.csv"], ("m.json", "d.csv", "Line", "model")


def classifier():
    """A model of two classes that says how it learns."""
    return {
        "legato": 1,
        "name": "Line",
        "inputs": {"x": {"shape": [2]}},
        "weights": {"w": [[0.5, -0.25], [0.125, 0.75]], "b": [0, 0]},
        "graph": {"scores": "dense(x, 'w', 'b')"},
        "outputs": ["scores"],
        "train": {
            "targets": {"target": {"shape": []}},
            "loss": "crossEntropy(scores, target)",
            "metrics": {"right": "topAccuracy(scores, target, top: 1)"},
            "trainable": ["w", "b"],
            "optimizer": {"adamW": {"rate": 0.01, "decay": 0.01, "schedule": {"cosine": {"steps": 100, "to": 0.001}}}},
            "batch": 4,
            "patience": 3,
            "validate": 0.2,
        },
    }


def table(random):
    """Rows of two numbers and a class."""
    rows = ["x.0,x.1,target"]
    for _ in range(random.choice([1, 5, 12])):
        rows.append(f"{random.uniform(-1, 1):.4f},{random.uniform(-1, 1):.4f},{random.randrange(2)}")
    return "\n".join(rows).encode()


def swollen(text, random):
    """A number of the task at some limit."""
    model = json.loads(text)
    key = random.choice(["batch", "accumulate", "window", "warmup", "chunk", "recompute", "epochs", "patience", "validate"])
    model["train"][key] = random.choice([0, 1, -1, 0.5, 1 << 20, (1 << 20) + 1, 1 << 62, 1e308, "4", None, []])
    if random.random() < 0.3:
        model["train"]["targets"]["target"]["shape"] = random.choice([[1 << 30], [1 << 20, 1 << 20], [0], [-1], ["n"], [2]])
    if random.random() < 0.3:
        model["train"]["loss"] = random.choice(["", "scores", "mse(x, x)", "l1(scores", "1/0", "crossEntropy(target, target)"])
    return json.dumps(model).encode()


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
