# SPDX-License-Identifier: Apache-2.0
"""Options that nobody means, and files of automation that are damaged: each is taken or refused in words."""

import os
import tempfile

import numpy as np

from hostile import bytes_mutated, numbers_mutated
from result import Failed, Tried
from sounds import wav

ODD = [
    "",
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "-0",
    "99999999999999999999",
    "0x10",
    "1,2",
    "1,,2",
    "1:2",
    ":",
    "=",
    "a=b",
    "--",
    "-",
    ".",
    "/",
    "/dev/null",
    "/dev/full",
    "/dev/zero",
    "none.wav",
    "é",
    "\udcff\udcfe",
    "x" * 5000,
    "\n",
    "\x1b[31m",
    "mix=0.5",
    "mix=nan",
    "resolution=1e400",
    "resolution=",
    "=4",
    "2.mix=1",
    "resolution=4Hz",
    "auto",
    "float",
    "16",
    "48000:2",
    "48000:0",
    "0:1",
    "1e9:1",
    "48000:100000",
    "all",
    "none",
    "-fusion",
    "host",
    "aarch64",
    "size",
    "non-finite",
    "triangular",
    "Toy",
    "in.wav",
    "model.json",
    "automation.csv",
]
OPTIONS = [
    "--then",
    "--set",
    "--preset",
    "--automate",
    "--inputs",
    "--outputs",
    "--bits",
    "--dither",
    "--tail",
    "--quality",
    "--raw",
    "--block",
    "--check",
    "--output-dir",
    "--jobs",
    "--suffix",
    "--report",
    "--cpu",
    "--optimize",
    "--passes",
    "--stop-after",
    "--stage",
    "--channels",
    "--rate",
    "--symbol",
    "--target",
    "--level",
    "--model",
    "-o",
]
FLAGS = [
    "--force",
    "--sync",
    "--recursive",
    "--resume",
    "--quiet",
    "--json",
    "--markdown",
    "--help",
    "--version",
    "--plain",
    "--unknown",
    "-q",
    "-h",
    "-x",
]
AUTOMATION = (
    b"# seconds, parameter, value\n0, resolution, 64\n0.001, resolution, 4\n0.0005, dryWet, 0.5, step\n0.002,mix,0.25\n"
)
MODEL = b"""{ "legato": 1, "name": "Crush", "inputs": { "src": { "shape": ["channels", "frames"] } },
  "parameters": { "resolution": { "default": 8, "minimum": 1, "maximum": 256, "scale": "logarithmic" },
                  "dryWet": { "default": 1, "minimum": 0, "maximum": 1 } },
  "graph": { "dst": "round(src * resolution) / resolution * dryWet + src * (1 - dryWet)" }, "outputs": ["dst"],
  "presets": { "Toy": { "resolution": 2 } } }"""


class Options:
    """Any options with any values, in any number and order; automation that is damaged."""

    name = "options"

    def __init__(self, program):
        self.held = tempfile.TemporaryDirectory()  # goes when this goes
        self.folder = self.held.name
        self.program = program.with_cache(self.folder)
        generator = np.random.default_rng(1)
        self.sound = wav(generator.uniform(-1, 1, (300, 2)).astype("<f4"))

    def case(self, random, folder):
        automation = AUTOMATION
        for _ in range(random.choice([0, 1, 1, 3])):
            automation = random.choice([bytes_mutated, numbers_mutated])(automation, random)
        for name, content in (("in.wav", self.sound), ("model.json", MODEL), ("automation.csv", automation)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        if random.random() < 0.4:
            arguments = ["process", "model.json", "in.wav", "out.wav", "--automate", "automation.csv"]
        else:
            arguments = self.arguments(random)
        raw = np.zeros(200, "<f4").tobytes() if random.random() < 0.5 else self.sound
        outcome = self.program.run([one.encode("utf-8", "surrogateescape") for one in arguments], raw, folder)
        complaint = outcome.complaint()
        # What was said is shown as it was; only what ends a terminal's line or colours it is at fault.
        if complaint:
            return Failed(complaint[0], f"{' '.join(arguments)[:200]!r}: {complaint[1]}")
        return Tried()

    def arguments(self, random):
        command = random.choice(
            ["process"] * 5 + ["inspect", "compile", "plot", "ops", "verify", "help", "devices", "nothing"]
        )
        operands = {
            "process": ["model.json", "in.wav", "out.wav"],
            "inspect": ["model.json"],
            "compile": ["model.json"],
            "plot": ["in.wav", "in.wav"],
            "verify": ["model.json", "--blocks", "0"],
            "help": ["process"],
        }.get(command, [])
        arguments = [command, *operands]
        if random.random() < 0.2 and operands:
            arguments[random.randrange(1, len(arguments))] = random.choice(ODD)
        for _ in range(random.choice([1, 1, 2, 4])):
            more = [random.choice(FLAGS)] if random.random() < 0.2 else [random.choice(OPTIONS), random.choice(ODD)]
            if more[0] == "--output-dir" and more[1] in ("/", "..", "/dev/null"):
                continue
            at = random.randrange(1, len(arguments) + 1)
            arguments[at:at] = more
        return [one for one in arguments if not one.startswith("/dev/zero")]
