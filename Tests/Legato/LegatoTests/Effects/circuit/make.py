# SPDX-License-Identifier: Apache-2.0

"""Trains models/captures/crunch.nam, a capture of an overdrive circuit that is simulated here.

    pip install neural-amp-modeler        (0.13.0 was used, with torch 1.13 and numpy 1.24)
    python make.py                        (some ten minutes on one core)

The circuit: a coupling capacitor, a gain of 30, a resistor into two diodes that stand against each other, one of them
twice, beside a capacitor; then a tone control. Its differential equation is solved at eight times the sample rate by the
implicit midpoint rule, with Newton's steps. The network sees plucked strings, chords, sweeps and noise of many levels.

crunch.nam is what it learned; crunch.json, beside this script, has a sound that it never saw and what the circuit makes
of it.
"""

import json
import pathlib
import sys
from unittest.mock import MagicMock

# What the package needs for its own training only.
for name in ["librosa", "wavio", "pytorch_lightning", "pytorch_lightning.utilities.warnings", "matplotlib",
             "matplotlib.pyplot", "tkinter", "scipy", "scipy.signal", "tqdm", "nam.train"]:
    try:
        __import__(name)
    except Exception:
        sys.modules[name] = MagicMock()

import numpy as np
import torch
from nam.models.wavenet import WaveNet

HERE = pathlib.Path(__file__).parent
CAPTURES = HERE.parents[4] / "models" / "captures"
RATE, OVER = 48000, 8


