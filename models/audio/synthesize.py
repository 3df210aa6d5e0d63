#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes pluck-and-drums.wav: four seconds of a plucked string and drums, to try models on.

    python3 models/audio/synthesize.py [OUTPUT.wav]

Without an argument it writes pluck-and-drums.wav beside itself. Python 3 alone is needed; the noise comes from
one seeded generator, so that every run gives the same file: 44.1 kHz, stereo, 16 bit, peak -3 dBFS.

The string is Karplus and Strong's (1983): a burst of noise goes round a delay line one period long and loses
its highs at each turn. Two bars at 120 beats a minute: A minor, then F major, kick, snare and hats under it.
"""

import math
import os
import struct
import sys
import wave

RATE = 44100
SECONDS = 4
FRAMES = RATE * SECONDS
BEAT = 0.5
PEAK = 10 ** (-3 / 20)


class Noise:
    """Uniform noise within +-1 from a 32-bit xorshift generator: the same on every machine."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.state = x
        return x / 0x80000000 - 1


def frequency(note):
    """MIDI note number to hertz."""
    return 440 * 2 ** ((note - 69) / 12)


def pluck(note, seconds, noise, brightness=0.5):
    """A plucked string; the lower the brightness, the softer the finger."""
    period = RATE / frequency(note)
    # The averaging filter delays by half a sample; an all-pass filter makes up what is left of the period.
    length = int(period - 0.5 - 0.1)
    rest = period - 0.5 - length
    allpass = (1 - rest) / (1 + rest)
    burst = [noise() for _ in range(length)]
    low = 0.0
    for i, sample in enumerate(burst):
        low += brightness * (sample - low)
        burst[i] = low
    mean = sum(burst) / length
    line = [sample - mean for sample in burst]
    # The same ring in seconds for every note: 60 dB in about three.
    loss = 0.001 ** (period / (3.0 * RATE))
    count = int(seconds * RATE)
    output = [0.0] * count
    before = old_in = old_out = 0.0
    for i in range(count):
        sample = line[i % length]
        average = 0.5 * (sample + before) * loss
        before = sample
        tuned = allpass * (average - old_out) + old_in
        old_in, old_out = average, tuned
        line[i % length] = tuned
        output[i] = sample
    # A hand damps the string.
    release = min(count, int(0.06 * RATE))
    for i in range(release):
        output[count - release + i] *= 0.5 + 0.5 * math.cos(math.pi * (i + 1) / release)
    return output


def kick():
    """A sine that falls from 150 to 48 Hz."""
    count = int(0.35 * RATE)
    phase = 0.0
    output = []
    for i in range(count):
        time = i / RATE
        phase += (48 + 102 * math.exp(-time / 0.028)) / RATE
        attack = min(1.0, time / 0.001)
        fade = min(1.0, (count - i) / (0.05 * RATE))
        output.append(math.sin(2 * math.pi * phase) * math.exp(-time / 0.11) * attack * fade)
    return output


def snare(noise):
    """Noise over the two lowest tones of a drum's skin."""
    count = int(0.25 * RATE)
    output = []
    low = 0.0
    for i in range(count):
        time = i / RATE
        sample = noise()
        low += 0.12 * (sample - low)
        tone = 0.5 * math.sin(2 * math.pi * 185 * time) + 0.3 * math.sin(2 * math.pi * 331 * time)
        attack = min(1.0, time / 0.0007)
        fade = min(1.0, (count - i) / (0.03 * RATE))
        body = tone * math.exp(-time / 0.045) + 0.6 * (sample - low) * math.exp(-time / 0.07)
        output.append(body * attack * fade)
    return output


def hat(noise, decay):
    """Noise with only its highs left."""
    count = int(decay * 6 * RATE)
    output = []
    last = last_difference = 0.0
    for i in range(count):
        sample = noise()
        difference = sample - last
        high = difference - last_difference
        last, last_difference = sample, difference
        attack = min(1.0, i / (0.0005 * RATE))
        output.append(0.25 * high * math.exp(-i / (decay * RATE)) * attack)
    return output


class Mix:
    def __init__(self):
        self.left = [0.0] * FRAMES
        self.right = [0.0] * FRAMES

    def add(self, sound, time, gain, pan):
        """Adds a sound; pan goes from -1 (left) to 1 (right) at equal power."""
        start = round(time * RATE)
        angle = (pan + 1) * math.pi / 4
        left, right = gain * math.cos(angle), gain * math.sin(angle)
        for i, sample in enumerate(sound[: FRAMES - start]):
            self.left[start + i] += left * sample
            self.right[start + i] += right * sample


def compose():
    noise = Noise(0x4C656761)
    mix = Mix()
    # (beat, note, beats, gain): a phrase in eighths over each bar's chord.
    phrase = [
        (0.0, 57, 2.0), (0.5, 64, 1.5), (1.0, 69, 1.5), (1.5, 72, 1.0), (2.0, 76, 1.5), (2.5, 72, 1.0),
        (3.0, 71, 1.0), (3.5, 67, 1.0),
        (4.0, 53, 2.0), (4.5, 60, 1.5), (5.0, 65, 1.5), (5.5, 69, 1.0), (6.0, 72, 1.5), (6.5, 69, 1.0),
        (7.0, 67, 1.0), (7.5, 64, 0.9),
    ]
    for index, (beat, note, beats) in enumerate(phrase):
        pan = -0.35 + 0.1 * (index % 8)
        mix.add(pluck(note, beats * BEAT, noise, 0.55), beat * BEAT, 0.9, pan)
    for beat in (0, 4):
        mix.add(pluck(45 if beat == 0 else 41, 3.5 * BEAT, noise, 0.2), beat * BEAT, 1.1, 0.0)

    thump, crack = kick(), snare(noise)
    for beat in (0, 2.5, 4, 6, 6.5):
        mix.add(thump, beat * BEAT, 0.85, 0.0)
    for beat in (1, 3, 5, 7):
        mix.add(crack, beat * BEAT, 0.55, 0.08)
    for eighth in range(16):
        is_open = eighth % 8 == 7
        gain = 0.2 if eighth % 2 == 0 else 0.13
        mix.add(hat(noise, 0.07 if is_open else 0.018), eighth * BEAT / 2, gain, 0.3)
    return mix


def block_dc(samples):
    """Removes what lies below about 5 Hz."""
    pole = 1 - 2 * math.pi * 5 / RATE
    last = output = 0.0
    result = []
    for sample in samples:
        output = sample - last + pole * output
        last = sample
        result.append(output)
    return result


def fade(samples):
    """Begins and ends in silence: 1 ms in, 60 ms out."""
    ins, outs = int(0.001 * RATE), int(0.06 * RATE)
    for i in range(ins):
        samples[i] *= i / ins
    for i in range(outs):
        samples[len(samples) - 1 - i] *= 0.5 - 0.5 * math.cos(math.pi * i / outs)
    return samples


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pluck-and-drums.wav")
    path = sys.argv[1] if len(sys.argv) > 1 else beside
    mix = compose()
    channels = [fade(block_dc(channel)) for channel in (mix.left, mix.right)]
    gain = PEAK / max(abs(sample) for channel in channels for sample in channel)
    noise = Noise(0x746F6E65)
    frames = bytearray()
    for pair in zip(*channels):
        for sample in pair:
            # Triangular dither, but none where the sound is silent anyway.
            dither = (noise() + noise()) / 2 if sample else 0.0
            value = round(sample * gain * 32768 + dither)
            frames += struct.pack("<h", max(-32768, min(32767, value)))
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(bytes(frames))


if __name__ == "__main__":
    main()
