# SPDX-License-Identifier: Apache-2.0
"""Who is measured, and how: in rounds, one after the other."""

from statistics import median
from typing import NamedTuple, Protocol


# Frames of a step, which has none.
STEP = 0


class Key(NamedTuple):
    """What a time belongs to."""

    peer: str
    graph: str
    frames: int
    # How the peer was told to work; the fastest way counts.
    setting: str


# Nanoseconds of a block.
Times = dict[Key, float]


class Contender(Protocol):
    name: str

    def measure(self, sizes: list[int], milliseconds: float) -> Times: ...


class Row(NamedTuple):
    """A line of the table: a peer's fastest setting beside Legato."""

    graph: str
    peer: str
    frames: int
    nanoseconds: float
    legato: float
    ratio: float
    setting: str


def race(contenders: list[Contender], sizes: list[int], rounds: int, milliseconds: float) -> list[Times]:
    """The times of each round.

        A B C · B C A · C A B · …

    What disturbs the machine for longer than a round disturbs all alike, and nobody is always the first.
    """
    everything = []
    for number in range(rounds):
        times: Times = {}
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            times |= contender.measure(sizes, milliseconds)
        everything.append(times)
    return everything


def rows(rounds: list[Times], legato: str) -> list[Row]:
    """The fastest setting of each peer; ratios are medians of the rounds' ratios."""
    medians = {key: median(times[key] for times in rounds) for key in rounds[0]}
    ours = {(key.graph, key.frames): key for key in medians if key.peer == legato}
    fastest: dict[tuple[str, str, int], Key] = {}
    for key in medians:
        place = (key.graph, key.peer, key.frames)
        if place not in fastest or medians[key] < medians[fastest[place]]:
            fastest[place] = key
    result = []
    for key in fastest.values():
        own = ours.get((key.graph, key.frames))
        if own is None:
            continue
        ratio = median(times[key] / times[own] for times in rounds)
        result.append(
            Row(key.graph, key.peer, key.frames, medians[key], medians[own], ratio, key.setting))
    return result
