// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ProtobufWire

/// The parts of an ONNX file, each a message with the fields that onnx.proto gives it.
struct ONNXNode {
  let type: String
  let inputs: [String]
  let outputs: [String]
  let attributes: [ONNXAttribute]
}

struct ONNXAttribute {
  enum Value {
    case integer(Int)
    case integers([Int])
    case body(ONNXBody)
  }

  let name: String
  let value: Value

  init(_ name: String, _ body: ONNXBody) { (self.name, value) = (name, .body(body)) }
  init(_ name: String, _ number: Int) { (self.name, value) = (name, .integer(number)) }
  init(_ name: String, _ numbers: [Int]) { (self.name, value) = (name, .integers(numbers)) }
}

/// A graph within a node.
struct ONNXBody {
  let name: String
  let nodes: [ONNXNode]
  let initializers: [ONNXInitializer]
  let inputs, outputs: [ONNXPort]
}

/// Numbers that stand in the file.
struct ONNXInitializer {
  enum Content {
    case number(Float)
    case numbers(Numbers)
    /// Those of a matrix of so many columns, column by column.
    case transposed(Numbers, columns: Int)
    case integers([Int])
  }

  let name: String
  let extents: [Int]
  let content: Content
}

/// An input or an output of the graph.
struct ONNXPort {
  let name: String
  var element = ONNXElement.float32
  let extents: [Int]
  var summary = ""
}

/// A text beside the graph, by a name.
struct ONNXProperty {
  let key: String
  let value: String
}

/// The kinds of number, as onnx.proto counts them, under NumPy's words: those that can be cast as of opset 17.
enum ONNXElement: Int, CaseIterable {
  case float32 = 1
  case uint8, int8, uint16, int16, int32, int64
  case bool = 9
  case float16, float64, uint32, uint64
  case bfloat16 = 16

  /// The kind of a word; nil where ONNX cannot cast to it.
  init?(word: String) {
    guard let known = Self.allCases.first(where: { "\($0)" == word }) else { return nil }
    self = known
  }

  var isInteger: Bool {
    switch self {
    case .uint8, .int8, .uint16, .int16, .int32, .int64, .uint32, .uint64: true
    case .float32, .bool, .float16, .float64, .bfloat16: false
    }
  }
}

extension ProtobufWriter {
  /// Writes a `NodeProto`, which is called as the first that it makes.
  mutating func write(_ node: ONNXNode, as field: Int) {
    message(field) { writer in
      for input in node.inputs { writer.text(1, input) }
      for output in node.outputs { writer.text(2, output) }
      writer.text(3, node.outputs[0])
      writer.text(4, node.type)
      for attribute in node.attributes { writer.write(attribute, as: 5) }
    }
  }

  /// Writes an `AttributeProto`.
  private mutating func write(_ attribute: ONNXAttribute, as field: Int) {
    message(field) { writer in
      writer.text(1, attribute.name)
      switch attribute.value {
      case .integer(let number):
        writer.integer(3, number)
        writer.integer(20, 2)
      case .integers(let numbers):
        for number in numbers { writer.integer(8, number) }
        writer.integer(20, 7)
      case .body(let body):
        writer.message(6) { $0.write(body) }
        writer.integer(20, 5)
      }
    }
  }

  /// Writes the fields of a `GraphProto`.
  private mutating func write(_ body: ONNXBody) {
    for node in body.nodes { write(node, as: 1) }
    text(2, body.name)
    for initializer in body.initializers { write(initializer, as: 5) }
    for input in body.inputs { write(input, as: 11) }
    for output in body.outputs { write(output, as: 12) }
  }

  /// Writes a `TensorProto`.
  mutating func write(_ initializer: ONNXInitializer, as field: Int) {
    message(field) { writer in
      for extent in initializer.extents { writer.integer(1, extent) }
      switch initializer.content {
      case .number(let number): writer.writeRaw([number])
      case .numbers(let numbers): writer.writeRaw(numbers)
      case .transposed(let numbers, let columns):
        writer.writeRaw(numbers.transposed(columns: columns))
      case .integers(let numbers):
        writer.integer(2, ONNXElement.int64.rawValue)
        writer.integers(7, numbers)
      }
      writer.text(8, initializer.name)
    }
  }

  private mutating func writeRaw(_ numbers: some Collection<Float>) {
    integer(2, ONNXElement.float32.rawValue)
    floats(9, numbers)
  }

  /// Writes a `ValueInfoProto`.
  mutating func write(_ port: ONNXPort, as field: Int) {
    message(field) { writer in
      writer.text(1, port.name)
      writer.message(2) { type in
        type.message(1) { tensor in
          tensor.integer(1, port.element.rawValue)
          tensor.message(2) { shape in
            for extent in port.extents { shape.message(1) { $0.integer(1, extent) } }
          }
        }
      }
      if !port.summary.isEmpty { writer.text(3, port.summary) }
    }
  }

  /// Writes a `StringStringEntryProto`.
  mutating func write(_ property: ONNXProperty, as field: Int) {
    message(field) { writer in
      writer.text(1, property.key)
      writer.text(2, property.value)
    }
  }
}

extension Numbers {
  /// The numbers of a matrix, column by column.
  fileprivate func transposed(columns: Int) -> [Float] {
    let rows = count / columns
    return unsafe withContiguousStorageIfAvailable { own in
      var result: [Float] = []
      result.reserveCapacity(own.count)
      for column in 0..<columns {
        for row in 0..<rows { unsafe result.append(own[row * columns + column]) }
      }
      return result
    } ?? []
  }
}
