# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Compiler/ONNXFilesTests/reference/cases.pb: small models of one op or a few, with numbers of our own, and
what the reference evaluator of the package onnx, or ONNX Runtime, makes of them.

    python Tests/ONNX/make-cases.py          needs: pip install onnx onnxruntime numpy
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime import InferenceSession

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from cases import field, packed_case  # noqa: E402

TARGET = pathlib.Path(__file__).parent.parent / "Compiler/ONNXFilesTests/reference/cases.pb"
random = np.random.default_rng(7)
cases = []


class Const:
    """An input that is an initializer."""

    def __init__(self, array):
        self.array = np.asarray(array)


def x(*shape):
    return np.round(random.normal(0, 1, shape), 3).astype(np.float32)


def positive(*shape):
    return np.round(random.uniform(0.2, 3, shape), 3).astype(np.float32)


def whole(*shape, low=-5, high=6, dtype=np.int64):
    return random.integers(low, high, shape).astype(dtype)


def ints(*numbers):
    return Const(np.array(numbers, dtype=np.int64))


def model_of(nodes, inputs, outputs, opset, functions=(), version=8, dims=None):
    ports, tensors = [], []
    for name, value in inputs.items():
        if isinstance(value, Const):
            tensors.append(numpy_helper.from_array(value.array, name))
        else:
            value = np.asarray(value)
            shape = (dims or {}).get(name, value.shape)
            ports.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), shape))
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "case", ports, results, tensors)
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(f.domain, 1) for f in functions[:1]]
    imports += [helper.make_opsetid(domain, 1) for domain in {node.domain for node in nodes} & {"com.microsoft"}]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=version)


def add(name, nodes, inputs, outputs, opset, expected=None, evaluated=None, **more):
    """`evaluated`: another model whose results are the right ones, where the evaluator does not know this one."""
    model = model_of(nodes, inputs, outputs, opset, **more)
    given = {key: value for key, value in inputs.items() if not isinstance(value, Const)}
    if expected is None:
        expected = ReferenceEvaluator(evaluated or model).run(None, given)
    expected = [np.asarray(array) for array in expected]
    cases.append(field(1, packed_case(name, model, list(given.items()), list(zip(outputs, expected)), 1e-4, 1e-5)))


def op(kind, *inputs, opset=18, outputs=1, name=None, expected=None, evaluated=None, domain="", **attributes):
    """One node; None among the inputs is left out."""
    names = ["" if value is None else f"x{row}" for row, value in enumerate(inputs)]
    results = [f"y{row}" for row in range(outputs)] if isinstance(outputs, int) else outputs
    node = helper.make_node(kind, names, results, domain=domain, **attributes)
    given = {f"x{row}": value for row, value in enumerate(inputs) if value is not None}
    title = name or f"{kind}-{opset}" + "".join(f" {key}={value}" for key, value in attributes.items())
    if evaluated:
        evaluated = model_of([helper.make_node(evaluated[0], names, results, **evaluated[2])], given, results, evaluated[1])
    add(f"{title} #{len(cases)}", [node], given, [r for r in results if r], opset, expected=expected, evaluated=evaluated)


# Arithmetic

for kind in ["Add", "Sub", "Mul", "Div"]:
    op(kind, x(2, 3), positive(2, 3), opset=7)
    op(kind, x(2, 3), positive(3), opset=14)
    op(kind, positive(1, 3), x(2, 1), opset=13)
    op(kind, x(3), Const(positive(1, 1)), opset=14)
    op(kind, Const(x(2, 3)), positive(2, 3), opset=14)
    op(kind, whole(2, 3, dtype=np.int32), whole(2, 3, low=1, dtype=np.int32), opset=14)
op("Add", whole(4, low=200, high=256, dtype=np.uint8), whole(4, low=100, high=200, dtype=np.uint8), opset=14)
op("Sub", whole(4, low=-128, high=-100, dtype=np.int8), whole(4, low=50, high=100, dtype=np.int8), opset=14)
op("Mul", whole(4, low=-128, high=128, dtype=np.int8), whole(4, low=-128, high=128, dtype=np.int8), opset=14)
op("Div", np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32), opset=14,
   expected=[np.array([3, -3, -3, 3])])
for kind in ["Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Sin", "Cos", "Atan",
             "Sinh", "Cosh", "Asinh", "Softsign", "Softplus", "Identity"]:
    op(kind, x(2, 5) * 2, opset=13)
for kind in ["Sqrt", "Log", "Reciprocal"]:
    op(kind, positive(7), opset=13)
for kind in ["Asin", "Acos", "Atanh", "Tan"]:
    op(kind, np.clip(x(7), -0.9, 0.9), opset=13)
op("Acosh", positive(5) + 1, opset=13)
op("Round", np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49], np.float32), opset=11)
op("Pow", positive(2, 3), x(3), opset=15)
op("Pow", x(2, 3), Const(np.float32(2)), opset=15)
op("Pow", x(2, 3), Const(np.float32(3)), opset=13)
op("Pow", positive(2, 3), Const(np.float32(0.5)), opset=7)
op("Pow", whole(5, dtype=np.int32), Const(np.array([2], np.int32)), opset=15)
op("Mod", whole(6, low=-9, high=9), np.array([2, -3, 5, -2, 3, 4]), opset=13)
op("Mod", whole(6, low=-9, high=9), np.array([2, -3, 5, -2, 3, 4]), opset=13, fmod=1)
op("Mod", x(6) * 5, positive(6), opset=13, fmod=1)
for kind in ["Min", "Max", "Sum", "Mean"]:
    op(kind, x(2, 3), x(3), x(2, 1), opset=13)
    op(kind, x(2, 3), opset=8)
op("Clip", x(6), opset=7, min=-0.5, max=0.5)
op("Clip", x(6), Const(np.float32(-0.5)), None, opset=13)
op("Clip", x(6), None, Const(np.float32(0.25)), opset=13)
op("Clip", x(6), np.float32(-0.5), np.float32(0.25), opset=12)
op("Where", whole(2, 3, low=0, high=2).astype(bool), x(2, 3), x(3), opset=16)
op("Where", whole(2, 3, low=0, high=2).astype(bool), Const(np.float32(-np.inf)), x(2, 3), opset=16, name="Where infinite")
for kind in ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]:
    op(kind, whole(2, 6), whole(6), opset=16)
    op(kind, x(4), Const(np.float32(0)), opset=16)
truths = lambda *shape: whole(*shape, low=0, high=2).astype(bool)
for kind in ["And", "Or", "Xor"]:
    op(kind, truths(2, 4), truths(4), opset=7)
op("Not", truths(5), opset=7)
op("IsNaN", np.array([1, np.nan, 3], np.float32), opset=13)
for positive_, negative in [(1, 1), (1, 0), (0, 1)]:
    op("IsInf", np.array([1, np.inf, -np.inf, 3], np.float32), opset=10, detect_positive=positive_, detect_negative=negative)

# Activations

for kind, attributes, opset in [
    ("LeakyRelu", {}, 7), ("LeakyRelu", {"alpha": 0.2}, 16), ("Elu", {"alpha": 0.5}, 7), ("Celu", {"alpha": 2.0}, 12),
    ("Selu", {}, 7), ("HardSigmoid", {}, 7), ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}, 22), ("HardSwish", {}, 14),
    ("Mish", {}, 18), ("ThresholdedRelu", {"alpha": 0.3}, 10), ("Shrink", {"lambd": 0.5, "bias": 0.2}, 9),
    ("Gelu", {}, 20), ("Gelu", {"approximate": "tanh"}, 20), ("Swish", {"alpha": 1.5}, 24),
    ("Softmax", {}, 13), ("Softmax", {"axis": 0}, 13), ("LogSoftmax", {"axis": 1}, 13), ("Hardmax", {"axis": 0}, 13),
]:
    op(kind, x(3, 4), opset=opset, **attributes)
