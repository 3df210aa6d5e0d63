# SPDX-License-Identifier: Apache-2.0
"""Random models through the program and through the interpreter in NumPy: they have to agree."""

import json
import math
import os
import re
import shlex
import tempfile

import numpy as np

from calls import RATE, RULES
from interpreter import Setting, render
from interpreter.rows import ROWS, Roundings, known, spread
from models import Writer, text_of
from result import Failed, LeftOut, Tried

FRAMES = 160
RATES = [RATE, RATE, 44_100, 96_000, 192_000]
AHEAD = 1024  # frames of noise that are known
CEILING = 0.02  # of the peak: what may differ by more is not compared


# What changes time, and never the sound but for the last bits.
WAYS = [[], [], ["--block", "7"], ["--block", "129"], ["--passes", "none"], ["--cpu", "x86-64"], ["--optimize", "size"]]


class Graphs:
    """Valid models over the functions of streams, with feedback, parameters that are turned and move, weights, models within them and
    behind them."""

    name = "graphs"

    def __init__(self, program):
        self.program = program
        self.functions = program.functions()
        self.noises = {}
        self.used = {}

    def case(self, random, folder):
        rate = random.choice(RATES)
        writers = [Writer(random, self.functions, rate=rate)]
        documents = [writers[0].model()]
        turned, files = dict(writers[0].turned), dict(writers[0].files)
        if random.random() < 0.1 and len(documents[0]["outputs"]) == 1:
            # Another model behind it, which takes what comes out.
            (shape,) = writers[0].outputs.values()
            writers.append(Writer(random, self.functions, {"src": shape}, rate))
            documents.append({**writers[1].model(), "name": "Second"})
            turned = {f"1.{name}": limits for name, limits in turned.items()}
            turned.update({f"2.{name}": limits for name, limits in writers[1].turned.items()})
        for name, document in [
            ("model.json", documents[0]),
            *files.items(),
            *(("second.json", d) for d in documents[1:]),
        ]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text_of(document, random))
        channels = sum(math.prod(shape) for shape in writers[0].inputs.values())
        copies = 1
        free = "channels" in documents[0]["inputs"]["src"]["shape"]
        if channels == 1 and not free and len(documents) == 1 and sum(map(math.prod, writers[0].outputs.values())) == 1:
            copies = random.choice([1, 2, 3])  # a model for one channel runs once for each
        samples = self.sound(random, channels * copies)
        samples.T.tofile(os.path.join(folder, "input.f32"))
        arguments, settings, mix = self.turn(random, turned, writers, folder)
        arguments = ["process", "model.json", "-", "-", "--raw", f"{rate}:{len(samples)}", *arguments]
        arguments += ["--then", "second.json"] * (len(documents) > 1) + random.choice(WAYS)
        with open(os.path.join(folder, "arguments.txt"), "w") as file:
            file.write(shlex.join(["legato", *arguments]) + " <input.f32\n")
        run = self.program.start(arguments, samples.T.tobytes(), folder)
        ahead = sum(writer.latency for writer in writers)
        longer = np.concatenate([samples, np.zeros((len(samples), ahead))], axis=1).astype(float)
        roundings = np.random.default_rng(random.getrandbits(60))
        setting = Setting(rate, longer.shape[1], self.noise, roundings, files)
        try:
            size = channels
            meant = [render(documents, longer[at : at + size], settings, setting) for at in range(0, len(longer), size)]
            meant = np.concatenate(meant)[:, :FRAMES]
            if mix is not None:
                dry = known(samples.astype(float))
                far, part, whole = (Roundings(setting.random) for _ in range(3))
                way = far(meant[..., :ROWS] - dry[..., :ROWS])
                meant[..., :ROWS] = whole(dry[..., :ROWS] + part(float(np.float32(mix)) * way))
        finally:
            outcome = run.outcome()
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if outcome.code:
            text = outcome.messages.strip().splitlines()[0]
            if "the constant here is" in text:  # log(-1) is refused where it is known beforehand
                return Tried(0)
            return Failed("refused " + plain(text), text)
        for name in set().union(*(writer.used for writer in writers)):
            self.used[name] = self.used.get(name, 0) + 1
        given = np.frombuffer(outcome.output, "<f4").astype(float)
        if given.size != FRAMES * len(meant):
            return Failed("length", f"{given.size} samples instead of {FRAMES} frames of {len(meant)} channels")
        return compare(given.reshape(FRAMES, len(meant)).T, meant)

    def turn(self, random, turned, writers, folder):
        """Options that turn parameters, what they are then, and the mix."""
        first, arguments, settings, mix = writers[0], [], {}, None
        for name, (low, high) in turned.items():
            if random.random() < 0.5:
                settings[name] = round(random.uniform(low, high), 4)
                arguments += ["--set", f"{name}={settings[name]}"]
        moving = [name for name in turned if name not in settings]
        if moving and random.random() < 0.3:
            name = random.choice(moving)
            settings[name] = moves = self.moves(random, *turned[name])
            points = [(0, moves[0]), *((at, moves[at]) for at in (37, 96, 128))]
            with open(os.path.join(folder, "moves.csv"), "w") as file:
                file.write("# seconds, parameter, value\n")
                file.writelines(f"{at / first.rate:.12f}, {name}, {value:.6f}\n" for at, value in points)
            arguments += ["--automate", "moves.csv"]
        if len(writers) == 1 and list(first.outputs.values()) == list(first.inputs.values()) and random.random() < 0.3:
            mix = round(random.uniform(0, 1), 2)
            arguments += ["--set", f"mix={mix}"]
        return arguments, settings, mix

    def moves(self, random, low, high):
        """Lines from point to point, a number for each frame."""
        values = [round(random.uniform(low, high), 6) for _ in range(4)]
        return np.interp(np.arange(FRAMES + AHEAD), [0, 37, 96, 128], values)

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
