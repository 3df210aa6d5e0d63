# SPDX-License-Identifier: Apache-2.0
"""Effects as ONNX files of one block, run by ONNX Runtime block after block, and compared with what Legato renders.

    python Tests/ONNX/streams.py .build/release/legato [MODEL…]      needs: pip install onnx onnxruntime numpy

The models are those of the folder models, or those that are named, with their default parameters; the sound is a burst of
noise, a sweep and silence in two channels. What goes out of a block as NAME_out goes into the next one as NAME_in. What
is printed is the largest difference, relative to the largest number of the output.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

RATE, FRAMES, BLOCKS = 48000, 64, 24
TOLERANCE = 1e-6
# It reads between frames some hundred frames back: a place that is rounded otherwise is heard.
TOLERANCES = {"chorus": 3e-5}
MODELS = pathlib.Path(__file__).parents[2] / "models"


def sound(channels):
    """A burst, a sweep and silence, of which each float has few digits."""
    frames = FRAMES * BLOCKS
    random = np.random.default_rng(5)
    time = np.arange(frames) / RATE
    sweep = 0.5 * np.sin(2 * np.pi * (100 + 40_000 * time) * time)
    rows = [np.roll(sweep, 7 * row) for row in range(channels)]
    for row in rows:
        row[:100] = random.uniform(-1, 1, 100)
        row[-200:] = 0
    return (np.round(np.array(rows) * 4096) / 4096).astype(np.float32)


def write_wave(path, rows):
    """Floats of 32 bits."""
    data = rows.T.astype("<f4").tobytes()
    channels = rows.shape[0]
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 50 + len(data), b"WAVE", b"fmt ", 18, 3, channels, RATE,
                       4 * channels * RATE, 4 * channels, 32) + struct.pack("<HH", 0, 0)[:2]
    path.write_bytes(head + struct.pack("<4sI", b"data", len(data)) + data)


def read_wave(path):
    bytes = path.read_bytes()
    channels = struct.unpack_from("<H", bytes, 22)[0]
    place = 12
    while bytes[place : place + 4] != b"data":
        place += 8 + struct.unpack_from("<I", bytes, place + 4)[0]
    count = struct.unpack_from("<I", bytes, place + 4)[0]
    return np.frombuffer(bytes, "<f4", count // 4, place + 8).reshape(-1, channels).T


def blocks(session, pairs, inputs, prewarm):
    ports = {port.name: port for port in session.get_inputs()}
    states = {name: np.zeros(ports[name].shape, np.float32) for name in pairs}
    names = [port.name for port in session.get_outputs()]
    silence = {name: np.zeros(ports[name].shape, np.float32) for name in inputs}
    rows = []
    for index in range(-prewarm, BLOCKS):
        given = silence if index < 0 else {
            name: array[..., index * FRAMES : (index + 1) * FRAMES].reshape(ports[name].shape) for name, array in inputs.items()
        }
        results = dict(zip(names, session.run(names, given | states)))
        states = {name: results[out] for name, out in pairs.items()}
        if index >= 0:
            rows.append({name: results[name] for name in names if name not in pairs.values()})
    return {name: np.concatenate([row[name] for row in rows], -1) for name in rows[0]}


def check(legato, folder, model):
    file = folder / (model.stem + ".onnx")
    bind = ["--bind", "channels=2"]
    made = subprocess.run([legato, "export", model, "-o", file, "--block", str(FRAMES), "--rate", str(RATE), *bind],
                          capture_output=True, text=True)
    if made.returncode and "no axis is called" in made.stderr:
        made = subprocess.run([legato, "export", model, "-o", file, "--block", str(FRAMES), "--rate", str(RATE)],
                              capture_output=True, text=True)
    if made.returncode:
        return None, made.stderr.strip().splitlines()[-1]
    onnx.checker.check_model(str(file), full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    properties = session.get_modelmeta().custom_metadata_map
    pairs = {key.removeprefix("legato.state."): out for key, out in properties.items() if key.startswith("legato.state.")}
    given = [port for port in session.get_inputs() if port.name not in pairs]
    rows = sum(int(np.prod(port.shape[:-1])) for port in given)
    if not rows:
        return None, "has no input"
    wave = sound(rows)
    write_wave(folder / "in.wav", wave)
    inputs, first = {}, 0
    for port in given:
        count = int(np.prod(port.shape[:-1]))
        inputs[port.name] = wave[first : first + count].reshape(port.shape[:-1] + [-1])
        first += count
    done = subprocess.run([legato, "process", model, folder / "in.wav", folder / "out.wav", "--force", "--bits", "float"],
                          capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    ours = read_wave(folder / "out.wav")
    results = blocks(session, pairs, inputs, int(properties.get("legato.prewarm", 0)))
    theirs = np.concatenate([array.reshape(-1, FRAMES * BLOCKS) for array in results.values()])
    # What is late in a stream is brought back in a file.
    late = re.search(r"outputs are (\d+) frame", onnx.load(file).doc_string)
    if late:
        late = int(late[1])
        ours, theirs = ours[:, :-late], theirs[:, late:]
    if ours.shape != theirs.shape:
        return np.inf, f"{ours.shape} and {theirs.shape}"
    apart = np.abs(ours.astype(np.float64) - theirs).max()
    nodes = len(onnx.load(file).graph.node)
    return apart / max(np.abs(ours).max(), 1e-30), f"{nodes} nodes, {len(pairs)} states"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    models = [pathlib.Path(path) for path in sys.argv[2:]] or sorted(MODELS.glob("*.json"))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            if ".schema." in model.name:
                continue
            worst, words = check(sys.argv[1], pathlib.Path(folder), model)
            print(f"{model.stem:12} {'-' if worst is None else format(worst, '.1e'):>8}  {words}", flush=True)
            if worst is not None and not worst <= TOLERANCES.get(model.stem, TOLERANCE):
                failed.append(model.stem)
    if failed:
        sys.exit(f"further off than {TOLERANCE}: {', '.join(failed)}")


if __name__ == "__main__":
    main()
