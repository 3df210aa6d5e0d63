# SPDX-License-Identifier: Apache-2.0
"""What has to be computed together, and how: frame by frame."""

import numpy as np

from .delays import Delay


def components(wanted):
    """The groups of nodes that need each other, each behind what it needs (Tarjan 1972)."""
    index, low, stack, waiting, groups = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        waiting.add(node)
        for source in node.sources():
            if source not in index:
                visit(source)
                low[node] = min(low[node], low[source])
            elif source in waiting:
                low[node] = min(low[node], index[source])
        if low[node] == index[node]:
            group = []
            while True:
                member = stack.pop()
                waiting.discard(member)
                group.append(member)
                if member is node:
                    break
            groups.append(group)

    for node in wanted:
        if node not in index:
            visit(node)
    return groups


def run_cycle(group, values, count):
    """Computes a cycle, frame by frame, and adds it to the values."""
    order = within(group)
    find_shapes(order, values)
    parts = {node: [] for node in order}
    for frame in range(count):
        now = one_frame(order, frame, values)
        for node in order:
            parts[node].append(now[node])
    for node in order:
        values[node] = np.concatenate(parts[node], axis=-2)


def find_shapes(order, values):
    """Says the delays of a cycle the shapes of what they delay: tries the first frame until no shape is new."""
    known, waiting = {}, [node for node in order if isinstance(node, Delay)]
    for _ in range(len(order) + 2):
        for node in order:
            node.reset()
        now = one_frame(order, 0, values)
        found = {}
        for node in waiting:
            x = values.get(node.sources()[0], now.get(node.sources()[0]))
            if x is not None:
                found[node] = node.shape = x.shape[:-2]
        if found == known and all(now[node] is not None for node in order):
            break
        known = found
    for node in order:
        node.reset()


def one_frame(order, frame, values):
    """What the nodes of a cycle are in one frame."""
    now = {}

    def value(source):
        if source not in values:
            return now.get(source)
        whole = values[source]
        return whole if whole.shape[-2] == 1 else whole[..., frame : frame + 1, :]

    for node in order:
        arguments = [value(source) for source in node.sources()]
        if isinstance(node, Delay) and not node.closes and arguments[0] is not None:
            node.write(arguments[0], 1)
        now[node] = node.run(frame, 1, *arguments)
    for node in order:
        if isinstance(node, Delay) and node.closes and (x := value(node.sources()[0])) is not None:
            node.write(x, 1)
    return now


def within(group):
    """The nodes of a cycle in an order in which each frame can be computed: delays do not wait for their x."""
    members, order, seen = set(group), [], set()

    def visit(node):
        if node in seen or node not in members:
            return
        seen.add(node)
        for name, source in zip(node.given or [None] * len(node.inputs), node.sources()):
            if not (isinstance(node, Delay) and node.closes and name == "x"):
                visit(source)
        order.append(node)

    for node in group:
        visit(node)
    return order
