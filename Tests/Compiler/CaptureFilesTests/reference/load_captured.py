# SPDX-License-Identifier: Apache-2.0

"""Captures that Legato makes, loaded by the package neural-amp-modeler and compared with what Legato plays.

    pip install neural-amp-modeler        (0.13.0 was used, with torch 2.15 and numpy 2.4)
    python load_captured.py .build/release/legato [NETWORK…]      (without any those of NETWORKS)

`legato capture` learns models/overdrive.json for some seconds. `init_from_nam`, the package's own loader, reads the .nam
file, and its network runs over the signal in double precision. For each network a line says how many weights the file
has, how far its sound is from the recording (ESR), and the largest differences between its sound and those of `legato
process` with the model file and with the .nam file. It ends with 1 where one is above 1e-5, or where nothing was learned.
In recurrent networks Legato's tanh, which is off by up to 2.9e-7, goes round and round: of lstm:3 to lstm:24 it came to
6e-6 to 1.1e-5.
"""

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch
from nam.models import init_from_nam
from scipy.io import wavfile

NETWORKS = ["lstm:16", "wavenet:nano"]
EPOCHS = {"lstm": 6, "wavenet": 40}
TOLERANCE = 1e-5
MODEL = pathlib.Path(__file__).parents[4] / "models" / "overdrive.json"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = pathlib.Path(sys.argv[1]).resolve()
    print("neural-amp-modeler", importlib.metadata.version("neural-amp-modeler"))
    print(f"{'network':18}{'weights':>9}{'ESR':>10}{'model file':>12}{'.nam':>12}")
    failed = False
    warnings.filterwarnings("ignore", category=wavfile.WavFileWarning)
    with tempfile.TemporaryDirectory() as folder:

        def legato(*words):
            subprocess.run([command, *map(str, words)], cwd=folder, check=True, capture_output=True)

        def sound(name):
            samples = wavfile.read(pathlib.Path(folder) / name)[1]
            # Integers of 24 bits come as the upper part of 32.
            return samples / 2**31 if samples.dtype == np.int32 else samples.astype(np.float64)

        def played(model):
            legato("process", model, "signal.wav", "played.wav", "--bits", "float", "--force")
            return sound("played.wav")

        legato("capture", "--write-signal", "signal.wav", "--seconds", 8)
        dry, wet = sound("signal.wav"), played(MODEL)
        pathlib.Path(folder, "played.wav").rename(pathlib.Path(folder, "wet.wav"))
        for network in sys.argv[2:] or NETWORKS:
            legato("capture", "--input", "signal.wav", "--target", "wet.wav", "--network", network,
                   "--epochs", EPOCHS[network.split(":")[0]], "-o", "amp.json", "--force")
            capture = json.loads(pathlib.Path(folder, "amp.nam").read_text())
            net = init_from_nam(capture).double().eval()
            with torch.no_grad():
                loaded = net(torch.from_numpy(dry), pad_start=True).numpy()
            # A capture comes a frame later than the recording.
            esr = np.sum((wet[:-1] - loaded[1:]) ** 2) / np.sum(wet**2)
            differences = [np.abs(played(name) - loaded).max() for name in ("amp.json", "amp.nam")]
            said = "".join(f"{difference:12.1e}" for difference in differences)
            print(f"{network:18}{len(capture['weights']):9}{esr:10.4f}{said}", flush=True)
            failed |= not (max(differences) <= TOLERANCE and esr < 1 and net.sample_rate == 48_000)
    if failed:
        sys.exit(f"they are not the same within {TOLERANCE}, or nothing was learned")


if __name__ == "__main__":
    main()
