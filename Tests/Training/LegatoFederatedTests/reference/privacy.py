# SPDX-License-Identifier: Apache-2.0
"""Writes privacy.json: the epsilon that Google's dp-accounting 0.6.0 states for rounds of the Gaussian mechanism."""
import json
import pathlib

import dp_accounting
from dp_accounting.rdp import RdpAccountant

result = []
for noise in (0.3, 0.8, 1.0, 2.5, 10.0, 80.0):
    for rounds in (1, 7, 50, 1000):
        for delta in (1e-3, 1e-5, 1e-8):
            accountant = RdpAccountant()
            accountant.compose(dp_accounting.GaussianDpEvent(noise), rounds)
            result.append({
                "noise": noise, "rounds": rounds, "delta": delta, "epsilon": accountant.get_epsilon(delta)})
pathlib.Path(__file__).with_name("privacy.json").write_text(json.dumps(result, indent=1) + "\n")
