# SPDX-License-Identifier: Apache-2.0
"""Model files that are damaged, nonsensical or immense: each has to be understood or refused in words."""

import json
import os
import re

import numpy as np

from calls import RATE
from models import Writer, text_of
from nonsense import EXPRESSIONS, NUMBERS, TEXTS
from result import Failed, Tried

COMMANDS = [
    ["process", "model.json", "-", "-", "--raw", f"{RATE}:2"],
    ["process", "model.json", "-", "-", "--raw", f"{RATE}:1"],
    ["inspect", "model.json"],
    ["inspect", "model.json", "--json"],
    ["inspect", "model.json", "--stage", "graph"],
    ["inspect", "model.json", "--stage", "document"],
    ["inspect", "model.json", "--stage", "plan", "--channels", "2"],
    ["inspect", "model.json", "--stage", "svg"],
    ["compile", "model.json", "-o", "model.o"],
    ["process", "model.json", "-", "-", "--raw", f"{RATE}:2", "--check", "non-finite"],
    ["process", "model.json", "-", "-", "--raw", f"{RATE}:2", "--then", "model.json"],
]


# What a message begins with: a place in the model, or the command.
PLACE = re.compile(r"(\S*\.json(:\d+:\d+)?|process|inspect|compile|/dev/std(in|out)): ")