op("PRelu", x(2, 3, 4), Const(positive(3, 1)), opset=16)
op("PRelu", x(2, 3), positive(1), opset=9)
data = x(2, 3, 4)
flat = np.exp(data.reshape(2, 12) - data.reshape(2, 12).max(1, keepdims=True))
flat /= flat.sum(1, keepdims=True)
op("Softmax", data, opset=7, expected=[flat.reshape(2, 3, 4)])
op("LogSoftmax", data, opset=11, expected=[np.log(flat).reshape(2, 3, 4)])
op("Softmax", data, opset=11, axis=2, evaluated=("Softmax", 13, {"axis": 2}))

# Shapes

op("Reshape", x(2, 3, 4), ints(0, -1), opset=14)
op("Reshape", x(2, 3, 4), ints(4, 3, 2), opset=8)
op("Flatten", x(2, 3, 4), opset=13)
op("Flatten", x(2, 3, 4), opset=13, axis=0)
op("Flatten", x(2, 3, 4), opset=13, axis=-1)
op("Squeeze", x(1, 3, 1), opset=11, axes=[0])
op("Squeeze", x(1, 3, 1), ints(-1), opset=13)
op("Squeeze", x(1, 3, 1), opset=13)
op("Unsqueeze", x(3, 4), opset=11, axes=[0, 3])
op("Unsqueeze", x(3, 4), ints(-1, 1), opset=13)
op("Transpose", x(2, 3, 4), opset=13)
op("Transpose", x(2, 3, 4), opset=13, perm=[1, 2, 0])
op("Expand", x(3, 1), ints(2, 1, 4), opset=13)
op("Expand", x(3, 4), ints(1), opset=8)
op("Tile", x(2, 3), ints(2, 3), opset=13)
op("DepthToSpace", x(1, 8, 2, 3), opset=13, blocksize=2)
op("DepthToSpace", x(1, 8, 2, 3), opset=11, blocksize=2, mode="CRD")
op("SpaceToDepth", x(1, 2, 4, 6), opset=13, blocksize=2)
op("Slice", x(5, 6), opset=9, starts=[1, 0], ends=[4, -1], axes=[0, 1])
op("Slice", x(5, 6), ints(1), ints(1000), ints(-1), ints(2), opset=13)
op("Slice", x(5, 6), ints(-1, 4), ints(-1000, 0), ints(0, 1), ints(-1, -2), opset=13)
op("Slice", x(5, 6), ints(0, 3), ints(3, 9223372036854775807), opset=10)
op("Split", x(6, 2), opset=11, outputs=3)
op("Split", x(2, 7), opset=11, outputs=2, axis=1, split=[3, 4])
op("Split", x(2, 7), ints(2, 5), opset=13, outputs=2, axis=-1)
op("Split", x(2, 7), opset=18, outputs=3, axis=1, num_outputs=3)
op("Concat", x(2, 3), x(2, 1), Const(x(2, 2)), opset=13, axis=1)
op("Concat", x(2, 3), x(1, 3), opset=11, axis=-2)
op("Pad", x(2, 3), opset=10, pads=[0, 1, 2, 0], value=1.5)
op("Pad", x(2, 3), ints(1, 0, 0, 2), opset=13)
data = x(2, 3)
op("Pad", data, ints(1, 0, 0, -1), Const(np.float32(2)), opset=13, expected=[np.pad(data[:, :2], [(1, 0), (0, 0)], constant_values=2)])
op("Pad", x(2, 4), ints(0, 3, 0, 2), opset=13, mode="reflect")
op("Pad", x(2, 4), ints(1, 3, 1, 2), opset=13, mode="edge")
op("Pad", x(2, 4), ints(0, 3, 0, 2), opset=19, mode="wrap")
op("Pad", x(2, 4), ints(1, 2), None, ints(1), opset=18)
op("Trilu", x(3, 4), opset=14)
op("Trilu", x(2, 4, 4), Const(np.int64(-1)), opset=14, upper=0)
op("Gather", x(4, 3), ints(2, 0, -1), opset=13)
op("Gather", x(4, 3), Const(np.int64(1)), opset=13, axis=1)
op("Gather", Const(x(5, 3)), np.array([[0, 4], [-1, 2]]), opset=13)
op("Gather", x(2, 4, 3), np.array([3, -4]), opset=11, axis=-2)
op("GatherElements", x(3, 4), whole(2, 4, low=-3, high=3), opset=13)
op("GatherElements", x(3, 4), Const(whole(3, 2, low=-4, high=4)), opset=13, axis=1)
op("GatherND", x(2, 3, 4), Const(np.array([[0, 1], [-1, 2]])), opset=13)
op("GatherND", x(2, 3, 4), np.array([[[1]], [[-2]]]), opset=13, batch_dims=1)
op("GatherND", x(3, 4), np.array([[0, 1], [2, -1], [1, 1]]), opset=13)
op("ScatterND", x(4, 3), Const(np.array([[2], [0]])), x(2, 3), opset=16)
op("ScatterND", x(4, 3), Const(np.array([[2, 1], [2, 1], [0, -1]])), x(3), opset=16, reduction="add")
op("ScatterND", x(4, 3), Const(np.array([[2, 1], [2, 1], [0, -1]])), x(3), opset=18, reduction="max")
op("ScatterElements", x(3, 4), Const(np.array([[1, 0, 2, -1]])), x(1, 4), opset=16)
op("ScatterElements", x(3, 4), Const(np.array([[1, 1], [0, 0], [2, -1]])), x(3, 2), opset=18, axis=1, reduction="mul")
op("OneHot", np.array([[1, -1], [0, 3]]), Const(np.int64(4)), Const(np.array([2, 5], np.float32)), opset=11)
op("OneHot", np.array([1, 0]), Const(np.array([3])), Const(np.array([0, 1], np.float32)), opset=11, axis=0,
   expected=[np.array([[0, 1], [1, 0], [0, 0]])])
op("Compress", x(3, 4), Const(np.array([True, False, True])), opset=11, axis=0)
op("ReverseSequence", x(4, 3), Const(np.array([4, 2, 1])), opset=10)
op("Cast", x(6) * 3, opset=13, to=TensorProto.INT32)
op("Cast", np.array([0, -0.5, 2], np.float32), opset=13, to=TensorProto.BOOL)
op("Cast", whole(6, low=-300, high=300, dtype=np.int32), opset=13, to=TensorProto.INT8)
op("CastLike", x(5) * 3, np.array([1], np.int64), opset=19)
op("Dropout", x(4), opset=12)
op("EyeLike", x(3, 4), opset=9, k=1)
op("Shape", x(2, 3, 4), opset=15, start=1)
op("Size", x(2, 3), opset=13)
op("ConstantOfShape", ints(2, 3), opset=9, name="ConstantOfShape-9", value=helper.make_tensor("v", TensorProto.FLOAT, [1], [1.5]))
op("Range", Const(np.float32(1)), Const(np.float32(3)), Const(np.float32(0.5)), opset=11)
op("NonZero", Const(np.array([[0, 2], [3, 0]], np.float32)), opset=13)

# Resampling

for mode, coordinates, more in [
    ("nearest", "asymmetric", {"nearest_mode": "floor"}), ("nearest", "half_pixel", {}),
    ("nearest", "half_pixel", {"nearest_mode": "ceil"}), ("linear", "half_pixel", {}), ("linear", "align_corners", {}),
    ("linear", "pytorch_half_pixel", {}), ("cubic", "half_pixel", {}), ("cubic", "half_pixel", {"exclude_outside": 1}),
    ("cubic", "asymmetric", {"cubic_coeff_a": -0.5}),
]:
    op("Resize", x(1, 1, 3, 4), None, Const(np.array([1, 1, 2, 1.5], np.float32)), opset=13, mode=mode,
       coordinate_transformation_mode=coordinates, **more)
