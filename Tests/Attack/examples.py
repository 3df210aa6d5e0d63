# SPDX-License-Identifier: Apache-2.0
"""What programs that learn take in besides data: readings, states, bundles, artifacts, reports, and typed interfaces."""

import io
import json
import os

import numpy as np

from hostile import bytes_mutated, nested, numbers_mutated, texts_mutated, tokens_mutated
from learning import ODD, read, write
from result import Failed, Tried, refused
from tensors import cut

TEXT = [bytes_mutated, tokens_mutated, numbers_mutated, texts_mutated, nested, cut]


class Examples:
    """Files of each kind, of which one was damaged."""

    name = "examples"

    def __init__(self, program, artifacts, pictures):
        self.program, self.picture = program, read(pictures, "small.png")
        self.artifacts = {name: read(artifacts, name) for name in ("eval_model.onnx", "checkpoint")}

    def case(self, random, folder):
        kind = random.choice([self.readings, self.readings, self.states, self.bundle, self.artifact, self.report, self.interface])
        words, places = kind(random, folder)
        before = {path: content for path, content in files(folder)}
        outcome = self.program.run(words, b"", folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        after = {path: content for path, content in files(folder)}
        if any(after.get(path) != content for path, content in before.items()):
            return Failed("a file changed", outcome.messages[:300])
        if not outcome.code:
            return Tried()
        # Faults of lines are told before what ends it, and what was heard until then is written.
        last = outcome.messages.strip().splitlines()[-1]
        kept = sorted(path for path in after if path != "answers.json")
        has_place = last.startswith((*places, words[0] + ": ")) or outcome.code == 2
        return refused(outcome, has_place, sorted(before), kept)

    def readings(self, random, folder):
        """Lines with fields that are no numbers, times that go back, far on or nowhere, and other columns."""
        write(folder, "m.json", json.dumps(listener()).encode())
        rows, time = ["time,who,a,b,is"], 0.0
        for row in range(random.choice([1, 8, 40])):
            time += random.choice([0.5, 0.5, 0.5, 0.49, 0, -0.5, 1.5, 5, 1e9, -1e300, 1e308]) if row else 0
            rows.append(f"{time},{row // 9},{random.uniform(-1, 1):.3f},{random.uniform(-1, 1):.3f},{random.choice(['low', 'high', 'x', ''])}")
        for _ in range(random.choice([0, 1, 3])):
            row = random.randrange(len(rows))
            fields = rows[row].split(",")
            fields[random.randrange(len(fields))] = random.choice(ODD)
            rows[row] = ",".join(fields[: random.choice([5, 5, 5, 2])])
        text = random.choice(["\n", "\r\n"]).join(rows).encode()
        if random.random() < 0.4:
            text = random.choice([bytes_mutated, numbers_mutated, cut])(text, random)
        write(folder, "r.csv", text)
        words = ["listen", "m.json", "--csv", "r.csv", "--format", random.choice(["table", "lines", "json", "labels"])]
        for option in (["--truth", "is"], ["--recording", "who"], ["--time", random.choice(["time", "time:ms", "a", ""])], ["--hop", "1"]):
            if random.random() < 0.3:
                words += option
        return [*words, "-o", "answers.json"], ("r.csv",)

    def states(self, random, folder):
        """What is remembered, of other names and shapes, and in files that are damaged."""
        write(folder, "m.json", json.dumps(listener()).encode())
        write(folder, "r.csv", b"a,b\n1,0\n0,1\n")
        arrays = {"beforeIn": np.ones(random.choice([2, 2, 2, 0, 3]), "<f4")}
        if random.random() < 0.3:
            arrays[random.choice(["before", "", "x" * 300, "é"])] = np.ones(2)
        packed = io.BytesIO()
        np.savez(packed, **{name or "arr": array for name, array in arrays.items()})
        content = packed.getvalue()
        if random.random() < 0.6:
            content = random.choice([bytes_mutated, cut])(content, random)
        write(folder, "s.npz", content)
        return ["listen", "m.json", "--csv", "r.csv", "--state-in", "s.npz", "-o", "answers.json"], ("s.npz",)

    def bundle(self, random, folder):
        """A bundle whose model.json says other things than its model."""
        os.makedirs(os.path.join(folder, "b"))
        model = {
            "legato": 1, "name": "Colours", "inputs": {"p": {"shape": [3, 4, 4]}}, "weights": {"w": [[1, 0, -1], [0, 2, 0]]},
            "graph": {"scores": "dense(mean(mean(p, axis: 2), axis: 1), 'w')"}, "outputs": ["scores"],
            "train": {"targets": {"labels": {"shape": []}}, "loss": "crossEntropy(scores, labels)"},
        }  # fmt: skip
        bundle = {
            "name": "Colours", "details": "Tells pictures apart.", "id": "colours", "version": "1", "author": "A", "license": "MIT",
            "model": {"file": "colours.json", "quantized": False, "type": "image.classification", "backend": "legato", "modes": ["predict", "train", "eval"]},
            "inputs": [
                {"name": "p", "type": "image", "dtype": "float32", "shape": [-1, 3, 4, 4], "format": "RGB", "normalize": {"scale": 0.004}},
                {"name": "labels", "type": "array", "dtype": "int32", "shape": [-1, 1]},
            ],
            "outputs": [{"name": "scores", "type": "array", "dtype": "float32", "shape": [-1, 2], "labels": ["cat", "dog"]}],
            "train": {"ops": ["loss"]},
        }  # fmt: skip
        text = json.dumps(bundle).encode()
        for _ in range(random.choice([1, 1, 2, 4])):
            text = random.choice(TEXT)(text, random)
        write(folder, "b/model.json", text)
        if random.random() < 0.9:
            write(folder, "b/colours.json", json.dumps(model).encode())
        write(folder, "cat.png", self.picture)
        words = random.choice([["inspect", "b"], ["inspect", "b", "--json"], ["run", "b"], ["run", "b", "--input", "p=cat.png"]])
        return words, ("b/", "b:")

    def artifact(self, random, folder):
        """The files that ONNX Runtime trains with, of which some are damaged or not there."""
        os.makedirs(os.path.join(folder, "b"))
        for name, content in self.artifacts.items():
            if random.random() < 0.7:
                content = random.choice([bytes_mutated, cut])(content, random)
            if random.random() < 0.9:
                write(folder, f"b/{name}", content)
        return random.choice([["inspect", "b"], ["run", "b"], ["import", "b", "-o", "out.json"]]), ("b/", "b:")

    def report(self, random, folder):
        """Reports of train and of evaluate, with other numbers, labels and counts."""
        confusion = {"labels": ["low", "high"], "accuracy": 0.75, "counts": [[3, 1], [0, 0]]}
        report = random.choice([
            {"scores": {"loss": 0.5}, "confusion": confusion},
            {"best": 1, "epochs": [{"epoch": epoch, "scores": {"loss": 1 / epoch}, "validation": {"loss": 2 / epoch}} for epoch in (1, 2, 3)]},
            {"best": 1, "epochs": [{"epoch": 1, "scores": {"loss": None}, "validation": {}}], "confusion": confusion},
        ])  # fmt: skip
        text = json.dumps(report).encode()
        for _ in range(random.choice([1, 1, 2, 4])):
            text = random.choice(TEXT)(text, random)
        write(folder, "r.json", text)
        return ["plot", "r.json", *random.choice([[], ["--json"]]), "-o", "out.svg"], ("r.json",)

    def interface(self, random, folder):
        """Typed Swift of models that are damaged, or called as nothing in Swift is."""
        model = listener()
        if random.random() < 0.5:
            model["outputs"][0]["labels"] = [random.choice(ODD + ["class", "self", "a b", '"', "\\", "\n"]), random.choice(ODD)]
            model["description"] = random.choice(['*/ "', "\n}\n", "\u2028 ///", "x" * 5000])
        text = json.dumps(model).encode()
        for _ in range(random.choice([0, 1, 2])):
            text = random.choice(TEXT)(text, random)
        write(folder, "m.json", text)
        output = random.choice(["Out.swift", "Out.swift", "class.swift", "3-4.swift", "é.swift", "out.txt"])
        return ["interface", "m.json", "-o", output, *random.choice([[], ["--resource", random.choice(["", "/m.json", "../m.json", "a/m.json", "ü", "9" * 400])]])], ("m.json",)


def listener():
    """A classifier of windows that remembers."""
    return {
        "legato": 1,
        "name": "Means",
        "clock": "step",
        "sampleRate": 2,
        "inputs": {"x": {"shape": [2, 2]}, "beforeIn": {"shape": [2]}},
        "graph": {"beforeOut": "0.5 * (beforeIn + mean(x, axis: 1))", "p": "softmax(beforeOut)"},
        "outputs": [{"name": "p", "labels": ["low", "high"]}, "beforeOut"],
        "listen": {"columns": ["a", "b"]},
    }


def files(folder):
    """The files below a folder, by their paths, with what is in them."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            yield path, read(folder, path)
