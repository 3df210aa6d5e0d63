#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build of legato answers, in lines to compare with those of another build.

    Tests/Tool/fingerprint.py BEFORE/legato > before.txt
    Tests/Tool/fingerprint.py AFTER/legato > after.txt
    diff before.txt after.txt

It renders every shipped model with its defaults and with every preset over noise, drums, silence and a sweep at 44.1,
48 and 96 kHz with 1, 2 and 6 channels, in code for three CPUs, and prints a hash of each file's bytes; then it runs the
commands below, most of which are mistakes, and prints exit codes and messages. Some minutes.
"""

import hashlib
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

RATES = (44_100, 48_000, 96_000)
CHANNELS = (1, 2, 6)
CPUS = ("x86-64", "x86-64-v3", "x86-64-v4")
SECONDS = 0.35

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# Each with its arguments; {name} are files of the corpus, and of the folder that stands below.
COMMANDS = [
    "--help", "--version", "nonsense", "process", "process --help", "live --help", "inspect --help", "plot --help",
    "compile --help", "verify --help", "ops --help", "devices --help", "ops", "ops --json",
    "process {models}/none.json {wav} {out}", "process {models}/echo.json none.wav {out}",
    "process {models}/echo.json {wav} {out} --set nothing=1", "process {models}/echo.json {wav} {out} --set mix=2",
    "process {models}/echo.json {wav} {out} --set mix", "process {models}/echo.json {wav} {out} --preset None",
    "process {models}/echo.json {wav} {out} --bits 12", "process {models}/echo.json {wav} {out}.xyz",
    "process {models}/echo.json {wav} {out} --block 0", "process {models}/echo.json {wav} {out} --cpu z80",
    "process {models}/echo.json {wav} {out} --passes nonsense", "process {models}/echo.json {wav} {out} --unknown",
    "process {models}/widener.json {wav} {out}", "process {models}/widener.json {wav} {out} --inputs 1,1",
    "process {models}/echo.json {wav} {out} --inputs 9", "process {models}/echo.json {wav} {out} --outputs 9",
    "process {models}/echo.json {wav} {out} --json", "process {models}/echo.json {wav} {out} --tail auto",
    "process {models}/echo.json {wav} {out} --then {models}/delay.json",
    "process {models}/filter.json {wav} {out} --then {models}/limiter.json --set 2.gain=12dB --json",
    "process {models}/filter.json {wav} {out} --check non-finite --set cutoff=440Hz",
    "process {models}/filter.json {wav} {wav2} --output-dir {folder} --set cutoff=1kHz --json",
    "process {models}/filter.json {wav} {wav2} --output-dir {folder}", "process {models}/filter.json --output-dir {folder}",
    "process {models}/filter.json {wav} {wav2} --output-dir {folder} --resume",
    "process {models}/filter.json {wav} {wav}",
    "process {models}/bitcrusher.json {wav} {out} --automate {automation}",
    "process {models}/bitcrusher.json {wav} {out} --automate {broken}",
    "process {broken} {wav} {out}", "inspect {broken}", "verify {broken}", "compile {broken} -o {out}.o",
    "inspect {growing}", "process {growing} {wav} {out}", "inspect {growing} --set feedback=0.5",
    "inspect {models}/delay.json --channels 1", "inspect {models}/eq8.json --stage nothing",
    "live {models}/echo.json --input none.wav", "live {models}/echo.json --device none", "plot {wav} {wav2} -o {out}.svg",
    "plot {wav} none.wav -o {out}.svg", "compile {models}/echo.json", "verify {models}/echo.json --rate 0",
] + [
    f"inspect {{models}}/{model}.json --channels {channels} --stage {stage}"
    for model, channels in [("amplifier", 1), ("eq8", 2), ("delay", 2), ("compressor", 6)]
    for stage in ["document", "graph", "svg"]
] + [f"inspect {{models}}/{path.name} --json" for path in sorted(MODELS.glob("*.json")) if "schema" not in path.name]

BROKEN = '{ "legato": 1, "inputs": { "src": { "shape": ["frames"] } },\n  "graph": { "dst": "tanh(sr) + dleay(src, 3)" } }\n'
GROWING = """{ "legato": 1, "name": "Growing", "inputs": { "src": { "shape": ["frames"] } },
  "parameters": { "feedback": { "default": 1.5, "minimum": 0, "maximum": 2, "ramp": 0 } },
  "graph": { "dst": "src + feedback * delay(dst, 100)" }, "outputs": ["dst"] }
"""


class Noise:
    """Marsaglia's xorshift: numbers from -1 to 1 that every machine repeats."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.state = x
        return x / 0x80000000 - 1


