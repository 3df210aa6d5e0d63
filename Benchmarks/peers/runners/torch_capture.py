# SPDX-License-Identifier: Apache-2.0
"""Lets PyTorch capture what `legato capture` does: an LSTM of 16 units and a dense layer, for so many seconds.

torch_capture.py DRY WET [--seconds 60] [--batch 8] [--threads 2] [--processor-time]

The sounds are WAV files of one channel. What is the same: windows of 256 frames with 256 before them to warm up, a tenth
held back, the mean square as loss, Adam with a rate of 0.012 that falls along half a cosine as time passes, gradients of a
norm of 1 at most. What is held back is judged after each epoch, and the least ESR counts. --processor-time counts the
seconds in which threads have a processor, of all of them together: for a machine that does other things, too.
"""

import argparse
from math import cos, pi
from time import perf_counter, process_time

import numpy as np
import torch
from pedalboard.io import AudioFile
from torch import nn

WINDOW, WARMUP, RATE = 256, 256, 0.012


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.dense = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, x):
        return self.dense(self.lstm(x)[0])[:, WARMUP:]


def sound(path):
    with AudioFile(path) as file:
        return file.read(file.frames)[0]


def windows(dry, wet):
    """[window, frame] of both; the sound that goes in is late by a frame less than the recording is."""
    size = 1 << (2 * len(dry) - 1).bit_length()
    response = np.fft.irfft(np.fft.rfft(wet, size) * np.conj(np.fft.rfft(dry, size)))
    latency = int(np.abs(response[:4800]).argmax()) - 1
    wet = wet[max(0, latency):]
    starts = range(WARMUP, min(len(wet), len(dry)) - WINDOW, WINDOW)
    x = np.stack([dry[start - WARMUP:start + WINDOW] for start in starts])
    y = np.stack([wet[start:start + WINDOW] for start in starts])
    print(f"{len(x)} windows, {latency} frames late", flush=True)
    return torch.from_numpy(x)[..., None], torch.from_numpy(y)[..., None]


def main():
    parser = argparse.ArgumentParser(description="An LSTM of 16 units captures, in PyTorch.")
    parser.add_argument("dry")
    parser.add_argument("wet")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    clock = process_time if options.processor_time else perf_counter
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    x, y = windows(sound(options.dry), sound(options.wet))
    held = torch.arange(len(x)) % 10 == 5
    learned, power = torch.nonzero(~held)[:, 0], float((y**2).mean())
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    best, epoch, begin = 1.0, 0, clock()
    share = 0.0
    while share < 1:
        epoch += 1
        for batch in learned[torch.randperm(len(learned))].split(options.batch):
            share = min(1, (clock() - begin) / options.seconds)
            optimizer.param_groups[0]["lr"] = RATE * max(0.002, (1 + cos(pi * share)) / 2)
            optimizer.zero_grad()
            (nn.functional.mse_loss(network(x[batch]), y[batch]) / power).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1)
            optimizer.step()
            if share >= 1:
                break
        with torch.no_grad():
            esr = float(((network(x[held]) - y[held]) ** 2).sum() / (y[held] ** 2).sum())
        best = min(best, esr)
        print(f"epoch {epoch}: held-back ESR {esr:.4f}", flush=True)
    print(f"PyTorch {torch.__version__}, batches of {options.batch}: held-back ESR {best:.4f}")


if __name__ == "__main__":
    main()
