# SPDX-License-Identifier: Apache-2.0
"""What came of one case, and the bounds of a refusal."""

from dataclasses import dataclass

MIB = 1 << 20
MEMORY = 256 * MIB  # of a run that ends with a message
WORK = 1.0  # seconds of a processor for it


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


def refused(outcome, has_place, before, after, memory=MEMORY):
    """Of a run that ended with a message: whether it says where, cheaply, and wrote nothing."""
    if not has_place:
        return Failed("no place", outcome.messages[:300])
    if outcome.memory > memory:
        return Failed("memory", f"{outcome.memory / MIB:.0f} MiB: {outcome.messages[:300]}")
    if outcome.work > WORK:
        return Failed("slow", f"{outcome.work:.1f} s: {outcome.messages[:300]}")
    if after != before:
        return Failed("something written", outcome.messages[:300])
    return Tried()
