// SPDX-License-Identifier: Apache-2.0

/// Bytes of ONNX files, written field by field.
enum ONNXBytes {
  static func varint(_ number: Int) -> [UInt8] {
    var (rest, bytes) = (UInt64(bitPattern: Int64(number)), [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func field(_ number: Int, _ value: Int) -> [UInt8] { varint(number << 3) + varint(value) }

  static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(bytes.count) + bytes
  }

  static func field(_ number: Int, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  static func node(
    _ op: String, _ inputs: [String], _ outputs: [String], name: String = "", domain: String = "",
    attributes: [[UInt8]] = []
  ) -> [UInt8] {
    inputs.flatMap { field(1, $0) } + outputs.flatMap { field(2, $0) } + field(3, name) + field(4, op)
      + attributes.flatMap { field(5, $0) } + field(7, domain)
  }

  static func attribute(_ name: String, _ number: Int) -> [UInt8] {
    field(1, name) + field(3, number) + field(20, 2)
  }

  static func attribute(_ name: String, graph: [UInt8]) -> [UInt8] {
    field(1, name) + field(6, graph) + field(20, 5)
  }

  static func attribute(_ name: String, tensor: [UInt8]) -> [UInt8] {
    field(1, name) + field(5, tensor) + field(20, 4)
  }

  /// Integers of 64 bits, or truths, along one axis unless a shape is said.
  static func tensor(
    _ name: String, _ integers: [Int], shape: [Int]? = nil, areTruths: Bool = false
  ) -> [UInt8] {
    (shape ?? [integers.count]).flatMap { field(1, $0) } + field(2, areTruths ? 9 : 7)
      + field(areTruths ? 5 : 7, integers.flatMap { varint($0) }) + field(8, name)
  }

  /// Floats in another file.
  static func tensor(_ name: String, shape: [Int], file: String, offset: Int, length: Int) -> [UInt8] {
    func entry(_ key: String, _ value: String) -> [UInt8] { field(13, field(1, key) + field(2, value)) }
    return shape.flatMap { field(1, $0) } + field(2, 1) + field(8, name) + field(14, 1)
      + entry("location", file) + entry("offset", "\(offset)") + entry("length", "\(length)")
  }

  /// An input, of floats by default: numbers and names of axes.
  static func port(_ name: String, _ axes: [String], element: Int = 1) -> [UInt8] {
    let dimensions = axes.flatMap { axis in
      field(1, Int(axis).map { field(1, $0) } ?? (axis.isEmpty ? [] : field(2, axis)))
    }
    return field(1, name) + field(2, field(1, field(1, element) + field(2, dimensions)))
  }

  static func graph(
    _ nodes: [[UInt8]], tensors: [[UInt8]] = [], inputs: [[UInt8]] = [], outputs: [String]
  ) -> [UInt8] {
    nodes.flatMap { field(1, $0) } + tensors.flatMap { field(5, $0) } + inputs.flatMap { field(11, $0) }
      + outputs.flatMap { field(12, field(1, $0)) }
  }

  static func function(
    _ name: String, _ nodes: [[UInt8]], inputs: [String], outputs: [String]
  ) -> [UInt8] {
    field(1, name) + inputs.flatMap { field(4, $0) } + outputs.flatMap { field(5, $0) }
      + nodes.flatMap { field(7, $0) } + field(9, opset("", 17)) + field(9, opset("own", 1))
      + field(10, "own")
  }

  static func opset(_ domain: String, _ version: Int) -> [UInt8] { field(1, domain) + field(2, version) }

  static func model(_ graph: [UInt8], opset version: Int = 17, functions: [[UInt8]] = []) -> [UInt8] {
    field(1, 8) + field(7, graph) + field(8, opset("", version)) + field(8, opset("own", 1))
      + functions.flatMap { field(25, $0) }
  }

  /// A model of some nodes that takes x [2, 3] and makes y.
  static func model(
    _ nodes: [[UInt8]], tensors: [[UInt8]] = [], axes: [String] = ["2", "3"], opset: Int = 17,
    functions: [[UInt8]] = []
  ) -> [UInt8] {
    model(
      graph(nodes, tensors: tensors, inputs: [port("x", axes)], outputs: ["y"]), opset: opset,
      functions: functions)
  }
}
