# SPDX-License-Identifier: Apache-2.0
"""Sound files that are damaged: the program says so, or what comes out is what the whole file has."""

import json
import os
import re
import struct
import tempfile

import numpy as np

from result import Failed, LeftOut, Tried

# What the program writes: extension, and samples.
TYPES = [
    ("wav", "16"),
    ("wav", "24"),
    ("wav", "32"),
    ("wav", "float"),
    ("rf64", "24"),
    ("aiff", "16"),
    ("aiff", "float"),
    ("caf", "16"),
    ("caf", "float"),
    ("flac", "16"),
    ("flac", "24"),
    ("ogg", "16"),
]
CHECKED = ("flac", "ogg")  # each bit of these is under a checksum
FRAMES = 6_000
RATE = 48_000
ORDINARY = re.compile(r"^[^:]*: \d+ frames \([\d.]+ s\)")


class Sounds:
    """Each type that the program writes, cut, with bits turned, other numbers in the header, parts missing."""

    name = "sounds"

    def __init__(self, program):
        self.held = tempfile.TemporaryDirectory()  # goes when this goes
        self.folder = self.held.name
        self.program = program.with_cache(self.folder)
        self.whole = {}
        with open(os.path.join(self.folder, "identity.json"), "w") as file:
            json.dump(
                {
                    "legato": 1,
                    "inputs": {"x": {"shape": ["channels", "frames"]}},
                    "graph": {"y": "x + 0"},
                    "outputs": ["y"],
                },
                file,
            )

    def source(self, kind, channels):
        """A whole file, and its samples."""
        if (kind, channels) not in self.whole:
            extension, bits = kind
            generator = np.random.default_rng(channels)
            tone = 0.4 * np.sin(np.arange(FRAMES)[:, None] * (0.02 + 0.01 * np.arange(channels)))
            samples = (tone + generator.uniform(-0.2, 0.2, (FRAMES, channels))).astype("<f4")
            name = f"{channels}-{bits}.{extension}"
            plain = os.path.join(self.folder, f"{channels}.wav")
            with open(plain, "wb") as file:
                file.write(wav(samples))
            made = self.program.run(
                ["process", "identity.json", plain, name, "--bits", bits, "--dither", "none", "--force"],
                folder=self.folder,
            )
            if made.code:
                raise RuntimeError(made.messages)
            with open(os.path.join(self.folder, name), "rb") as file:
                content = file.read()
            outcome, decoded = self.decoded(os.path.join(self.folder, name), self.folder)
            if outcome.code or told(outcome):  # what is said of a whole file tells nothing of a damaged one
                raise RuntimeError(outcome.messages)
            self.whole[kind, channels] = content, decoded
        return self.whole[kind, channels]

    def decoded(self, path, folder):
        """What the program reads in a file."""
        target = os.path.join(folder, "decoded.wav")
        outcome = self.program.run(
            [
                "process",
                os.path.join(self.folder, "identity.json"),
                path,
                target,
                "--bits",
                "float",
                "--dither",
                "none",
                "--force",
            ],
            folder=folder,
        )
        if not os.path.exists(target):
            return outcome, None
        with open(target, "rb") as file:
            return outcome, floats(file.read())

    def case(self, random, folder):
        kind, channels = random.choice(TYPES), random.choice([1, 2, 2, 6])
        if kind[0] == "ogg":
            channels = min(channels, 2)
        content, samples = self.source(kind, channels)
        name, damaged, judged = damage(content, kind[0], random)
        path = os.path.join(folder, f"damaged.{kind[0]}")
        with open(path, "wb") as file:
            file.write(damaged)
        outcome, found = self.decoded(path, folder)
        label = f"{kind[0]} {name}"
        if complaint := outcome.complaint():
            return Failed(f"{label}: {complaint[0]}", complaint[1])
        if outcome.code:
            return Tried()
        if told(outcome):
            return Tried()
        if found is None:
            return Failed(f"{label}: no output", "exit code 0")
        if found.size == samples.size and (found == samples).all():
            return Tried()
        if not judged:
            return LeftOut("such damage cannot be seen")
        return Failed(
            f"{label}: taken for whole",
            f"{found.size} samples, of {samples.size} in the whole file, "
            f"{len(damaged)} bytes of {len(content)}, exit code 0, and not a word",
        )


def told(outcome):
    """Whether the program said anything but how much it wrote."""
    return any(line and not ORDINARY.match(line) for line in outcome.messages.splitlines())


def damage(content, extension, random):
    """What is done to the bytes: its name, the result, and whether it has to be seen."""
    data = bytearray(content)
    start = {
        "wav": data.find(b"data") + 8,
        "rf64": data.find(b"data") + 8,
        "aiff": data.find(b"SSND") + 16,
        "caf": data.find(b"data") + 16,
    }.get(extension, 0)
    kind = random.randrange(7)
    checked = extension in CHECKED
    if kind <= 1:
        # Near an end are headers, indices and the last page.
        at = random.choice(
            [random.randrange(len(data)), random.randrange(min(200, len(data))), len(data) - random.randint(1, 64)]
        )
        return "cut", bytes(data[:at]), True
    if kind == 2:
        at = random.randrange(len(data))
        data[at] ^= 1 << random.randrange(8)
        return "bit", bytes(data), checked
    if kind == 3:
        for _ in range(random.choice([2, 10, 100])):
            data[random.randrange(len(data))] = random.randrange(256)
        return "bytes", bytes(data), checked
    if kind == 4:
        # A size in the header. Where it says fewer frames than there are, what lies behind may be anything.
        places = {
            "wav": (4, start - 4),
            "rf64": (20, 28, start - 4),
            "aiff": (4, start - 12),
            "caf": (start - 12, start - 8),
        }
        at = random.choice(places.get(extension, (random.randrange(40),)))
        number = random.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1, len(data), len(data) * 2, random.getrandbits(32)])
        form = "<I" if extension in ("wav", "rf64") else ">I"
        data[at : at + 4] = struct.pack(form, number % 2**32)
        return "size", bytes(data), extension != "aiff"
    if kind == 5:
        at, length = random.randrange(len(data)), random.choice([1, 4, 64, 1000])
        del data[at : at + length]
        return "part missing", bytes(data), checked or at + length < start or True
    at = random.randrange(min(len(data), start or 64))
    data[at] = random.choice([0, 1, 255, 128, random.randrange(256)])
    return "header byte", bytes(data), checked


def wav(samples):
    """Floats as a WAV file."""
    frames, channels = samples.shape
    body = samples.tobytes()
    form = struct.pack("<HHIIHH", 3, channels, RATE, RATE * channels * 4, channels * 4, 32)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def floats(content):
    """The samples of a WAV file of floats."""
    at = 12
    while at + 8 <= len(content):
        name, size = content[at : at + 4], struct.unpack("<I", content[at + 4 : at + 8])[0]
        if name == b"data":
            return np.frombuffer(content[at + 8 : at + 8 + size // 4 * 4], "<f4")
        at += 8 + size + size % 2
    return np.zeros(0, "<f4")
