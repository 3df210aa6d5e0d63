# SPDX-License-Identifier: Apache-2.0
"""Cases for ONNX files: a model, what goes in, what comes out, as one file that Swift reads.

    Cases  { repeated Case case = 1 }
    Case   { string name = 1; bytes model = 2; repeated Array input = 3, output = 4; repeated Bind bind = 5;
             double relative = 6, absolute = 7 }
    Array  { string name = 1; repeated int64 shape = 2; bytes numbers = 3 }      floats, little-endian
    Bind   { string name = 1; int64 number = 2 }

Needs: pip install onnx numpy
"""

import struct

import numpy as np


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed_array(name, array):
    array = np.asarray(array)
    shape = b"".join(varint(extent) for extent in array.shape)
    numbers = np.ascontiguousarray(array, dtype=np.float32).astype("<f4").tobytes()
    return field(1, name) + (field(2, shape) if shape else b"") + field(3, numbers)


def packed_case(name, model, inputs, outputs, relative, absolute):
    """inputs and outputs are lists of (name, array)."""
    out = field(1, name) + field(2, model.SerializeToString())
    for number, arrays in ((3, inputs), (4, outputs)):
        for key, array in arrays:
            out += field(number, packed_array(key, array))
    for key, extent in binds(model, inputs).items():
        out += field(5, field(1, key) + field(2, int(extent)))
    return out + field(6, float(relative)) + field(7, float(absolute))


def binds(model, inputs):
    """A number for each axis that the model only names."""
    given = {key: np.asarray(array).shape for key, array in inputs}
    found = {}
    for port in model.graph.input:
        for axis, extent in enumerate(port.type.tensor_type.shape.dim):
            if not extent.HasField("dim_value") and port.name in given and axis < len(given[port.name]):
                found[extent.dim_param or f"{port.name}_{axis}"] = given[port.name][axis]
    return found


def is_numbers(array):
    return isinstance(array, np.ndarray) and array.dtype.kind in "fiub" or isinstance(array, (np.generic, float, int))