def resampled(x, up, down):
    """Each row of x by a windowed sinc, up times finer or down times coarser."""
    ratio = max(up, down)
    n = np.arange(-32 * ratio, 32 * ratio + 1)
    h = np.sinc(n / ratio * 0.95) * np.kaiser(n.size, 9) * 0.95
    if up > 1:
        wide = np.zeros((x.shape[0], x.shape[1] * up))
        wide[:, ::up] = x * up
        x = wide
    size = 1 << int(np.ceil(np.log2(x.shape[1] + n.size)))
    y = np.fft.irfft(np.fft.rfft(x, size) * np.fft.rfft(h / ratio, size), size)
    y = y[:, n.size // 2:n.size // 2 + x.shape[1]]
    return y[:, ::down]


def circuit(sound):
    """What the circuit makes of each row of sound."""
    x = resampled(sound, OVER, 1)
    rate = RATE * OVER
    # The coupling capacitor: a high-pass at 90 Hz.
    a = np.exp(-2 * np.pi * 90 / rate)
    # 4.7 kilohms into 10 nanofarads and the diodes: 2.52 nA, 1.752 times 25.85 mV.
    r, c, i0, vt = 4.7e3, 10e-9, 2.52e-9, 1.752 * 25.85e-3
    b = 1 - np.exp(-2 * np.pi * 4800 / rate)
    rows = x.shape[0]
    low, v, tone = np.zeros(rows), np.zeros(rows), np.zeros(rows)
    before = np.zeros(rows)
    out = np.empty_like(x)

    def current(v):
        up, down = np.exp(np.clip(v / vt, -60, 60)), np.exp(np.clip(-v / (2 * vt), -60, 60))
        return i0 * (up - down), i0 * (up / vt + down / (2 * vt))

    for t in range(x.shape[1]):
        low = a * low + (1 - a) * x[:, t]
        driven = 30 * (x[:, t] - low)
        u = (driven + before) / 2
        before = driven
        next = v.copy()
        for _ in range(6):
            middle = (next + v) / 2
            i, slope = current(middle)
            error = next - v - ((u - middle) / r - i) / (c * rate)
            step = error / (1 + (1 / r + slope) / (2 * c * rate))
            next -= np.clip(step, -0.2, 0.2)
        v = next
        tone += b * (v - tone)
        out[:, t] = tone
    return resampled(out, 1, OVER)


def sounds(random, rows, frames):
    """Plucked strings, alone and in chords, sweeps and noise, of many levels."""
    t = np.arange(frames) / RATE
    all = []
    for row in range(rows):
        kind = row % 8
        if kind == 6:
            x = np.sin(2 * np.pi * 30 * t[-1] / np.log(300) * (np.exp(t / t[-1] * np.log(300)) - 1))
        elif kind == 7:
            x = random.standard_normal(frames)
        else:
            x = np.zeros(frames)
            for _ in range(1 + 2 * (kind > 2)):
                pitch = 82.4 * 2 ** (random.integers(0, 36) / 12)
                begin = random.integers(0, frames // 3)
                place = random.uniform(0.1, 0.4)
                tail = t[:frames - begin]
                for k in range(1, 40):
                    if pitch * k > 16000: break
                    x[begin:] += (np.sin(np.pi * k * place) / k * np.exp(-tail * (1 + 0.6 * k))
                                  * np.sin(2 * np.pi * pitch * k * (1 + 5e-5 * k * k) * tail + random.uniform(0, 6)))
        all.append(x / np.abs(x).max() * 10 ** (random.uniform(-34, -1) / 20))
    return np.array(all)


def main():
    random = np.random.default_rng(3)
    torch.manual_seed(3)
    torch.set_num_threads(1)
    frames = 2 * RATE // 5
    sound = sounds(random, 72, frames).astype(np.float32)
    heard = circuit(sound.astype(np.float64)).astype(np.float32)
    scale = 0.9 / np.abs(heard).max()
    heard *= scale
    print("circuit", sound.shape, "peak", 0.9 / scale, flush=True)

    net = WaveNet.init_from_config({"sample_rate": RATE, "layers_configs": [
        {"input_size": 1, "condition_size": 1, "channels": 8, "kernel_size": 3, "dilations": [1, 2, 4, 8, 16, 32, 64, 128],
         "activation": "Tanh", "head": {"out_channels": 1, "kernel_size": 1, "bias": True}}],
        "head": None, "head_scale": 0.1})
    field, window = net.receptive_field, 4096
    optimizer = torch.optim.Adam(net.parameters(), lr=6e-3)
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2400
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, 2e-5)
    x, y = torch.from_numpy(sound), torch.from_numpy(heard)
    held = slice(64, 72)
    for step in range(steps):
        rows = torch.from_numpy(random.integers(0, 64, 8))
        starts = random.integers(0, frames - window - field, 8)
        inputs = torch.stack([x[row, s:s + window + field - 1] for row, s in zip(rows, starts)])
        target = torch.stack([y[row, s + field - 1:s + window + field - 1] for row, s in zip(rows, starts)])
        error = net(inputs, pad_start=False) - target
        # Each row counts as much as it is loud, and silence hardly.
        loss = (error.square().mean(1) / (target.square().mean(1) + 1e-3)).mean()
        # What lies high is heard as well: the same of differences.
        high, own = error[:, 1:] - 0.85 * error[:, :-1], target[:, 1:] - 0.85 * target[:, :-1]
        loss = loss + (high.square().mean(1) / (own.square().mean(1) + 1e-4)).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        schedule.step()
        if step % 100 == 99:
            with torch.no_grad():
                out = net(x[held], pad_start=True)
                esr = (out - y[held]).square().sum() / y[held].square().sum()
            print(step + 1, float(loss), "held out", float(esr), flush=True)
        if step % 500 == 499 or step == steps - 1:
            save(net, sound, heard, esr)


def save(net, sound, heard, esr):
    document = {
        "version": "0.5.4", "metadata": {
            "name": "Crunch", "modeled_by": "Legato", "gear_type": "pedal", "gear_make": "none",
            "gear_model": "a simulated diode clipper", "tone_type": "crunch"},
        "architecture": "WaveNet", "config": net._export_config(),
        "weights": [float(f"{w:.8g}") for w in net._export_weights().astype(np.float32)], "sample_rate": RATE}
    (CAPTURES / "crunch.nam").write_text(json.dumps(document))
    # A chord that was held out.
    row = 67
    part = slice(4000, 4000 + 4800)
    (HERE / "crunch.json").write_text(json.dumps({
        "sound": [float(f"{v:.7g}") for v in sound[row, part]],
        "circuit": [float(f"{v:.7g}") for v in heard[row, part]], "errorToSignal": float(esr)}))


if __name__ == "__main__":
    main()
