#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spectra as NumPy, PyTorch, torchaudio and librosa compute them, in double precision; what the tests compare Legato's with.

    python3 Tests/Legato/LegatoTests/Layers/reference/make_spectra.py    (NumPy 2.4, PyTorch 2.13, torchaudio 2.11, librosa 0.11)

writes spectra.json beside itself: for each case the call, the shape and numbers of x, and the result.
"""

import json
import pathlib

import librosa
import numpy as np
import torch
import torchaudio

torch.set_default_dtype(torch.float64)
random = np.random.default_rng(11)
cases = []


def array(*shape):
    """Numbers that a float holds exactly."""
    return np.round(random.uniform(-1, 1, shape) * 4096) / 4096


def case(call, x, y):
    y = np.asarray(y, dtype=float)
    cases.append(
        {
            "call": call,
            "shape": list(x.shape),
            "input": x.ravel().tolist(),
            "result": list(y.shape),
            "output": [float(f"{v:.9g}") for v in y.ravel()],
        }
    )


def parts(z, axis):
    return np.stack([z.real, z.imag], axis)


for n in (1, 2, 3, 8, 12, 17, 30, 64, 81, 100, 128, 134):
    x = array(n)
    case("fourier(x)", x, parts(np.fft.rfft(x), 0))
x = array(3, 24, 2)
case("fourier(x, axis: 1, bins: 'all')", x, parts(np.fft.fft(x, axis=1), 1))
x = array(2, 2, 36)
z = x[:, 0] + 1j * x[:, 1]
case("fourier(x, input: 'complex', bins: 'all')", x, parts(np.fft.fft(z), 1))
case("fourier(x, input: 'complex')", x, parts(np.fft.fft(z)[:, :19], 1))
case("inverseFourier(x, output: 'complex')", x, parts(np.fft.ifft(z), 1))
case("inverseFourier(x)", x, np.fft.irfft(z))
case("inverseFourier(x, size: 71)", x, np.fft.irfft(z, 71))
x = array(2, 65, 3)
case("inverseFourier(x, axis: 1)", x, np.fft.irfft(x[0] + 1j * x[1], axis=0))

x = array(2, 200)
t = torch.from_numpy(x)


def stft(t, size, hop, window, window_size=None, **more):
    z = torch.stft(t, size, hop, window_size, window, return_complex=True, **more)
    return parts(z.numpy(), 1)


case("stft(x, 32)", x, stft(t, 32, 8, torch.hann_window(32)))
case(
    "stft(x, 40, hop: 25, windowSize: 30, window: 'hamming', padding: 'zeros')", x,
    stft(t, 40, 25, torch.hamming_window(30), 30, pad_mode="constant"),
)
case("stft(x, 31, 10, window: 'blackman', padding: 'none')", x, stft(t, 31, 10, torch.blackman_window(31), center=False))
row, single = x[0], t[0]
case(
    "stft(slice(x, 0, 0), 32, 16, window: 'rectangular')", x,
    parts(librosa.stft(row, n_fft=32, hop_length=16, window="boxcar", pad_mode="reflect"), 0)[None],
)

case("spectrogram(x, 32, 16)", x, torchaudio.transforms.Spectrogram(32, hop_length=16)(t))
case("spectrogram(x, 32, 16, power: 1)", x, torchaudio.transforms.Spectrogram(32, hop_length=16, power=1)(t))
bands = dict(n_fft=64, hop_length=20, f_min=100.0, f_max=7000.0, n_mels=10)
call = "(x, 64, 20, mels: 10, low: 100, high: 7000, rate: 16000"
mel = torchaudio.transforms.MelSpectrogram(16000, **bands)
case(f"melSpectrogram{call})", x, mel(t))
case(f"logMel{call}, floor: 0.25)", x, torch.log(mel(t).clamp(min=0.25)))
mfcc = torchaudio.transforms.MFCC(16000, 6, melkwargs=bands)
case(f"mfcc{call}, count: 6)", x, mfcc(t))
# A channel that is nearly silent is cut at 80 dB below the loudest of both.
quiet = x * np.array([[1], [1e-5]], np.float32)
case(f"mfcc{call}, count: 6)", quiet, mfcc(torch.from_numpy(quiet)))
slaney = dict(y=x, sr=16000, n_fft=64, hop_length=20, n_mels=10, fmin=100, fmax=7000)
case(
    f"melSpectrogram{call}, padding: 'zeros', scale: 'slaney', norm: 'slaney')", x,
    librosa.feature.melspectrogram(**slaney),
)
case(
    f"mfcc{call}, padding: 'zeros', scale: 'slaney', norm: 'slaney', count: 5)", x[:1],
    librosa.feature.mfcc(**{**slaney, "y": x[:1]}, n_mfcc=5),
)


def istft(x, size, hop, window, window_size=None, **more):
    z = torch.complex(*torch.from_numpy(x).movedim(-3, 0))
    return torch.istft(z, size, hop, window_size, window, **more)


x = array(2, 2, 17, 9)
case("istft(x, 32)", x, istft(x, 32, 8, torch.hann_window(32)))
case("istft(x, 33, 10, length: 110)", x, istft(x, 33, 10, torch.hann_window(33), length=110))
x = array(2, 21, 6)
case(
    "istft(x, 40, hop: 13, windowSize: 30, window: 'hamming', padding: 'zeros', length: 80)", x,
    istft(x, 40, 13, torch.hamming_window(30), 30, length=80),
)
case("istft(x, 41, 41, window: 'rectangular', padding: 'none')", x, istft(x, 41, 41, torch.ones(41), center=False))
case("istft(x, 40, 15)", x, librosa.istft(x[0] + 1j * x[1], n_fft=40, hop_length=15))

path = pathlib.Path(__file__).with_name("spectra.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
