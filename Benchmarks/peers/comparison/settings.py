# SPDX-License-Identifier: Apache-2.0
"""How the bitcrusher is set, the same for everyone. No value makes an op vanish, or a product exact."""

RESOLUTION = 11.0
GAIN = 1.7
WET = 0.7

PARAMETERS = {"resolution": RESOLUTION, "saturationGain": GAIN, "dryWet": WET}
ASSIGNMENTS = [f"{name}={value:g}" for name, value in PARAMETERS.items()]

# The bits of programs that count in bits: 2^3 levels.
BITS = 3
