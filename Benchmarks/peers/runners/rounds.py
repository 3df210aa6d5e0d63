# SPDX-License-Identifier: Apache-2.0
"""How long a round takes."""

from statistics import median
from time import perf_counter_ns


def time(call, seconds):
    """The median of nanoseconds, of five rounds at least."""
    call()
    times = []
    end = perf_counter_ns() + seconds * 1e9
    while len(times) < 5 or perf_counter_ns() < end:
        begin = perf_counter_ns()
        call()
        times.append(perf_counter_ns() - begin)
    return median(times)
