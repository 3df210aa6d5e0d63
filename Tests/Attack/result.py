# SPDX-License-Identifier: Apache-2.0
"""What came of one case."""

from dataclasses import dataclass


@dataclass
class Tried:
    """All is well; `share` is how much of it could be judged."""

    share: float = 1.0


@dataclass
class Failed:
    """What must not be: a name that is the same for all that fail in this way, and what was seen."""

    name: str
    text: str


@dataclass
class LeftOut:
    """Nothing could be judged, for a reason."""

    reason: str
