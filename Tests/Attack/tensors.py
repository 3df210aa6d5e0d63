# SPDX-License-Identifier: Apache-2.0
"""Weights that lie: in files of tensors, and in the text of a model."""

import json
import os
import struct

import numpy as np

from calls import RATE
from hostile import PLACE, bytes_mutated, nested, numbers_mutated, tokens_mutated
from result import Failed, Tried, refused

KINDS = {"F32": "<f4", "F16": "<f2"}


class Tensors:
    """Files of weights and models with weights that were damaged, cut, or made immense."""

    name = "tensors"

    def __init__(self, program):
        self.program = program

    def case(self, random, folder):
        weights = {
            "conv.weight": np.array([[[random.uniform(-1, 1) for _ in range(3)]] for _ in range(4)]),
            "conv.bias": np.zeros(4),
            "unused": np.zeros((random.choice([0, 1, 40]), 2)),
            "head": np.array([[0.5, 0.25, -0.5, 0.125]]),
        }
        written = random.choice([[], [], ["head"], ["conv.weight", "head"], list(weights)])
        file = tensors({name: array for name, array in weights.items() if name not in written}, random)
        model = {
            "legato": 1,
            "name": "Damaged",
            "inputs": {"src": {"shape": [1, "frames"]}},
            "weights": {"file": "amp.safetensors", **{name: weights[name].tolist() for name in written}},
            "graph": {"dst": "dense(tanh(conv1d(src, 'conv.weight', 'conv.bias')), 'head', axis: 0)"},
            "outputs": ["dst"],
        }
        text = json.dumps(model).encode()
        if random.random() < 0.25:
            mutation = random.choice([bytes_mutated, tokens_mutated, numbers_mutated, nested, cut])
            text = mutation(text, random)
        else:
            file = random.choice([cut, bytes_mutated, header_mutated, header_mutated, numbers_lie, immense])(file, random)
        with open(os.path.join(folder, "amp.json"), "wb") as target:
            target.write(text)
        with open(os.path.join(folder, "amp.safetensors"), "wb") as target:
            target.write(file)
        samples = np.random.default_rng(random.getrandbits(60)).uniform(-1, 1, 100).astype("<f4").tobytes()
        command = random.choice([["process", "amp.json", "-", "out.wav", "--raw", f"{RATE}:1"], ["inspect", "amp.json"]])
        before = sorted(os.listdir(folder))
        outcome = self.program.run(command, samples, folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if not outcome.code:
            return Tried()
        return refused(outcome, PLACE.match(outcome.messages), before, sorted(os.listdir(folder)))


def tensors(arrays, random):
    """A file of tensors."""
    header, numbers = {}, b""
    if random.random() < 0.3:
        header["__metadata__"] = {"format": "pt", "step": "12"}
    for name, array in arrays.items():
        kind = random.choice(list(KINDS))
        part = array.astype(KINDS[kind]).tobytes()
        places = [len(numbers), len(numbers) + len(part)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": places}
        numbers += part
    return joined(json.dumps(header).encode(), numbers)


def joined(header, numbers):
    return struct.pack("<Q", len(header)) + header + numbers


def parts(file):
    length = struct.unpack("<Q", file[:8])[0]
    return file[8 : 8 + length], file[8 + length :]


def cut(file, random):
    """The beginning of it."""
    return file[: random.randrange(len(file))]


def header_mutated(file, random):
    """Another header, whose length is right."""
    header, numbers = parts(file)
    for _ in range(random.choice([1, 1, 2, 4])):
        header = random.choice([bytes_mutated, tokens_mutated, numbers_mutated, nested])(header, random)
    return joined(header, numbers)


def numbers_lie(file, random):
    """Lengths and offsets at some limit, and numbers that are none."""
    header, numbers = parts(file)
    kind = random.randrange(3)
    if kind == 0:
        length = random.choice([0, 1, len(header) - 1, len(header) + 1, 1 << 24, 1 << 31, 1 << 63, (1 << 64) - 1])
        return struct.pack("<Q", length) + header + numbers
    if kind == 1:
        odd = np.array([random.choice([np.nan, np.inf, -np.inf, 3e38, 1e-45])], "<f4").tobytes()
        at = random.randrange(max(1, len(numbers) - 3))
        return joined(header, numbers[:at] + odd + numbers[at + 4 :])
    document = json.loads(header)
    names = [name for name in document if name != "__metadata__"]
    if not names:
        return joined(header, numbers + b"\0")
    entry = document[random.choice(names)]
    field = random.choice(["shape", "data_offsets"])
    place = random.randrange(max(1, len(entry[field])))
    entry[field][place : place + 1] = [random.choice([0, 1, 1 << 31, 1 << 62, (1 << 63) - 1, 1 << 64, -1, 1e9])]
    if random.random() < 0.2:
        entry[field] = [random.choice([int(1e9), 1]) for _ in range(random.choice([0, 1, 3, 100]))]
    return joined(json.dumps(document).encode(), numbers)


def immense(file, random):
    """Very many tensors, texts, blanks or characters, up to the most that a header may have."""
    header, numbers = parts(file)
    many, kind = random.choice([5_000, 65_000, 70_000]), random.randrange(5)
    entry = b':{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    if kind == 0:
        more = b",".join(b'"%d"' % index + entry for index in range(many))
    elif kind == 1:
        more = b'"__metadata__":{' + b",".join(b'"%d":""' % index for index in range(20 * many)) + b"}"
    elif kind == 2:
        more = b'"' + random.choice([b"a", b"\\u00e4", "ä".encode(), b"a\\u0301"]) * (30 * many) + b'"' + entry
    elif kind == 3:
        more = b" " * (200 * many) + b'"x"' + entry
    else:
        more = b'"x":{"dtype":"F32","shape":[' + b",".join([b"1"] * many) + b'],"data_offsets":[0,0]}'
    return joined(b"{" + more + b"," + header.lstrip()[1:], numbers)
