# SPDX-License-Identifier: Apache-2.0
"""Random models through the program and through the interpreter in NumPy: they have to agree."""

import json
import math
import os
import re
import tempfile

import numpy as np

from calls import RATE, RULES
from interpreter import Model
from interpreter.rows import ROWS, spread
from models import Writer, text_of
from result import Failed, LeftOut, Tried

FRAMES = 160
AHEAD = 1024  # frames of noise that are known
CEILING = 0.02  # of the peak: what may differ by more is not compared


class Graphs:
    """Valid models over all functions, with feedback, parameters and weights."""

    name = "graphs"

    def __init__(self, program):
        self.program = program
        self.functions = program.functions()
        self.noises = {}
        self.used = {}

    def case(self, random, folder):
        writer = Writer(random, self.functions)
        document = writer.model()
        path = os.path.join(folder, "model.json")
        with open(path, "w") as file:
            file.write(text_of(document, random))
        samples = self.sound(random, sum(math.prod(shape) for shape in writer.inputs.values()))
        samples.T.tofile(os.path.join(folder, "input.f32"))
        settings = {
            name: round(random.uniform(one["minimum"], one["maximum"]), 4)
            for name, one in document.get("parameters", {}).items()
            if random.random() < 0.5
        }
        arguments = ["process", "model.json", "-", "-", "--raw", f"{RATE}:{len(samples)}"]
        for name, value in settings.items():
            arguments += ["--set", f"{name}={value}"]
        arguments += random.choice(
            [
                [],
                [],
                ["--block", str(random.randint(1, 300))],
                ["--passes", "none"],
                ["--cpu", "x86-64"],
                ["--optimize", "size"],
            ]
        )
        run = self.program.start(arguments, samples.T.tobytes(), folder)
        longer = np.concatenate([samples, np.zeros((len(samples), writer.latency))], axis=1).astype(float)
        seed = np.random.default_rng(random.getrandbits(60))
        try:
            meant = Model(document, longer, RATE, settings, self.noise, seed).outputs()[:, :FRAMES]
        finally:
            outcome = run.outcome()
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if outcome.code:
            text = outcome.messages.strip().splitlines()[0]
            if "the constant here is" in text:  # log(-1) is refused where it is known beforehand
                return Tried(0)
            return Failed("refused " + plain(text), text)
        for name in writer.used:
            self.used[name] = self.used.get(name, 0) + 1
        given = np.frombuffer(outcome.output, "<f4").astype(float)
        channels = sum(math.prod(shape) for shape in writer.outputs.values())
        if given.size != FRAMES * channels:
            return Failed("length", f"{given.size} samples instead of {FRAMES} frames of {channels} channels")
        given = given.reshape(FRAMES, channels).T
        return compare(given, meant)

    def sound(self, random, channels):
        """Noise, impulses, steps, silence and waves, one after the other, other ones in each channel."""
        generator = np.random.default_rng(random.getrandbits(60))
        result = np.zeros((channels, FRAMES), np.float32)
        for channel in result:
            at = 0
            while at < FRAMES:
                length = random.choice([40, 100, 200])
                part = channel[at : at + length]
                kind = random.choice(["noise", "noise", "noise", "impulse", "step", "silence", "sine", "loud", "grid"])
                if kind == "noise":
                    part[:] = generator.uniform(-1, 1, part.size)
                elif kind == "loud":
                    part[:] = generator.uniform(-16, 16, part.size)
                elif kind == "grid":  # where round and floor have to know about halves
                    part[:] = generator.integers(-16, 17, part.size) / 16
                elif kind == "impulse":
                    part[0] = 1
                elif kind == "step":
                    part[:] = random.choice([1, -0.5, 0.1])
                elif kind == "sine":
                    part[:] = np.sin(np.arange(part.size) * random.uniform(0.01, 3))
                at += length
        return result

    def noise(self, seed):
        """What `noise` gives, which only the program knows."""
        if seed not in self.noises:
            self.noises[seed] = noise_of(self.program, seed)
        return self.noises[seed]

    def remarks(self):
        """What the summary should say besides."""
        missing = [name for name in self.functions if name not in RULES and name != "model"]
        unused = [name for name in self.functions if name in RULES and name not in self.used]
        return [
            f"{self.name}: {text}: {', '.join(names)}"
            for text, names in (
                ("functions that have no rule in models.py", missing),
                ("functions that no case had", unused),
            )
            if names
        ]


def noise_of(program, seed):
    with tempfile.TemporaryDirectory() as folder:
        document = {
            "legato": 1,
            "inputs": {"x": {"shape": ["frames"]}},
            "graph": {"y": f"noise(seed: {seed}) + 0 * x"},
            "outputs": ["y"],
        }
        with open(os.path.join(folder, "noise.json"), "w") as file:
            json.dump(document, file)
        silence = np.zeros(AHEAD, np.float32).tobytes()
        outcome = program.run(["process", "noise.json", "-", "-", "--raw", f"{RATE}:1"], silence, folder)
        return np.frombuffer(outcome.output, "<f4").astype(float)


def plain(message):
    """A message without what differs from case to case."""
    message = re.sub(r"^\S+:\d+:\d+: ", "", message)
    return re.sub(r"\[[^\]]*\]|'[^']*'|\d+(\.\d+)?", "…", message)[:80]


def compare(given, meant):
    """Whether what came is within eight times what roundings did to the rows, in the frames around."""
    rows, doubt = meant[..., :ROWS], meant[..., ROWS] > 0
    finite = np.isfinite(rows)
    exact = rows[..., 0]
    # What is no finite number is written as silence.
    silent = ~finite.any(axis=-1) & ~doubt
    if wrong := np.argwhere(silent & (given != 0)).tolist():
        return Failed("not silent", f"channel {wrong[0][0] + 1}, frame {wrong[0][1]}: {given[tuple(wrong[0])]}")
    compared = finite.all(axis=-1) & ~doubt
    far = np.where(compared, spread(np.where(finite, rows, 0)), 0)
    level = np.where(compared, np.abs(exact), 0)
    reach = np.zeros_like(far)
    for frame in range(far.shape[1]):
        first = max(0, frame - 63)
        reach[:, frame] = far[:, first : frame + 1].max(axis=1) + far[:, : frame + 1].max(axis=1) / 16
    peak = np.maximum.accumulate(level, axis=1)
    bound = 8 * reach + 2.0**-21 * level.max(axis=1, keepdims=True)
    told = bound <= CEILING * np.maximum(peak, 1e-6)
    compared &= told
    with np.errstate(all="ignore"):
        distance = np.where(compared, np.abs(given - exact), 0)
    if (distance > bound).any():
        channel, frame = np.argwhere(distance > bound)[0]
        return Failed(
            "disagreement",
            f"channel {channel + 1}, frame {frame}: {given[channel, frame]:.9g} instead of "
            f"{exact[channel, frame]:.9g}, which may differ by {bound[channel, frame]:.2g}",
        )
    share = float((compared | silent).mean())
    if share < 0.05:
        return LeftOut("roundings decide nearly all of it")
    return Tried(share)
