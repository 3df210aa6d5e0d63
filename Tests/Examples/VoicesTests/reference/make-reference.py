# SPDX-License-Identifier: Apache-2.0
"""What the package resemblyzer makes of a sound with a network of its form and few units.

    make-reference.py

needs resemblyzer 0.1.4, torch and librosa. It writes encoder/, the files that fetch-encoder would write for weights of 8
units instead of 256, and voices.json: for each window of two seconds of a rising tone what the layers of PyTorch make of
resemblyzer's mel bands, each window at its level.
"""

import json
import sys
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import torch

for name in ["webrtcvad", "scipy.ndimage.morphology"]:
    sys.modules[name] = types.SimpleNamespace(binary_dilation=None, Vad=None)

from resemblyzer import VoiceEncoder, audio

here = Path(__file__).parent
loader = SourceFileLoader("fetch", str(here / "../../../../Sources/Examples/Voices/Scripts/fetch-encoder"))
fetch = types.ModuleType("fetch")
sys.dont_write_bytecode = True
loader.exec_module(fetch)
fetch.UNITS = units = 8

torch.manual_seed(1)
lstm, linear = torch.nn.LSTM(40, units, 3, batch_first=True), torch.nn.Linear(units, units)
state = {f"lstm.{name}": value for name, value in lstm.state_dict().items()}
state |= {f"linear.{name}": value for name, value in linear.state_dict().items()}
state = {
    name: types.SimpleNamespace(shape=tuple(value.shape), bytes=value.numpy().tobytes()) for name, value in state.items()
}
(here / "encoder").mkdir(exist_ok=True)
(here / "encoder/model.safetensors").write_bytes(fetch.safetensors(fetch.layers(state)))
model = json.dumps(fetch.MODEL, indent=2).replace("[256]", f"[{units}]")
(here / "encoder/model.json").write_text(model + "\n")
(here / "encoder/encoder.json").write_text(json.dumps(fetch.ENCODER, indent=2) + "\n")

time = np.arange(32000) / 16000
sound = (0.004 * np.sin(2 * np.pi * (200 + 300 * time) * time)).astype("f4")
slices, _ = VoiceEncoder.compute_partial_slices(len(sound), 1.3, 0.75)
padded = np.pad(sound, (200, 26000))
windows = [audio.normalize_volume(padded[part.start : part.start + 25840], -30) for part in slices]
# The frames lie around each 160th number: with 120 before, around those of the window from the 200th on.
mels = [audio.wav_to_mel_spectrogram(np.pad(window, (120, 0)))[2:162] for window in windows]
with torch.no_grad():
    _, (hidden, _) = lstm(torch.from_numpy(np.array(mels)))
    raw = torch.relu(linear(hidden[-1]))
    voices = raw / torch.norm(raw, dim=1, keepdim=True)
(here / "voices.json").write_text(json.dumps(voices.tolist(), indent=1) + "\n")
