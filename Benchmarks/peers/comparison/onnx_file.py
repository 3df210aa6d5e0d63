# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models: as much of the format's protocol buffers as a few graphs need.

A message is a row of fields; a field begins with its number and kind, then comes a number or a length and bytes:

    key = number << 3 | kind        kind 0: a number, 7 bits a byte; kind 2: a length and so many bytes
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7
INTERPRETER_VERSION = 8
OPERATORS_VERSION = 17


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _integer(number: int, value: int) -> bytes:
    return _number(number << 3) + _number(value & 0xFFFF_FFFF_FFFF_FFFF)


def _bytes(number: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(value)) + value


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _bytes(1, name) + _integer(3, value) + _integer(20, 2)
    return _bytes(1, name) + b"".join(_integer(8, one) for one in value) + _integer(20, 7)


def _tensor_type(name: str, shape: tuple[int, ...]) -> bytes:
    extents = b"".join(_bytes(1, _integer(1, extent)) for extent in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _integer(1, FLOAT) + _bytes(2, extents)))


@dataclass
class OnnxGraph:
    """A graph as it is put together; values are names."""

    inputs: dict[str, tuple[int, ...]]
    output: tuple[str, tuple[int, ...]]
    _nodes: list[bytes] = field(default_factory=list)
    _constants: list[bytes] = field(default_factory=list)

    def node(self, op: str, *inputs: str, to: str | None = None, **attributes: int | list[int]) -> str:
        """Adds an op; returns the name of its value."""
        to = to or f"v{len(self._nodes)}"
        self._nodes.append(
            b"".join(_bytes(1, name) for name in inputs) + _bytes(2, to) + _bytes(4, op)
            + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items()))
        return to

    def constant(self, name: str, values: np.ndarray | float | list[int]) -> str:
        """Floats, or of a list integers of 64 bits."""
        kind = INT64 if isinstance(values, list) else FLOAT
        array = np.atleast_1d(np.asarray(values, "<i8" if kind == INT64 else "<f4"))
        extents = b"".join(_integer(1, extent) for extent in array.shape)
        self._constants.append(extents + _integer(2, kind) + _bytes(8, name) + _bytes(9, array.tobytes()))
        return name

    def write(self, path: Path) -> Path:
        graph = (
            b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, path.stem)
            + b"".join(_bytes(5, constant) for constant in self._constants)
            + b"".join(_bytes(11, _tensor_type(*port)) for port in self.inputs.items())
            + _bytes(12, _tensor_type(*self.output)))
        path.write_bytes(
            _integer(1, INTERPRETER_VERSION) + _bytes(2, "legato-peers") + _bytes(7, graph)
            + _bytes(8, _integer(2, OPERATORS_VERSION)))
        return path
