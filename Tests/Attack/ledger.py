# SPDX-License-Identifier: Apache-2.0
"""What was tried so far: kept in a file, so that an attack goes on where it ended."""

import json
import os
import re


class Ledger:
    """For each kind the next case, and how many were tried, failed and left out; failures by name."""

    def __init__(self, path, seed):
        self.path, self.seed, self.kinds, self.failures = path, seed, {}, []
        if path and os.path.exists(path):
            with open(path) as file:
                state = json.load(file)
            if state["seed"] != seed:
                raise SystemExit(
                    f"attack: {path} is of seed {state['seed']}; say --seed {state['seed']}, or another --state"
                )
            self.kinds, self.failures = state["kinds"], state["failures"]

    def of(self, kind):
        return self.kinds.setdefault(
            kind, {"next": 0, "tried": 0, "failed": 0, "known": 0, "left out": 0, "judged": 0.0}
        )

    def save(self):
        if not self.path:
            return
        with open(self.path + ".new", "w") as file:
            json.dump({"seed": self.seed, "kinds": self.kinds, "failures": self.failures}, file, indent=1)
        os.replace(self.path + ".new", self.path)


class Known:
    """Failures that are known: a line has a kind, a pattern that their name and text match, and why they are there."""

    def __init__(self, path):
        self.rows = []
        with open(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                parts = [part.strip() for part in line.split("|")]
                if len(parts) != 3 or not all(parts):
                    raise SystemExit(f"{path}:{number}: a line is kind | pattern | reason")
                self.rows.append((parts[0], re.compile(parts[1].replace("¦", "|")), parts[2]))

    def reason(self, kind, failure):
        """Why a failure is known, or None."""
        for of, pattern, reason in self.rows:
            if of == kind and pattern.search(f"{failure.name} {failure.text}"):
                return reason
        return None