class Mutants:
    """Valid models that were damaged, and models that a monkey wrote."""

    name = "mutants"

    def __init__(self, program, models):
        self.program, self.functions, self.shipped = program, program.functions(), []
        for name in sorted(os.listdir(models)):
            if name.endswith(".json") and "schema" not in name:
                with open(os.path.join(models, name), "rb") as file:
                    self.shipped.append(file.read())

    def case(self, random, folder):
        kind = random.random()
        text = random.choice(self.shipped) if kind < 0.3 else self.random_model(random) if kind < 0.8 else alone(random)
        for _ in range(random.choice([0, 1, 1, 1, 2, 4]) if kind < 0.8 else 0):
            text = random.choice(
                [bytes_mutated, tokens_mutated, numbers_mutated, texts_mutated, nested, immense, rewritten]
            )(text, random)
        with open(os.path.join(folder, "model.json"), "wb") as file:
            file.write(text)
        samples = np.random.default_rng(random.getrandbits(60)).uniform(-1, 1, 2 * 100).astype("<f4")
        outcome = self.program.run(random.choice(COMMANDS), samples.tobytes(), folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if outcome.code and not PLACE.match(outcome.messages):
            return Failed("no place", outcome.messages[:300])
        return Tried()

    def random_model(self, random):
        writer = Writer(random, self.functions)
        document = writer.model()
        if random.random() < 0.4 and document["graph"]:
            name = random.choice(list(document["graph"]))
            document["graph"][name] = random.choice(EXPRESSIONS)
            document["outputs"] = [name]  # or it would not be computed
        if random.random() < 0.15:
            document["graph"][random.choice(TEXTS)] = "src"
        return text_of(document, random).encode()


def alone(random):
    """A model that is one expression, and nothing else is wrong with it."""
    document = {
        "legato": 1,
        "inputs": {"src": {"shape": [random.choice(["channels", "channels", 1, 2]), "frames"]}},
        "weights": {"w": [[[1, 0.5]]]},
        "graph": {"dst": random.choice(EXPRESSIONS)},
        "outputs": ["dst"],
    }
    return json.dumps(document).encode()


def bytes_mutated(text, random):
    """Single bytes changed, removed, doubled, or the end cut off."""
    text = bytearray(text)
    for _ in range(random.choice([1, 1, 2, 8])):
        if not text:
            break
        at, kind = random.randrange(len(text)), random.randrange(5)
        if kind == 0:
            text[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            del text[at : at + random.choice([1, 1, 3, 30])]
        elif kind == 2:
            text[at:at] = bytes(
                random.choice(b"\"{}[](),:+-*/%'\\\0\xff\xc3 019eE.") for _ in range(random.choice([1, 2]))
            )
        elif kind == 3:
            text[at:at] = text[at : at + random.choice([1, 10, 100])]
        elif random.random() < 0.3:
            del text[at:]
    return bytes(text)


TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\S')


def tokens_mutated(text, random):
    """Words and signs exchanged, removed, repeated."""
    places = [match.span() for match in TOKEN.finditer(text)]
    if len(places) < 2:
        return text
    (a, b), (c, d) = sorted(random.sample(places, 2))
    kind = random.randrange(3)
    if kind == 0:
        return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
    if kind == 1:
        return text[:a] + text[b:]
    return text[:c] + text[a:b] * random.choice([1, 2, 50]) + text[c:]


def numbers_mutated(text, random):
    """A number that stands at some limit."""
    places = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", text)]
    if not places:
        return text
    a, b = random.choice(places)
    return text[:a] + random.choice(NUMBERS).encode() + text[b:]


def texts_mutated(text, random):
    """A string that is something else."""
    places = [match.span() for match in re.finditer(rb'"(?:[^"\\]|\\.)*"', text)]
    if not places:
        return text
    a, b = random.choice(places)
    other = random.choice(TEXTS) if random.random() < 0.5 else random.choice(EXPRESSIONS)
    return text[:a] + b'"' + other.encode("utf-8", "replace") + b'"' + text[b:]


def nested(text, random):
    """Many levels of brackets, in the file or in an expression."""
    depth = random.choice([2, 100, 255, 256, 257, 5_000, 100_000])
    if random.random() < 0.5:
        open_, close = random.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[[1],", b"]")])
        inner = b"1" if random.random() < 0.8 else b""
        deep = open_ * depth + inner + close * (depth if random.random() < 0.8 else 0)
    else:
        open_, close = random.choice([("(", ")"), ("sin(", ")"), ("-(", ")"), ("1+(", ")"), ("concatenate([", "])")])
        deep = ('"' + open_ * depth + "src" + close * depth + '"').encode()
    places = [match.span() for match in re.finditer(rb'"(?:[^"\\]|\\.)*"|\d+', text)]
    if not places:
        return deep
    a, b = random.choice(places)
    return text[:a] + deep + text[b:]


def immense(text, random):
    """Much of something: names, parameters, operands, outputs, axes."""
    try:
        document = json.loads(text)
        graph = document["graph"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    if not isinstance(graph, dict):
        return text
    many, kind = random.choice([10, 300, 3_000]), random.randrange(9)
    if kind == 0:
        graph.update({f"n{index}": f"n{index + 1} + src" for index in range(many)})
        graph[f"n{many}"] = "src"
        document["outputs"] = ["n0"]
    elif kind == 1:
        graph["long"] = " + ".join(["src"] * many)
        document["outputs"] = ["long"]
    elif kind == 2:
        document["parameters"] = {f"q{index}": {"default": 1, "minimum": 0, "maximum": 2} for index in range(many)}
    elif kind == 3:
        document["inputs"] = {"src": {"shape": [many, "frames"]}}
    elif kind == 4:
        document["inputs"] = {"src": {"shape": [2] * random.choice([7, 8, 9, 40]) + ["frames"]}}
    elif kind == 5:
        document["weights"] = {"w": [[1.0] * random.choice([1, many])] * many}
        graph["heavy"] = "dense(src, weight: 'w')"
        document["outputs"] = ["heavy"]
    elif kind == 6:
        document["outputs"] = (list(graph) * many)[:many]
    elif kind == 7:
        graph.update({f"d{index}": f"delay(src, {index * 1000 + 1})" for index in range(many)})
        document["outputs"] = [f"d{many - 1}"]
    else:
        document["outputs"] = list(document.get("inputs", {})) + list(graph)
    return json.dumps(document).encode()


def rewritten(text, random):
    """One definition that is something else, or one member of the file."""
    try:
        document = json.loads(text)
        graph = document["graph"]
        name = random.choice(list(graph))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return text
    kind = random.randrange(5)
    if kind == 0:
        graph[name] = random.choice(EXPRESSIONS)
        document["outputs"] = [name]
    elif kind == 1:
        other = random.choice(list(graph))
        graph[name] = f"{other} + {name}"
    elif kind == 2:
        document["clock"] = random.choice(["step", "stream", "none", 3])
    elif kind == 3:
        document["sampleRate"] = random.choice([0, -1, 1, 48000, 44100.5, 1e9, "48000"])
    else:
        document.pop(random.choice(list(document)))
    return json.dumps(document).encode()