op("Resize", x(1, 2, 4, 4), None, None, ints(1, 2, 3, 2), opset=13, mode="linear")
op("Resize", x(1, 2, 4, 4), None, None, ints(7, 6), opset=18, axes=[2, 3], mode="nearest", keep_aspect_ratio_policy="not_larger")

# Layers

op("MatMul", x(2, 3), x(3, 4), opset=13)
op("MatMul", x(2, 3), Const(x(3, 4)), opset=13)
op("MatMul", x(2, 1, 2, 3), x(3, 3, 4), opset=13)
op("MatMul", x(3), x(3, 4), opset=9)
op("MatMul", x(2, 4, 3), x(3), opset=9)
op("MatMul", x(3), Const(x(2, 3, 2)), opset=13)
op("MatMul", Const(x(4, 3)), x(3, 2), opset=13)
op("Gemm", x(2, 3), Const(x(3, 4)), Const(x(4)), opset=13)
op("Gemm", x(2, 3), Const(x(4, 3)), Const(x(1, 4)), opset=11, transB=1)
op("Gemm", x(3, 2), x(3, 4), x(2, 1), opset=13, transA=1, alpha=0.5, beta=2.0)
op("Gemm", x(2, 3), Const(x(3, 4)), opset=13, alpha=0.25)
for equation, shapes in [
    ("ij,jk->ik", [(2, 3), (3, 4)]), ("bhid,bhjd->bhij", [(2, 2, 3, 4), (2, 2, 5, 4)]), ("bij->bji", [(2, 3, 4)]),
    ("i,j->ij", [(2,), (3,)]), ("...ij,jk->...ik", [(2, 3, 4), (4, 5)]), ("ij->j", [(2, 3)]), ("ij,ij->", [(2, 3), (2, 3)]),
    ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 4)]), ("bij,bjk", [(2, 3, 4), (2, 4, 2)]),
]:
    op("Einsum", *[x(*shape) for shape in shapes], opset=12, equation=equation)
op("Conv", x(1, 2, 8), Const(x(3, 2, 3)), Const(x(3)), opset=11)
op("Conv", x(1, 2, 8), x(3, 2, 3), opset=11, pads=[2, 1], strides=[2], dilations=[2])
op("Conv", x(2, 2, 5, 6), Const(x(4, 1, 3, 2)), Const(x(4)), opset=11, group=2, pads=[1, 0, 1, 1], strides=[2, 1])
op("Conv", x(1, 2, 5, 6), Const(x(2, 2, 3, 3)), opset=11, auto_pad="SAME_UPPER", strides=[2, 2])
op("Conv", x(1, 2, 5, 6), Const(x(2, 2, 2, 2)), opset=11, auto_pad="SAME_LOWER")
op("Conv", x(1, 3, 4, 4), Const(x(3, 1, 3, 3)), opset=7, group=3, kernel_shape=[3, 3])
op("Conv", x(1, 1, 3, 4, 3), Const(x(2, 1, 2, 2, 2)), opset=22)
op("ConvTranspose", x(1, 2, 4), Const(x(2, 3, 3)), Const(x(3)), opset=11, strides=[2], pads=[1, 0], output_padding=[1])
op("ConvTranspose", x(1, 2, 3, 3), Const(x(2, 2, 3, 2)), opset=11, strides=[2, 3], dilations=[2, 1])
data, weight = x(1, 4, 3, 3), x(4, 2, 3, 3)
parts = [ReferenceEvaluator(model_of([helper.make_node("ConvTranspose", ["x", "w"], ["y"], pads=[1, 1, 1, 1])],
                                     {"x": data[:, i:i + 2], "w": weight[i:i + 2]}, ["y"], 22)).run(
    None, {"x": data[:, i:i + 2], "w": weight[i:i + 2]})[0] for i in (0, 2)]
