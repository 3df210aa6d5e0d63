# SPDX-License-Identifier: Apache-2.0
"""Networks that lie: ONNX files with damaged bytes, fields, names and numbers, and small ones that ask for very much."""

import os
import re

import numpy as np

from hostile import bytes_mutated
from learning import read, write
from result import MIB, Failed, Tried, refused
from tensors import cut

# The beginning of a message: a file of the case, or the command.
PLACE = re.compile(r"(\S*(net\.onnx|w\.bin|\.npy)|run|inspect|import|export)\b.*: ")
INTEGERS = [0, 1, 2, 3, 7, 9, 17, 255, 1 << 16, 1 << 24, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, (1 << 64) - 2]
WORDS = ["", "x", "y", "0", "Loop", "Scan", "If", "Conv", "Gather", "Resize", "LSTM", "Einsum", "none", "é", "\x1b[1m", "a" * 5000]
MANY = [2, 70, 3000]
MEMORY = 512 * MIB  # of a refusal: until then 2^24 numbers may be made of a few bytes, in double precision


class Networks:
    """Small networks of every op, of which something was damaged, and some that say little and want much."""

    name = "networks"

    def __init__(self, program, folder):
        self.program = program
        self.cases = [Case(value) for number, _, value in fields(read(folder, "cases.pb")) if number == 1]

    def case(self, random, folder):
        case = random.choice(self.cases)
        if random.random() < 0.85:
            file = case.model
            for _ in range(random.choice([1, 1, 2, 4])):
                file = random.choice([field_mutated, field_mutated, field_mutated, bytes_mutated, cut])(file, random)
            # As one that is recognised.
            file, inputs, extents = case.model[:3] + file[3:], case.inputs, case.extents
        else:
            file, inputs, extents = immense(random), [("x", np.zeros((2, 3), "<f4"))], []
        write(folder, "net.onnx", file)
        write(folder, "w.bin", np.arange(6, dtype="<f4").tobytes())
        words = ["net.onnx"]
        for name, number in extents:
            words += ["--bind", f"{name}={number}"]
        command = random.choice(["run", "run", "import", "inspect", "export"])
        if command == "run":
            for row, (name, array) in enumerate(inputs):
                np.save(os.path.join(folder, f"{row}.npy"), array)
                words += ["--input", f"{name}={row}.npy"]
            words += ["-o", "out.npz"]
        elif command != "inspect":
            words += ["-o", {"import": "net.json", "export": "again.onnx"}[command]]
        else:
            words += random.choice([[], ["--json"], ["--stage", "graph"], ["--stage", "kernels"]])
        before = sorted(os.listdir(folder))
        outcome = self.program.run([command, *words], b"", folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if not outcome.code:
            return Tried()
        return refused(outcome, PLACE.match(outcome.messages), before, sorted(os.listdir(folder)), MEMORY)


class Case:
    """A network with what goes in, as Tests/ONNX/cases.py writes it."""

    def __init__(self, message):
        self.model, self.inputs, self.extents = b"", [], []
        for number, _, value in fields(message):
            if number == 2:
                self.model = value
            elif number in (3, 5):
                parts = {key: part for key, _, part in fields(value)}
                name = parts[1].decode()
                if number == 5:
                    self.extents.append((name, parts[2]))
                else:
                    shape = packed(parts.get(2, b""))
                    self.inputs.append((name, np.frombuffer(parts.get(3, b""), "<f4").reshape(shape)))


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def taken(data, at):
    """A number, and where the next one stands."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return number, at


def packed(data):
    """Numbers that stand one behind the other."""
    numbers, at = [], 0
    while at < len(data):
        number, at = taken(data, at)
        numbers.append(number)
    return numbers


def fields(message):
    """The fields of a message: number, kind on the wire, and value; ValueError where it is none."""
    found, at = [], 0
    try:
        while at < len(message):
            key, at = taken(message, at)
            number, kind = key >> 3, key & 7
            if kind == 0:
                value, at = taken(message, at)
            else:
                length, at = taken(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
                value, at = message[at : at + length], at + length
            if not number or at > len(message):
                raise ValueError
            found.append((number, kind, value))
    except (IndexError, KeyError) as error:
        raise ValueError from error
    return found


def joined(found):
    out = b""
    for number, kind, value in found:
        out += varint(number << 3 | kind)
        out += varint(value) if kind == 0 else (varint(len(value)) if kind == 2 else b"") + value
    return out


def field_mutated(message, random):
    """One field of a message, or of one within it, that is another one, is missing, or is there many times."""
    try:
        found = fields(message)
    except ValueError:
        return bytes_mutated(message, random)
    if not found:
        return message
    at = random.randrange(len(found))
    number, kind, value = found[at]
    if kind == 2 and len(value) > 4 and random.random() < 0.8:
        try:
            fields(value)
            found[at] = (number, kind, field_mutated(value, random))
            return joined(found)
        except ValueError:
            pass
    change = random.randrange(6)
    if change == 0:
        del found[at]
    elif change == 1:
        found[at:at] = [found[at]] * random.choice(MANY)
    elif change == 2:
        other = random.randrange(len(found))
        found[at], found[other] = found[other], found[at]
    elif change == 3:
        found[at] = (random.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 20, 21]), kind, value)
    elif kind == 0:
        found[at] = (number, kind, random.choice([*INTEGERS, value + 1, value * 1000]))
    elif kind == 2:
        odd = [random.choice(WORDS).encode(), b"".join(varint(random.choice(INTEGERS)) for _ in range(random.choice([1, 2, 4])))]
        found[at] = (number, kind, random.choice([*odd, value[: len(value) // 2], value * 2]))
    else:
        found[at] = (number, kind, bytes(random.choice([0, 1, 127, 128, 255]) for _ in value))
    return joined(found)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value % (1 << 64))
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(op, inputs, outputs, attributes=b"", domain=""):
    ports = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    return ports + field(4, op) + attributes + field(7, domain)


def integers(name, numbers):
    return b"".join([field(1, len(numbers)), field(2, 7), field(7, b"".join(varint(one % (1 << 64)) for one in numbers)), field(8, name)])


def graph(nodes, tensors=(), shape=(2, 3)):
    """Nodes that take x and make y."""
    axes = b"".join(field(1, field(1, extent)) for extent in shape)
    port = field(1, "x") + field(2, field(1, field(1, 1) + field(2, axes)))
    return (
        b"".join(field(1, one) for one in nodes)
        + b"".join(field(5, tensor) for tensor in tensors)
        + field(11, port)
        + field(12, field(1, "y"))
    )


def model(inside, functions=()):
    opset = field(8, field(1, "") + field(2, 17)) + field(8, field(1, "own") + field(2, 1))
    return field(1, 8) + field(7, inside) + opset + b"".join(field(25, one) for one in functions)


def chain(random):
    """Very many nodes, one behind the other."""
    many = random.choice([3_000, 70_000, 140_000])
    op = random.choice(["Neg", "Relu", "Foo"])
    names = ["x", *(str(row) for row in range(many)), "y"]
    return model(graph([node(op, [a], [b]) for a, b in zip(names, names[1:])]))


def shapes(random):
    """Shapes of nothing: constants and values of more numbers than there is room for."""
    extents = random.choice([[1 << 24], [1 << 12, 1 << 12], [1 << 40], [1 << 24, 1 << 24], [-1], [1] * 70, [4000, 4000]])
    op, many = random.choice(["ConstantOfShape", "Expand", "Tile", "Reshape"]), random.choice([1, 1, 40])
    inputs = ["s"] if op == "ConstantOfShape" else ["x", "s"]
    sums = [node("Add", ["x", f"c{row}"], [f"d{row}"]) for row in range(many)]
    nodes = [node(op, inputs, [f"c{row}"]) for row in range(many)] + sums + [node("Sum", [f"d{row}" for row in range(many)], ["y"])]
    return model(graph(nodes, [integers("s", extents)], random.choice([(1, 1), (2, 3), (1 << 24,), (1 << 13, 1 << 11)])))


def levels(random):
    """Graphs that stand in each other, and functions that use the next one several times."""
    deep, times = random.choice([3, 15, 17, 500]), random.choice([1, 4])
    if random.random() < 0.5:
        inner = node("Neg", ["x"], ["y"])
        for _ in range(deep):
            body = field(1, inner) + field(12, field(1, "y"))
            branch = lambda name: field(5, field(1, name) + field(6, body) + field(20, 5))  # noqa: E731
            inner = node("If", ["c"], ["y"], branch("then_branch") + branch("else_branch"))
            if len(inner) > 1 << 20:
                break
        return model(graph([inner], [integers("c", [1])]))
    functions = []
    for level in range(deep):
        names = ["a", *(f"v{turn}" for turn in range(times - 1)), "b"]
        nodes = [node(f"F{level + 1}" if level + 1 < deep else "Neg", [a], [b], domain="own" if level + 1 < deep else "")
                 for a, b in zip(names, names[1:])]
        functions.append(field(1, f"F{level}") + field(4, "a") + field(5, "b") + b"".join(field(7, one) for one in nodes)
                         + field(9, field(1, "") + field(2, 17)) + field(9, field(1, "own") + field(2, 1)) + field(10, "own"))
    return model(graph([node("F0", ["x"], ["y"], domain="own")]), functions)


def elsewhere(random):
    """Weights in another file, of places and lengths that lie."""
    path = random.choice(["w.bin", "w.bin", "../w.bin", "/dev/zero", "/etc/passwd", "none", "", "w.bin/", "\x00", "."])
    entries = {"location": path, "offset": random.choice(["0", "4", "-1", "99999999999999999999", "x"]),
               "length": random.choice(["24", "0", "-1", "9223372036854775807"])}
    more = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries.items() if random.random() < 0.9)
    extents = random.choice([[2, 3], [1], [1 << 28], [1 << 31, 1 << 31], [-1]])
    tensor = b"".join(field(1, one) for one in extents) + field(2, random.choice([1, 1, 7, 10, 99])) + field(8, "w") + field(14, 1) + more
    return model(graph([node("Add", ["x", "w"], ["y"])], [tensor]))


def immense(random):
    return random.choice([chain, shapes, shapes, levels, levels, elsewhere])(random)
