#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes nearness.json: made voices, and how near they are, by eigenvectors in NumPy instead of Cholesky factors."""
import json
from pathlib import Path

import numpy

SHRINKAGE, FARTHEST = 0.8, 1.6
numbers = numpy.random.default_rng(1)


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=-1, keepdims=True)


def whitening(people):
    beside = numpy.concatenate([rows - rows.mean(0) for rows in people])
    covariance = beside.T @ beside
    size = len(covariance)
    covariance = (1 - SHRINKAGE) * covariance + SHRINKAGE * numpy.trace(covariance) / size * numpy.eye(size)
    values, vectors = numpy.linalg.eigh(covariance)
    return vectors / numpy.sqrt(values) @ vectors.T


def bound(index, people):
    recordings = people[index]
    parts = recordings if len(recordings) > 1 else numpy.array_split(recordings[0], 4)
    others = [numpy.concatenate(person) for place, person in enumerate(people) if place != index]
    cosines = []
    for place, part in enumerate(parts):
        rest = numpy.concatenate([own for other, own in enumerate(parts) if other != place])
        matrix = whitening([*others, rest])
        cosines.extend(unit(part @ matrix) @ unit(unit(rest @ matrix).sum(0)))
    return 1 - FARTHEST * (1 - numpy.mean(cosines))


def recordings(counts, size=6):
    usual = numbers.normal(size=size)
    return [unit(usual + 0.3 * numbers.normal(size=size) + 0.4 * numbers.normal(size=(count, size))) for count in counts]


people = [[unit(part.round(4)) for part in recordings(counts)] for counts in ([5, 4, 6], [8], [3, 3])]
others = recordings([4, 4])
matrix = whitening([numpy.concatenate(person) for person in people])
probe = unit(numbers.normal(size=6))
centres = [unit(unit(numpy.concatenate(person) @ matrix).sum(0)) for person in [*people, others]]
content = {
    "people": [[part.tolist() for part in person] for person in people],
    "others": [part.tolist() for part in others],
    "probe": probe.tolist(),
    "nearness": [float(unit(probe @ matrix) @ centre) for centre in centres],
    "bounds": [float(bound(index, people)) for index in range(len(people))],
}
(Path(__file__).parent / "nearness.json").write_text(json.dumps(content) + "\n")
