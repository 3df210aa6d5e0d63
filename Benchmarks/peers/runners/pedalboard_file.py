# SPDX-License-Identifier: Apache-2.0
"""Renders a file with pedalboard, a second at a time, as its guide does: pedalboard_file.py INPUT OUTPUT BITS."""

import sys

from pedalboard import Bitcrush, Pedalboard
from pedalboard.io import AudioFile

source, target, bits = sys.argv[1:]
board = Pedalboard([Bitcrush(bit_depth=float(bits))])
with AudioFile(source) as reader:
    with AudioFile(target, "w", reader.samplerate, reader.num_channels, bit_depth=32) as writer:
        while reader.tell() < reader.frames:
            writer.write(board(reader.read(reader.samplerate), reader.samplerate, reset=False))