def sounds(rate, channels):
    """The names and samples, frame by frame, of a corpus."""
    frames = int(rate * SECONDS)
    noise = Noise(1 + rate + channels)
    yield "noise", [0.7 * noise.next() for _ in range(frames * channels)]
    beat = rate // 7
    yield "drums", [
        0.9 * noise.next() * math.exp(-(frame % beat) / (0.004 * rate * (1 + channel)))
        for frame in range(frames) for channel in range(channels)]
    yield "silence", [0.0] * (frames * channels)
    yield "sweep", [
        0.5 * math.sin(2 * math.pi * (20 * frame / rate + (frame / rate) ** 2 * rate / 3) + channel)
        for frame in range(frames) for channel in range(channels)]


def write_wave(path, rate, channels, samples):
    data = struct.pack(f"<{len(samples)}f", *samples)
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, channels, rate,
                         rate * channels * 4, channels * 4, 32, b"data", len(data))
    path.write_bytes(header + data)


def main(legato):
    legato = str(pathlib.Path(legato).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        corpus = folder / "corpus"
        corpus.mkdir()
        for rate in RATES:
            for channels in CHANNELS:
                for sound, samples in sounds(rate, channels):
                    write_wave(corpus / f"{sound}-{rate}-{channels}.wav", rate, channels, samples)
        environment = dict(os.environ, LEGATO_CACHE=str(folder / "cache"), NO_COLOR="1")
        environment.pop("XDG_CACHE_HOME", None)
        render_models(legato, folder, corpus, environment)
        run_commands(legato, folder, corpus, environment)


def render_models(legato, folder, corpus, environment):
    files = [str(path) for path in sorted(corpus.iterdir())]
    for model in sorted(MODELS.glob("*.json")):
        if "schema" in model.name:
            continue
        report = subprocess.run([legato, "inspect", str(model), "--json"], capture_output=True, env=environment)
        report = json.loads(report.stdout)
        presets = [None] + [preset["name"] for preset in report.get("presets", [])]
        for preset in presets:
            for cpu in CPUS:
                out = folder / "out"
                if not report["inputs"]:
                    played = folder / "played.wav"
                    arguments = [legato, "process", str(model), str(played), "--seconds", str(SECONDS), "--cpu", cpu]
                    arguments += ["--quiet"] + (["--preset", preset] if preset else [])
                    subprocess.run(arguments, capture_output=True, env=environment)
                    digest = hashlib.sha256(played.read_bytes()).hexdigest()[:16] if played.exists() else "none"
                    print(model.stem, preset or "-", cpu, digest)
                    played.unlink(missing_ok=True)
                    continue
                arguments = [legato, "process", str(model), *files, "--output-dir", str(out), "--cpu", cpu, "--quiet"]
                arguments += ["--preset", preset] if preset else []
                subprocess.run(arguments, capture_output=True, env=environment)
                for path in files:
                    made = out / pathlib.Path(path).name
                    digest = hashlib.sha256(made.read_bytes()).hexdigest()[:16] if made.exists() else "none"
                    print(model.stem, preset or "-", cpu, made.stem, digest)
                    made.unlink(missing_ok=True)


def run_commands(legato, folder, corpus, environment):
    places = {
        "models": str(MODELS), "wav": str(corpus / "drums-48000-2.wav"), "wav2": str(corpus / "sweep-48000-1.wav"),
        "out": str(folder / "made.wav"), "folder": str(folder / "batch")}
    for name, text in [("broken", BROKEN), ("growing", GROWING),
                       ("automation", "0,resolution,8\n0.1,resolution,3\n0.2,dryWet,0.5\n")]:
        path = folder / (name + (".csv" if name == "automation" else ".json"))
        path.write_text(text)
        places[name] = str(path)
    for command in COMMANDS:
        pathlib.Path(places["out"]).unlink(missing_ok=True)
        words = command.format(**places).split()
        run = subprocess.run([legato, *words], capture_output=True, env=environment, cwd=folder,
                             stdin=subprocess.DEVNULL, timeout=120)
        print("$", command, "->", run.returncode)
        for stream in (run.stdout, run.stderr):
            text = stream.decode(errors="replace").replace(str(folder), "FOLDER").replace(str(MODELS), "MODELS")
            # What differs between two runs of one build.
            text = re.sub(r"\d+(\.\d+)? (ms|µs|s|times real time)\b", r"N \2", text)
            text = re.sub(r'"(seconds|\w+Seconds|modified|made)": [^,}\n]+', r'"\1": N', text)
            for line in text.splitlines():
                print("   ", line)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} LEGATO")
    main(sys.argv[1])