op("ConvTranspose", data, Const(weight), opset=22, group=2, pads=[1, 1, 1, 1], expected=[np.concatenate(parts, 1)])
op("MaxPool", x(1, 2, 8), opset=12, kernel_shape=[3], strides=[2])
op("MaxPool", x(1, 2, 5, 6), opset=12, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
op("MaxPool", x(1, 1, 5, 5), opset=12, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
op("MaxPool", x(1, 1, 6, 6), opset=12, kernel_shape=[2, 2], dilations=[2, 2])
op("MaxPool", x(1, 1, 5, 5), opset=8, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
op("AveragePool", x(1, 2, 8), opset=11, kernel_shape=[3], strides=[2])
op("AveragePool", x(1, 2, 5, 6), opset=11, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
op("AveragePool", x(1, 2, 5, 6), opset=11, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
op("AveragePool", x(1, 1, 5, 5), opset=19, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
op("LpPool", x(1, 2, 6), opset=18, kernel_shape=[2], strides=[2], p=2)
for kind in ["GlobalMaxPool", "GlobalAveragePool"]:
    op(kind, x(2, 3, 4, 2), opset=7)

# Norms and sums

op("BatchNormalization", x(2, 3, 4), Const(positive(3)), Const(x(3)), Const(x(3)), Const(positive(3)), opset=15)
op("BatchNormalization", x(2, 3), positive(3), x(3), x(3), positive(3), opset=9, epsilon=0.01,
   evaluated=("BatchNormalization", 15, {"epsilon": 0.01}))
op("InstanceNormalization", x(2, 3, 4), Const(positive(3)), Const(x(3)), opset=7)
op("LayerNormalization", x(2, 3, 4), Const(positive(4)), Const(x(4)), opset=17)
op("LayerNormalization", x(2, 3, 4), Const(positive(3, 4)), None, opset=17, axis=1, epsilon=0.001, outputs=3)
op("GroupNormalization", x(2, 4, 3), Const(positive(4)), Const(x(4)), opset=21, num_groups=2)
op("RMSNormalization", x(2, 3, 4), Const(positive(4)), opset=23)
op("LpNormalization", x(3, 4), opset=7, axis=0, p=2)
data = x(3, 4)
op("LpNormalization", data, opset=22, p=1, expected=[data / np.abs(data).sum(-1, keepdims=True)])
op("MeanVarianceNormalization", x(2, 3, 2, 2), opset=13)
# The evaluator looks at as many channels as there are batches.
data = positive(1, 6, 2, 2)
around = np.pad(data**2, [(0, 0), (1, 2), (0, 0), (0, 0)])
sums = sum(around[:, i:i + 6] for i in range(4))
op("LRN", data, opset=13, size=4, alpha=0.01, beta=0.5, bias=2.0, expected=[data / np.sqrt(2 + 0.01 / 4 * sums)])
for kind in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
             "ReduceLogSumExp", "ReduceProd"]:
    op(kind, positive(2, 3, 2), ints(0, -1), opset=18, keepdims=0)
    op(kind, positive(2, 3, 2), opset=18)
    if kind != "ReduceSum":
        op(kind, positive(2, 3, 2), opset=13, axes=[1])
op("ReduceSum", x(2, 3), opset=18, noop_with_empty_axes=1)
op("ReduceSum", x(2, 3), opset=11, axes=[1], keepdims=0)
for kind in ["ArgMax", "ArgMin"]:
    op(kind, whole(3, 5, low=0, high=4).astype(np.float32), opset=13, axis=1)
    op(kind, whole(3, 5, low=0, high=4).astype(np.float32), opset=13, axis=-2, keepdims=0, select_last_index=1)
op("TopK", x(2, 6), ints(3), opset=11, outputs=2)
op("TopK", x(6, 2), ints(2), opset=11, outputs=2, axis=0, largest=0)
op("CumSum", x(2, 5), Const(np.int64(1)), opset=14)
op("CumSum", x(2, 5), Const(np.int64(-1)), opset=14, exclusive=1, reverse=1)

# Samples of grids, bits, peepholes

for mode in ["linear", "nearest", "cubic"]:
    # Cubic at borders is left out: the evaluator clamps places there, ONNX Runtime and PyTorch the numbers around them.
    for padding in ["zeros", "border", "reflection"][:: 2 if mode == "cubic" else 1]:
        op("GridSample", x(2, 3, 4, 5), x(2, 2, 3, 2), opset=20, mode=mode, padding_mode=padding, align_corners=len(padding) % 2)
op("GridSample", x(1, 2, 3, 4, 2), x(1, 2, 2, 3, 3), opset=20, align_corners=1)
op("GridSample", x(1, 1, 3, 3), x(1, 2, 2, 2), opset=16, mode="bilinear", evaluated=("GridSample", 20, {"mode": "linear"}))
for kind in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
    op(kind, whole(2, 3, low=0, high=256, dtype=np.uint8), whole(2, 3, low=0, high=256, dtype=np.uint8), opset=18)
    op(kind, whole(2, 3, low=-(2**15), high=2**15, dtype=np.int16), whole(3, low=-(2**15), high=2**15, dtype=np.int16), opset=18)
    op(kind, Const(whole(2, 3, low=-(2**40), high=2**40)), Const(whole(3, low=-(2**40), high=2**40)), opset=18)
op("BitwiseNot", whole(4, low=-100, high=100, dtype=np.int32), opset=18)
op("BitwiseNot", whole(4, low=0, high=256, dtype=np.uint8), opset=18)
for direction in ["LEFT", "RIGHT"]:
    op("BitShift", whole(4, low=0, high=256, dtype=np.uint8), np.array([0, 1, 3, 7], np.uint8), opset=11, direction=direction)
    op("BitShift", whole(4, low=0, high=65536, dtype=np.uint16), np.array([0, 1, 9, 15], np.uint16), opset=11, direction=direction)
for direction in ["forward", "reverse"]:
    data = {"h": x(1, 2, 3), "c": x(1, 2, 3), "p": Const(x(1, 9))}
    peepholes = data["p"].array

    def lstm(v, w, r, b, h, c):
        """One direction with peepholes; gates i, o, f, c."""
        outputs = []
        i_p, o_p, f_p = np.split(peepholes[0], 3)
        for step in v if direction == "forward" else v[::-1]:
            gates = step @ w[0].T + h[0] @ r[0].T + b[0, :12] + b[0, 12:]
            i, o, f, g = np.split(gates, 4, axis=1)
            before = c[0]
            i, f = 1 / (1 + np.exp(-i - i_p * before)), 1 / (1 + np.exp(-f - f_p * before))
            cell = f * before + i * np.tanh(g)
            o = 1 / (1 + np.exp(-o - o_p * cell))
            h, c = (o * np.tanh(cell))[None], cell[None]
            outputs.append(h)
        return [np.stack(outputs if direction == "forward" else outputs[::-1]), h, c]

    v, w, r, b = x(4, 2, 2), x(1, 12, 2), x(1, 12, 3), x(1, 24)
    op("LSTM", v, Const(w), Const(r), Const(b), None, data["h"], data["c"], data["p"], opset=14, outputs=3, hidden_size=3,
       direction=direction, expected=lstm(v.astype(float), w, r, b, data["h"], data["c"]))

# Signals and quantised numbers

op("DFT", x(1, 8, 1), opset=17)
op("DFT", x(1, 6, 1), opset=17, onesided=1)
op("DFT", x(1, 5, 2), None, Const(np.int64(1)), opset=20, inverse=1)
op("STFT", x(1, 16, 1), Const(np.int64(4)), Const(positive(8)), Const(np.int64(8)), opset=17)
for kind in ["HannWindow", "HammingWindow", "BlackmanWindow"]:
    op(kind, Const(np.int64(8)), opset=17)
op("MelWeightMatrix", *[Const(n) for n in [np.int64(5), np.int64(32), np.int64(8000), np.float32(0), np.float32(4000)]], opset=17)
op("QuantizeLinear", x(2, 3) * 50, Const(np.float32(0.7)), Const(np.uint8(30)), opset=13)
op("QuantizeLinear", x(2, 3) * 50, Const(positive(3)), Const(np.array([1, -2, 3], np.int8)), opset=13, axis=1)
op("DequantizeLinear", whole(2, 3, low=0, high=255, dtype=np.uint8), Const(np.float32(0.1)), Const(np.uint8(12)), opset=19)
op("DequantizeLinear", Const(whole(2, 3, low=-99, high=99, dtype=np.int8)), Const(positive(2)), opset=19, axis=0)
op("DynamicQuantizeLinear", x(7), opset=11, outputs=3)
op("MatMulInteger", whole(2, 3, low=0, high=200, dtype=np.uint8), Const(whole(3, 2, low=0, high=200, dtype=np.uint8)),
   Const(np.uint8(100)), Const(np.uint8(90)), opset=10)
op("ConvInteger", whole(1, 1, 3, 3, low=0, high=200, dtype=np.uint8), Const(whole(1, 1, 2, 2, low=0, high=9, dtype=np.uint8)),
   Const(np.uint8(1)), opset=10)
op("QLinearMatMul", whole(2, 3, low=0, high=255, dtype=np.uint8), Const(np.float32(0.02)), Const(np.uint8(128)),
   Const(whole(3, 2, low=0, high=255, dtype=np.uint8)), Const(np.float32(0.03)), Const(np.uint8(120)),
   Const(np.float32(0.05)), Const(np.uint8(110)), opset=10)

# Several nodes: shape arithmetic, functions, branches, loops, named axes

node = helper.make_node
add("the batch is kept by arithmetic of shapes", [
    node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["batch"]), node("Unsqueeze", ["batch", "axis"], ["b"]),
    node("Concat", ["b", "rest"], ["shape"], axis=0), node("Reshape", ["x", "shape"], ["y"]),
], {"x": x(2, 3, 4), "zero": Const(np.int64(0)), "axis": ints(0), "rest": ints(-1)}, ["y"], 13, dims={"x": ["batch", 3, 4]})
add("a value of an unnamed axis", [node("Mul", ["x", "x"], ["y"])], {"x": x(3)}, ["y"], 13, dims={"x": [None]})
branch = lambda kind: helper.make_graph([node(kind, ["x"], ["z"])], kind, [], [helper.make_empty_tensor_value_info("z")])
add("a branch is chosen", [
    node("Size", ["x"], ["n"]), node("Equal", ["n", "six"], ["c"]),
    node("If", ["c"], ["y"], then_branch=branch("Neg"), else_branch=branch("Exp")),
], {"x": x(2, 3), "six": Const(np.int64(6))}, ["y"], 16)
body = helper.make_graph(
    [node("Add", ["sum", "x"], ["next"]), node("Identity", ["on"], ["still"]), node("Mul", ["next", "next"], ["row"])], "body",
    [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("on", TensorProto.BOOL, []),
     helper.make_tensor_value_info("sum", TensorProto.FLOAT, [3])],
    [helper.make_tensor_value_info("still", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, [3]),
     helper.make_tensor_value_info("row", TensorProto.FLOAT, [3])])
data = x(3)
add("a loop of four turns", [node("Loop", ["four", "", "start"], ["last", "rows"], body=body)],
    {"x": data, "four": Const(np.int64(4)), "start": Const(np.zeros(3, np.float32))}, ["last", "rows"], 16,
    expected=[4 * data, np.stack([(turn * data) ** 2 for turn in range(1, 5)])])
swish = helper.make_function("ours", "Scaled", ["a", "b"], ["c"], [
    helper.make_node("Constant", [], ["k"]), node("Mul", ["a", "k"], ["p"]), node("Add", ["p", "b"], ["c"])],
    [helper.make_opsetid("", 13)], ["factor"])
attribute = onnx.AttributeProto()
attribute.name, attribute.ref_attr_name, attribute.type = "value_float", "factor", onnx.AttributeProto.FLOAT
swish.node[0].attribute.append(attribute)
add("a function of the file, twice", [
    node("Scaled", ["x", "x"], ["m"], domain="ours", factor=3.0), node("Scaled", ["m", "x"], ["y"], domain="ours", factor=0.5)],
    {"x": x(4)}, ["y"], 13, functions=[swish])
add("names that no expression can say", [
    node("Relu", ["/in.0"], ["12"]), node("Neg", ["12"], ["sum"]), node("Add", ["sum", "frames"], ["/out/y:0"])],
    {"/in.0": x(3), "frames": x(3)}, ["/out/y:0", "sum"], 13)
add("an input that comes out, and a constant", [node("Identity", ["x"], ["y"]), node("Constant", [], ["z"], value_floats=[1.0, 2.0])],
    {"x": x(2)}, ["y", "z", "x"], 13)

# Attention

scores = {"qk_matmul_output_mode": 3}
op("Attention", x(2, 3, 4, 5), x(2, 3, 6, 5), x(2, 3, 6, 4), opset=23)
op("Attention", x(2, 4, 12), x(2, 6, 6), x(2, 6, 4), opset=23, q_num_heads=4, kv_num_heads=2, scale=0.4, softcap=2.0)
op("Attention", x(1, 2, 4, 3), x(1, 2, 4, 3), x(1, 2, 4, 3), opset=24, is_causal=1, outputs=["y0", "", "", "y3"], **scores)
op("Attention", x(1, 2, 4, 3), x(1, 2, 4, 3), x(1, 2, 4, 3), x(4, 4), opset=24, is_causal=1, outputs=["y0", "", "", "y3"],
   qk_matmul_output_mode=1, softcap=1.0)
seen = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)
op("Attention", x(2, 2, 3, 4), x(2, 2, 5, 4), x(2, 2, 5, 4), seen, opset=23)
op("Attention", x(2, 2, 3, 4), x(2, 2, 5, 4), x(2, 2, 5, 4), Const(seen), opset=23)
op("Attention", x(1, 4, 3, 2), x(1, 2, 3, 2), x(1, 2, 3, 2), x(1, 4, 3, 5), x(1, 2, 2, 2), x(1, 2, 2, 2), opset=23, outputs=3,
   is_causal=1)
op("Attention", x(2, 1, 3, 4), x(2, 1, 6, 4), x(2, 1, 6, 4), x(3, 4), None, None, np.array([2, 4]), opset=24, is_causal=1)
op("Attention", x(1, 2, 5, 3), x(1, 2, 5, 3), x(1, 2, 5, 3), opset=25, left_window_size=2, right_window_size=1)
angles = np.outer(np.arange(8), [1, 0.3, 0.1]).astype(np.float32)
tables = lambda *shape: [Const(np.cos(angles)), Const(np.sin(angles)), whole(*shape, low=0, high=8)]
op("RotaryEmbedding", x(2, 3, 4, 6), *tables(2, 4), opset=23)
op("RotaryEmbedding", x(2, 4, 24), *tables(2, 4)[:2], Const(whole(2, 4, low=0, high=8)), opset=23, num_heads=3, interleaved=1,
   rotary_embedding_dim=6)
op("RotaryEmbedding", x(1, 2, 3, 4), x(1, 3, 2), x(1, 3, 2), opset=23)

# What version 28 adds

op("SpaceToDepth", x(1, 2, 4, 6), opset=28, blocksize=2, mode="CRD")
op("Mod", np.array([-4.3, 7.2, 5, -3, 2, -2], np.float32), np.array([2.1, -3.4, 8, np.inf, np.inf, -np.inf], np.float32), opset=28)
op("SwiGLU", x(3, 4), x(3, 4), opset=28, alpha=1.5)

# Sequences of several lengths, each computed by itself

def lengths_of(kind, counts, direction="forward", constant=False, opset=14, gates=4, units=3, **attributes):
    directions = 2 if direction == "bidirectional" else 1
    time, batch, width = max(counts) + 1, len(counts), 2
    weights = [x(directions, gates * units, width), x(directions, gates * units, units), x(directions, 2 * gates * units)]
    data, starts = x(time, batch, width), [x(directions, batch, units) for _ in range(2 if kind == "LSTM" else 1)]
    outputs = [f"y{row}" for row in range(1 + len(starts))]
    y, ends = np.zeros((time, directions, batch, units), np.float32), [np.zeros_like(start) for start in starts]
    for item, count in enumerate(counts):
        own = {"x": data[:count, item:item + 1]}
        names = ["x", "w", "r", "b", ""] + [f"h{row}" for row in range(len(starts))]
        inputs = own | dict(zip("wrb", map(Const, weights))) | {
            f"h{row}": Const(start[:, item:item + 1]) for row, start in enumerate(starts)}
        layer = helper.make_node(kind, names, outputs, hidden_size=units, direction=direction, **attributes)
        found = ReferenceEvaluator(model_of([layer], inputs, outputs, opset)).run(None, own)
        y[:count, :, item:item + 1] = found[0]
        for end, value in zip(ends, found[1:]):
            end[:, item:item + 1] = value
    counts = np.array(counts, np.int32)
    op(kind, data, *map(Const, weights), Const(counts) if constant else counts, *starts, opset=opset, outputs=len(outputs),
       expected=[y, *ends], hidden_size=units, direction=direction, **attributes)


lengths_of("LSTM", [4, 2, 3])
lengths_of("LSTM", [1, 4], direction="bidirectional", constant=True)
lengths_of("GRU", [2, 5, 3], direction="reverse", gates=3, linear_before_reset=1)
lengths_of("RNN", [3, 1], direction="bidirectional", gates=1)
op("ReverseSequence", x(4, 3, 2), np.array([4, 2, 0]), opset=10)
op("ReverseSequence", x(3, 4), np.array([1, 3, 4]), opset=10, time_axis=1, batch_axis=0)

# Loops over positions

port = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
body = helper.make_graph(
    [node("Mul", ["s", "half"], ["m"]), node("Add", ["m", "e"], ["next"]), node("Neg", ["next"], ["row"])], "body",
    [port("s", 2), port("e", 2)], [port("next", 2), port("row", 2)], [numpy_helper.from_array(np.float32(0.5), "half")])
start, data = x(2), x(5, 2)
rows = [start]
for line in data:
    rows.append(rows[-1] / 2 + line)
add("a scan", [node("Scan", ["start", "x"], ["last", "rows"], body=body, num_scan_inputs=1)], {"start": start, "x": data},
    ["last", "rows"], 11, expected=[rows[-1], -np.stack(rows[1:])])
rows = [start]
for line in data[::-1]:
    rows.append(rows[-1] / 2 + line)
add("a scan from the end, along other axes", [
    node("Scan", ["start", "x"], ["last", "rows"], body=body, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1],
         scan_output_axes=[-1], scan_output_directions=[1])], {"start": start, "x": data.T.copy()}, ["last", "rows"], 19,
    expected=[rows[-1], -np.stack(rows[:0:-1], 1)])
rows = [start]
for line in data:
    rows.append(rows[-1] / 2 + line)
add("a scan of version 8", [node("Scan", ["", "start", "x"], ["last", "rows"], body=body, num_scan_inputs=1)],
    {"start": start[None], "x": data[None]}, ["last", "rows"], 8, expected=[rows[-1][None], -np.stack(rows[1:])[None]])

# Blocks, halves of spectra, smoothing

op("Col2Im", x(2, 12, 6), ints(3, 4), ints(2, 2), opset=18)
op("Col2Im", x(1, 12, 5), ints(1, 12), ints(1, 4), opset=18, strides=[1, 2])
op("Col2Im", x(1, 4, 15), ints(4, 5), ints(2, 2), opset=18, pads=[0, 1, 1, 0], dilations=[2, 1])
for size in [6, 7]:
    spectrum = x(2, size // 2 + 1, 2)
    spectrum[:, [0, -1] if size == 6 else [0], 1] = 0
    op("DFT", spectrum, Const(np.int64(size)), Const(np.int64(1)), opset=20, inverse=1, onesided=1,
       expected=[np.fft.irfft(spectrum[..., 0] + 1j * spectrum[..., 1], size)[..., None]])
for mode in ["linear", "cubic"]:
    op("Resize", x(1, 1, 7, 10), None, None, ints(1, 1, 3, 4), opset=18, mode=mode, antialias=1)
    op("Resize", x(1, 1, 9, 3), None, Const(np.array([1, 1, 0.4, 2], np.float32)), opset=18, mode=mode, antialias=1,
       exclude_outside=1)

add("a part without numbers", [
    node("Slice", ["x", "four", "nine", "one"], ["none"]), node("Neg", ["x"], ["n"]),
    node("Concat", ["n", "none"], ["y"], axis=1)],
    {"x": x(2, 4), "four": ints(4), "nine": ints(9), "one": ints(1)}, ["y"], 13)

# More turns than are written out

PORT = helper.make_tensor_value_info
body = helper.make_graph(
    [node("Mul", ["h", "slow"], ["m"]), node("Add", ["m", "a"], ["sum"]), node("Tanh", ["sum"], ["next"]), node("Identity", ["next"], ["copy"]),
     node("Sub", ["next", "b"], ["difference"]), node("Mul", ["difference", "around"], ["row"])],
    "body", [PORT(name, TensorProto.FLOAT, [3]) for name in "hab"],
    [PORT(name, TensorProto.FLOAT, [3]) for name in ["next", "copy", "row"]],
    [numpy_helper.from_array(np.array([0.5, -0.9, 0.25], np.float32), "slow")])
for name, first, directions in [("forwards", x(3), [0, 0]), ("backwards, from zero", np.zeros(3, np.float32), [1, 1]),
                                ("both ways", x(3), [1, 0])]:
    a, b, around = x(90, 3), x(3, 90), x(3)
    one, two = (part[::-1] if back else part for part, back in zip([a, b.T], directions))
    h, rows, differences = first.astype(np.float64), [], []
    for turn in range(90):
        h = np.tanh(h * [0.5, -0.9, 0.25] + one[turn])
        rows.append(h)
        differences.append((h - two[turn]) * around)
    add(f"a scan of ninety positions, {name}",
        [node("Scan", ["first", "a", "b"], ["last", "hs", "rows"], body=body, num_scan_inputs=2, scan_input_axes=[0, -1],
              scan_input_directions=directions, scan_output_directions=[0, 1], scan_output_axes=[1, 0])],
        {"first": Const(first) if "zero" in name else first, "a": a, "b": b, "around": around}, ["last", "hs", "rows"], 17,
        expected=[rows[-1].astype(np.float32), np.stack(rows, 1).astype(np.float32),
                  np.stack(differences[::-1]).astype(np.float32)])
body = helper.make_graph(
    [node("Gather", ["table", "turn"], ["row"]), node("Cast", ["turn"], ["number"], to=TensorProto.FLOAT),
     node("Mul", ["number", "little"], ["more"]), node("Add", ["h", "more"], ["sum"]), node("Sin", ["sum"], ["next"]),
     node("Mul", ["next", "row"], ["product"]), node("Identity", ["goes"], ["still"])],
    "body", [PORT("turn", TensorProto.INT64, []), PORT("goes", TensorProto.BOOL, []), PORT("h", TensorProto.FLOAT, [2])],
    [PORT("still", TensorProto.BOOL, []), PORT("next", TensorProto.FLOAT, [2]), PORT("product", TensorProto.FLOAT, [2])],
    [numpy_helper.from_array(np.float32(0.125), "little")])
start, table = x(2), x(80, 2)
h, products = start.astype(np.float64), []
for turn in range(80):
    h = np.sin(h + turn / 8)
    products.append(h * table[turn])
add("a loop of eighty turns", [node("Loop", ["eighty", "", "start"], ["last", "products"], body=body)],
    {"start": start, "table": table, "eighty": Const(np.int64(80))}, ["last", "products"], 17,
    expected=[h.astype(np.float32), np.stack(products).astype(np.float32)])

body = helper.make_graph(
    [node("Add", ["h", "line"], ["next"]), node("ReduceSum", ["next", "one"], ["row"], keepdims=0),
     node("Add", ["n", "one"], ["more"]), node("Identity", ["kept"], ["keeps"]), node("Mul", ["kept", "row"], ["both"])],
    "body",
    [PORT("h", TensorProto.FLOAT, [2, 4]), PORT("n", TensorProto.INT64, [1]), PORT("kept", TensorProto.FLOAT, [2]),
     PORT("line", TensorProto.FLOAT, [1, 4])],
    [PORT("next", TensorProto.FLOAT, [2, 4]), PORT("more", TensorProto.INT64, [1]), PORT("keeps", TensorProto.FLOAT, [2]),
     PORT("both", TensorProto.FLOAT, [2])],
    [numpy_helper.from_array(np.array([1], np.int64), "one")])
lines, kept = x(70, 1, 4) / 8, x(2)
sums = np.cumsum(lines.astype(np.float64), 0).repeat(2, 1)
add("a scan from zero, whose state alone says of which shape it is",
    [node("Scan", ["zeros", "none", "kept", "lines"], ["last", "count", "same", "rows"], body=body, num_scan_inputs=1)],
    {"zeros": Const(np.zeros((2, 4), np.float32)), "none": Const(np.zeros(1, np.int64)), "kept": kept, "lines": lines},
    ["last", "count", "same", "rows"], 17,
    expected=[sums[-1].astype(np.float32), np.array([70], np.int64), kept, (sums.sum(2) * kept).astype(np.float32)])

# Infinities, edges of what floats tell apart, and shapes that the second operand gives

for largest in [0, 1]:
    far = np.float32(-np.inf if largest else np.inf)
    op("TopK", np.array([[5, far, far], [far, far, 1], [far, far, far]], np.float32), ints(3), opset=11, outputs=2,
       largest=largest, name=f"TopK among infinities, largest={largest}")
op("ReduceLogSumExp", np.array([[-np.inf, -np.inf], [np.inf, 1], [2, -np.inf]], np.float32), ints(1), opset=18,
   name="ReduceLogSumExp of infinities", expected=[np.array([[-np.inf], [np.inf], [2]], np.float32)])
op("OneHot", ints(1, 0, 2), Const(np.int64(3)), Const(np.array([0.5, 1.5], np.float32)), opset=11,
   name="OneHot of known places")
for kind, function in {"SumSquare": np.square, "L1": np.abs, "L2": np.abs, "LogSum": np.log, "LogSumExp": np.array,
                       "Mean": np.array, "Prod": np.array}.items():
    given = positive(2, 3) + 1
    op(f"Reduce{kind}", given, opset=18, noop_with_empty_axes=1, expected=[function(given)])
op("Pow", x(3), Const(np.array([[2]], np.float32)), opset=15, name="Pow by 2 of another rank")
op("Pow", positive(3), Const(np.array([[0.5]], np.float32)), opset=15, name="Pow by a half of another rank")
op("Pow", np.array([3, 7, 8, 9, 27, 1000], np.int32), Const(np.float32(0.5)), opset=15, name="Pow of integers by a half",
   expected=[np.array([1, 2, 2, 3, 5, 31], np.int32)])
op("Pow", np.array([3, -3, 10, 5], np.int32), np.array([3, 3, 3, 0], np.float32), opset=15, name="Pow of integers by whole floats",
   expected=[np.array([27, -27, 1000, 1], np.int32)])
op("Pow", np.array([128, 200, 1500, 7], np.int32), np.array([3, 3, 2, 0.5], np.float32), opset=15,
   name="Pow of integers to large ones", expected=[np.array([2097152, 8000000, 2250000, 2], np.int32)])
low = np.finfo(np.float32).min
op("ReduceLogSumExp", np.array([[low, low], [low, 1]], np.float32), ints(1), opset=18,
   name="ReduceLogSumExp of a mask", expected=[np.array([[low], [1]], np.float32)])
op("Mod", np.array([2, -3, 5], np.float32), np.array([np.inf, np.inf, 3], np.float32), opset=13, fmod=1,
   name="Mod by infinities", expected=[np.array([2, -3, 2], np.float32)])
op("Resize", np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4), Const(np.array([1, 1, 0.6, 0.6], np.float32)), opset=10,
   mode="nearest", name="Resize that shrinks, as version 10 has it", expected=[np.array([[[[1, 3]]]], np.float32)])
small = x(1, 2, 3, 3) * 1e-5
small_mean = small.astype(np.float64).mean((0, 2, 3), keepdims=True)
op("MeanVarianceNormalization", small, opset=13, name="MeanVarianceNormalization of small numbers",
   expected=[((small - small_mean) / (np.sqrt(((small - small_mean) ** 2).mean((0, 2, 3), keepdims=True)) + 1e-9)).astype(np.float32)])
op("DynamicQuantizeLinear", np.zeros(4, np.float32), opset=11, outputs=3, name="DynamicQuantizeLinear of zeros",
   expected=[np.zeros(4, np.uint8), np.float32(1), np.uint8(0)])
for kind, given, function in [
        ("Asinh", np.array([1e-6, -1e-4, 0.1, -0.19, 0.21, 3, -1e20], np.float32), np.arcsinh),
        ("Acosh", np.array([1.0001, 1.5, 40, 1e20], np.float32), np.arccosh),
        ("Atanh", np.array([1e-6, -1e-4, 0.1, 0.19, -0.21, 0.9], np.float32), np.arctanh)]:
    # Beside what is right all are near 1.
    right = function(given.astype(np.float64))
    add(f"{kind} near its edges", [node(kind, ["x"], ["a"]), node("Mul", ["a", "scale"], ["y"])],
        {"x": given, "scale": Const((1 / right).astype(np.float32))}, ["y"], 13, expected=[np.ones_like(given)])

# Constants as floats of 32 bits and of halves have them: what depends on a rounded number

for extent, factor in [(10, 0.7), (30, 0.7), (100, 0.7), (100, 0.29), (30, 0.1), (49, 1 / 49), (3, 1 / 3)]:
    add(f"a part of an extent, {extent} times {factor:.3}", [
        node("Shape", ["x"], ["shape"]), node("Cast", ["shape"], ["extent"], to=TensorProto.FLOAT),
        node("Mul", ["extent", "factor"], ["product"]), node("Floor", ["product"], ["y"])],
        {"x": x(extent), "factor": Const(np.float32(factor))}, ["y"], 17,
        expected=[np.floor(np.array([extent], np.float32) * np.float32(factor))])
branches = {name: helper.make_graph([node(kind, ["x"], ["r"])], name, [], [helper.make_empty_tensor_value_info("r")])
            for name, kind in [("then_branch", "Neg"), ("else_branch", "Abs")]}
add("a branch by a rounded number", [
    node("Mul", ["ten", "part"], ["product"]), node("GreaterOrEqual", ["product", "seven"], ["enough"]),
    node("If", ["enough"], ["y"], **branches)],
    {"x": x(3), "ten": Const(np.float32(10)), "part": Const(np.float32(0.7)), "seven": Const(np.float32(7))}, ["y"], 17)
for kind, element, factor, product in [("halves", TensorProto.FLOAT16, 0.9, 9), ("brain floats", TensorProto.BFLOAT16, 0.7, 7)]:
    tensors = [helper.make_tensor("ten", element, [1], [10]), helper.make_tensor("part", element, [1], [factor])]
    add(f"a product of {kind}", [
        node("Constant", [], ["ten"], value=tensors[0]), node("Constant", [], ["part"], value=tensors[1]),
        node("Mul", ["ten", "part"], ["product"]), node("Floor", ["product"], ["floor"]),
        node("Cast", ["floor"], ["number"], to=TensorProto.FLOAT), node("Mul", ["x", "number"], ["y"])],
        {"x": np.ones(1, np.float32)}, ["y"], 17, expected=[np.array([product], np.float32)])
add("a double that becomes a float", [
    node("Cast", ["part"], ["float"], to=TensorProto.FLOAT), node("Cast", ["float"], ["double"], to=TensorProto.DOUBLE),
    node("Mul", ["double", "ten"], ["product"]), node("Floor", ["product"], ["floor"]),
    node("Cast", ["floor"], ["number"], to=TensorProto.FLOAT), node("Mul", ["x", "number"], ["y"])],
    {"x": np.ones(1, np.float32), "part": Const(np.float64(0.7)), "ten": Const(np.float64(10))}, ["y"], 17)
add("a floor of a product", [
    node("ReduceProd", ["both"], ["product"], keepdims=1), node("Floor", ["product"], ["floor"]), node("Mul", ["x", "floor"], ["y"])],
    {"x": np.ones(1, np.float32), "both": Const(np.array([10, 0.7], np.float32))}, ["y"], 17, expected=[np.array([7], np.float32)])
add("a floor of a range", [
    node("Range", ["zero", "end", "part"], ["range"]), node("Mul", ["range", "ten"], ["tens"]), node("Floor", ["tens"], ["floor"]),
    node("Add", ["x", "floor"], ["y"])],
    {"x": np.zeros(1, np.float32), "zero": Const(np.float32(0)), "end": Const(np.float32(2)), "part": Const(np.float32(0.7)),
     "ten": Const(np.float32(10))}, ["y"], 17)

# Integers stay integers; what is expected of these is ONNX Runtime's.

given = np.array([[3, -5, 9], [1, 2, 4]], np.int32)
for kind, expected in [("L2", [[10], [4]]), ("LogSum", [[1], [1]]), ("LogSumExp", [[9], [4]])]:
    op(f"Reduce{kind}", given, opset=13, axes=[1], name=f"Reduce{kind} of integers", expected=[np.array(expected, np.int32)])
picture = np.array([[[[200, 17], [90, 255]]]], np.uint8)
for kind in [np.uint8, np.int32]:
    op("Resize", picture.astype(kind), None, Const(np.array([1, 1, 2, 2], np.float32)), mode="linear",
       name=f"Resize of {kind.__name__}",
       expected=[np.array([[[[200, 154, 62, 17], [172, 148, 100, 76], [117, 137, 176, 195], [90, 131, 213, 255]]]], kind)])
line, doubled = np.array([0, 255, 0, 255], np.uint8), Const(np.array([2], np.float32))
made = model_of([node("Resize", ["x", "", "scales"], ["y"], mode="cubic")], {"x": line.astype(np.float32), "scales": doubled}, ["y"], 18)
op("Resize", line, None, doubled, mode="cubic", name="Resize of bytes beyond their range", expected=[
    np.clip(np.trunc(ReferenceEvaluator(made).run(None, {"x": line.astype(np.float32)})[0]), 0, 255).astype(np.uint8)])
for scale, extent, nearest in [(0.7, 10, "floor"), (0.29, 100, "round_prefer_floor")]:
    # The extent that PyTorch and ONNX Runtime find; the evaluator has one less.
    rows = x(extent)
    count = int(np.float32(extent) * np.float32(scale))
    places = [place / float(np.float32(scale)) for place in range(count)]
    op("Resize", rows, None, Const(np.array([scale], np.float32)), mode="nearest", nearest_mode=nearest,
       coordinate_transformation_mode="asymmetric", name=f"Resize by {scale}",
       expected=[rows[[int(np.floor(p) if nearest == "floor" else np.ceil(p - 0.5)) for p in places]]])

# Rows between which a quotient decides

for extent, count in [(100, 110), (30, 33), (7, 49), (110, 100)]:
    rows = np.arange(extent, dtype=np.float32)
    op("Resize", rows, None, None, ints(count), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric",
       name=f"Resize of {extent} rows to {count}", expected=[rows[[place * extent // count for place in range(count)]]])
    op("Resize", rows, None, None, ints(count), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="align_corners",
       name=f"Resize of {extent} rows to {count}, corners kept",
       expected=[rows[[place * (extent - 1) // (count - 1) for place in range(count)]]])
for opset, size in [(11, 6), (19, 6), (22, 8)]:
    rows = np.arange(1, size + 1, dtype=np.float32).reshape(1, 1, size)
    op("AveragePool", rows, opset=opset, kernel_shape=[3], strides=[2], auto_pad="VALID", ceil_mode=1, count_include_pad=1,
       name=f"AveragePool that rounds up without pads, of {size}",
       expected=[np.array([[[rows[0, 0, at:at + 3].mean() for at in range(0, size - 1, 2)]]], np.float32)])

# Sequences without positions


def runtime(kind, gates, direction, lengths, opset=14):
    """What ONNX Runtime makes of a layer: the evaluator knows no lengths."""
    two = 2 if direction == "bidirectional" else 1
    given = {"x": x(4, 3, 2), "w": Const(x(two, gates * 3, 2)), "r": Const(x(two, gates * 3, 3)), "b": Const(x(two, 2 * gates * 3)),
             "lengths": np.array(lengths, np.int32), "h": x(two, 3, 3)}
    layer = node(kind, ["x", "w", "r", "b", "lengths", "h"], ["y", "last"], hidden_size=3, direction=direction)
    made = model_of([layer], given, ["y", "last"], opset)
    feeds = {key: value for key, value in given.items() if not isinstance(value, Const)}
    for output in made.graph.output:
        output.type.tensor_type.elem_type = TensorProto.FLOAT
    expected = InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)
    add(f"{kind} {direction} of no positions", [layer], given, ["y", "last"], opset, expected=expected)


for kind, gates in [("LSTM", 4), ("GRU", 3), ("RNN", 1)]:
    for direction in ["forward", "reverse", "bidirectional"]:
        runtime(kind, gates, direction, [4, 0, 2])

# Running sums of what is infinite, or long

line = np.array([1, 2, np.inf, 4], np.float32)
op("CumSum", line, Const(np.int64(0)), opset=14, name="CumSum up to an infinity")
op("CumSum", line, Const(np.int64(0)), opset=14, reverse=1, exclusive=1, name="CumSum from an infinity on")
op("CumSum", np.array([[np.inf], [2]], np.float32), Const(np.int64(1)), opset=14, exclusive=1, name="CumSum before one position",
   expected=[np.zeros((2, 1), np.float32)])
op("CumSum", np.ones(5000, np.float32), Const(np.int64(0)), opset=14, name="CumSum of many positions")

# Pads of what is left

op("Pad", np.arange(5, dtype=np.float32), ints(-2, 3), opset=19, mode="wrap", name="Pad that cuts and wraps",
   expected=[np.array([2, 3, 4, 2, 3, 4], np.float32)])
op("Pad", np.arange(5, dtype=np.float32), ints(3, -2), opset=19, mode="wrap", name="Pad that wraps and cuts",
   expected=[np.array([0, 1, 2, 0, 1, 2], np.float32)])
op("Pad", np.arange(5, dtype=np.float32), ints(-2, 3), opset=19, mode="edge", name="Pad that cuts and repeats",
   expected=[np.array([2, 3, 4, 4, 4, 4], np.float32)])

# Integers that floats do not hold, where they may be rounded

op("DequantizeLinear", Const(np.array([1073741825, -3], np.int32)), np.float32(2 ** -20), opset=19,
   name="DequantizeLinear of large integers")
op("Clip", whole(4), Const(np.int64(-2)), Const(np.int64(2 ** 63 - 1)), opset=13, name="Clip by the largest integer")

# Constants that begin again, or lose digits

add("constants of 32 bits", [
    node("Cast", ["large"], ["cast"], to=TensorProto.INT32), node("Mul", ["most", "two"], ["product"]),
    node("Add", ["cast", "product"], ["sum"]), node("Cast", ["sum"], ["number"], to=TensorProto.FLOAT),
    node("Mul", ["x", "number"], ["y"])],
    {"x": x(2), "large": Const(np.int64(2 ** 32 + 5)), "most": Const(np.int32(2 ** 31 - 1)), "two": Const(np.int32(2))}, ["y"], 17)
add("a constant as a half and back", [
    node("Cast", ["part"], ["half"], to=TensorProto.FLOAT16), node("Cast", ["half"], ["number"], to=TensorProto.FLOAT),
    node("Mul", ["x", "number"], ["y"])], {"x": x(2), "part": Const(np.float32(0.7001))}, ["y"], 17)

# Weights of 8 bits in a recurrent layer, beside the layer of the floats that they stand for


def quantized_lstm(directions, has_columns):
    """Its weights are [directions, in, gates], with a scale a matrix or a column; the layer's are [directions, gates, in]."""
    units, width, positions = 4, 5, 6
    scales = (directions, 4 * units) if has_columns else (directions,)
    kind = np.uint8 if has_columns else np.int8
    weights, given = [], []
    for size in (width, units):
        q = whole(directions, size, 4 * units, low=np.iinfo(kind).min, high=np.iinfo(kind).max + 1, dtype=kind)
        scale, zero = positive(*scales) / 500, whole(*scales, low=np.iinfo(kind).min + 100, high=120, dtype=kind)
        spread = (directions, 1, -1)
        weights.append((q.astype(np.float32) - zero.reshape(spread)) * scale.reshape(spread))
        given.append((Const(q), Const(scale), Const(zero)))
    sequence, bias = x(positions, 1, width), Const(x(directions, 8 * units))
    state = [x(directions, 1, units) for _ in range(2)]
    direction = {1: "forward", 2: "bidirectional"}[directions]
    floats = [sequence, *(Const(weight.transpose(0, 2, 1)) for weight in weights), bias, None, *state]
    names = ["" if value is None else f"x{row}" for row, value in enumerate(floats)]
    outputs = ["y0", "y1", "y2"]
    layer = helper.make_node("LSTM", names, outputs, direction=direction, hidden_size=units)
    inputs = {name: value for name, value in zip(names, floats) if name}
    session = InferenceSession(model_of([layer], inputs, outputs, 14).SerializeToString())
    expected = session.run(None, {name: value for name, value in inputs.items() if not isinstance(value, Const)})
    (w, w_scale, w_zero), (r, r_scale, r_zero) = given
    op("DynamicQuantizeLSTM", sequence, w, r, bias, None, *state, None, w_scale, w_zero, r_scale, r_zero, opset=14,
       outputs=3, domain="com.microsoft", direction=direction, hidden_size=units, expected=expected)


for directions in (1, 2):
    for has_columns in (False, True):
        quantized_lstm(directions, has_columns)

TARGET.parent.mkdir(parents=True, exist_ok=True)
TARGET.write_bytes(b"".join(cases))
print(f"{len(cases)} cases, {TARGET.stat().st_size} bytes")
