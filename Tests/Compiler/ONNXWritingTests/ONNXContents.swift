// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ONNXWriting
import ProtobufWire
import Testing

/// The contents of an ONNX file, read by the numbers of the fields in onnx.proto.
struct ONNXContents {
  struct Node {
    var type = ""
    var inputs: [String] = []
    var outputs: [String] = []
    /// Written as `axis 1`, `perm 0 2 1`.
    var attributes: [String] = []
  }

  struct Tensor {
    var name = ""
    var extents: [Int] = []
    /// Of float32 and int64.
    var numbers: [Double] = []
    /// 1 and 7.
    var element = 0
  }

  struct Port {
    var name = ""
    var extents: [Int] = []
    /// 1 for floats, 7 for int64, 9 for bool.
    var element = 0
    var summary = ""
  }

  var version = 0
  var opset = 0
  var producer = ""
  var summary = ""
  var name = ""
  var properties: [String: String] = [:]
  var nodes: [Node] = []
  var initializers: [Tensor] = []
  var inputs: [Port] = []
  var outputs: [Port] = []

  init(_ bytes: [UInt8]) throws {
    try ProtobufReader(bytes, mostFields: 100_000).eachField { reader, field in
      switch field.number {
      case 1: version = Int(try field.integer)
      case 2: producer = try reader.text(field)
      case 6: summary = try reader.text(field)
      case 7: try readGraph(reader.message(field))
      case 8: try reader.message(field).eachField { if $1.number == 2 { opset = Int(try $1.integer) } }
      case 14:
        var (key, value) = ("", "")
        try reader.message(field).eachField { inner, field in
          if field.number == 1 { key = try inner.text(field) } else { value = try inner.text(field) }
        }
        properties[key] = value
      case let number: Issue.record("a model has no field \(number)")
      }
    }
  }

  private mutating func readGraph(_ graph: ProtobufReader) throws {
    try graph.eachField { reader, field in
      switch field.number {
      case 1: nodes.append(try Self.node(reader.message(field)))
      case 2: name = try reader.text(field)
      case 5: initializers.append(try Self.tensor(reader.message(field)))
      case 11: inputs.append(try Self.port(reader.message(field)))
      case 12: outputs.append(try Self.port(reader.message(field)))
      case let number: Issue.record("a graph has no field \(number)")
      }
    }
  }

  private static func node(_ message: ProtobufReader) throws -> Node {
    var node = Node()
    try message.eachField { reader, field in
      switch field.number {
      case 1: node.inputs.append(try reader.text(field))
      case 2: node.outputs.append(try reader.text(field))
      case 3: #expect(try [reader.text(field)] == node.outputs)
      case 4: node.type = try reader.text(field)
      case 5:
        var words: [String] = []
        var kind: Int64 = 0
        try reader.message(field).eachField { inner, field in
          switch field.number {
          case 1: words.append(try inner.text(field))
          case 3, 8: words.append("\(try field.integer)")
          case 20: kind = try field.integer
          case let number: Issue.record("an attribute has no field \(number)")
          }
        }
        #expect(kind == 7 || (kind == 2 && words.count == 2), "\(words)")
        node.attributes.append(words.joined(separator: " "))
      case let number: Issue.record("a node has no field \(number)")
      }
    }
    return node
  }

  private static func tensor(_ message: ProtobufReader) throws -> Tensor {
    var tensor = Tensor()
    try message.eachField { reader, field in
      var numbers = ProtobufNumbers()
      switch field.number {
      case 1: tensor.extents.append(Int(try field.integer))
      case 2: tensor.element = Int(try field.integer)
      case 7:
        try reader.append(field, to: &numbers)
        tensor.numbers = try reader.integers(numbers).map(Double.init)
      case 8: tensor.name = try reader.text(field)
      case 9:
        try reader.append(field, to: &numbers)
        tensor.numbers = try reader.floats(numbers).map(Double.init)
      case let number: Issue.record("a tensor has no field \(number)")
      }
    }
    #expect(tensor.numbers.count == tensor.extents.reduce(1, *), "\(tensor)")
    return tensor
  }

  private static func port(_ message: ProtobufReader) throws -> Port {
    var port = Port()
    try message.eachField { reader, field in
      switch field.number {
      case 1: port.name = try reader.text(field)
      case 3: port.summary = try reader.text(field)
      case 2:
        try reader.message(field).eachField { type, field in
          try type.message(field).eachField { tensor, field in
            if field.number == 1 { port.element = Int(try field.integer) }
            guard field.number == 2 else { return }
            try tensor.message(field).eachField { shape, field in
              try shape.message(field).eachField { port.extents.append(Int(try $1.integer)) }
            }
          }
        }
      case let number: Issue.record("a port has no field \(number)")
      }
    }
    return port
  }
}

extension ProtobufReader {
  /// Hands out the fields.
  func eachField(_ body: (ProtobufReader, ProtobufField) throws -> Void) throws {
    var reader = self
    while let field = try reader.next() { try body(reader, field) }
  }
}

extension ONNXContents {
  /// A graph of steps in the text form, on its way out and read again. Whatever it says, names are defined once, and
  /// before they are used.
  init(of lines: String) throws {
    let graph = try Graph(parsing: "graph \"test\" step 48000\n" + lines)
    try self.init(ONNXExport(graph).bytes)
    let parameters = Set(graph.parameters.map(\.name))
    var known = Set(inputs.map(\.name))
    #expect(known.count == inputs.count)
    for initializer in initializers {
      #expect(known.insert(initializer.name).inserted || parameters.contains(initializer.name))
    }
    for node in nodes {
      #expect(known.isSuperset(of: node.inputs), "\(node)")
      for output in node.outputs { #expect(known.insert(output).inserted, "\(node)") }
    }
    #expect(known.isSuperset(of: outputs.map(\.name)))
  }

  /// The types of all nodes, in their order.
  var types: String { nodes.map(\.type).joined(separator: " ") }

  func tensor(_ name: String) -> Tensor? { initializers.first { $0.name == name } }

  /// The inputs or outputs, as `x [2, 3]`.
  static func text(_ ports: [Port]) -> String {
    ports.map { "\($0.name) \($0.extents)" }.joined(separator: ", ")
  }
}
