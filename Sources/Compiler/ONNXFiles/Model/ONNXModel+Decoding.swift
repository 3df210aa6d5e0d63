// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire
internal import TensorFiles

extension ONNXModel {
  /// Fields of all messages of a file: some ten for each of the nodes that a graph can have.
  static let mostFields = 1 << 21

  init(decoding file: FileReader) throws(ProtobufError) {
    self.file = file
    var reader = ProtobufReader(ProtobufBytes(file), mostFields: Self.mostFields)
    var hasGraph = false
    while let field = try reader.next() {
      switch field.number {
      case 1: version = Int(clamping: try field.integer)
      case 2: producer = try reader.text(field)
      case 6: description = try reader.text(field)
      case 7:
        graph = try ONNXGraph(try reader.message(field))
        hasGraph = true
      case 8: try opsets.read(try reader.message(field))
      case 14: try properties.read(try reader.message(field))
      case 25:
        let function = try ONNXFunction(try reader.message(field))
        functions[.init(domain: function.domain.asDomain, name: function.name, overload: function.overload)] =
          function
      default: break
      }
    }
    guard hasGraph else {
      throw ProtobufError(at: file.count, "the file ends, and there was no graph in it")
    }
  }
}

extension ProtobufBytes {
  /// The bytes of a file, which are read as far as somebody looks at them.
  convenience init(_ file: FileReader) {
    if let given = file.given {
      self.init(given)
      return
    }
    self.init(count: file.count) { range throws(ProtobufError) in
      do throws(TensorFileError) { return try TensorFile.bytes(range, of: file, file: "the file") } catch {
        throw ProtobufError(at: range.lowerBound, "the file \(error.message)")
      }
    }
  }
}

extension [String: String] {
  /// Adds a property.
  fileprivate mutating func read(_ message: ProtobufReader) throws(ProtobufError) {
    var (reader, key, value) = (message, "", "")
    while let field = try reader.next() {
      switch field.number {
      case 1: key = try reader.text(field)
      case 2: value = try reader.text(field)
      default: break
      }
    }
    self[key] = value
  }
}

extension [String: Int] {
  /// Adds the set of ops that a message imports.
  fileprivate mutating func read(_ message: ProtobufReader) throws(ProtobufError) {
    var (reader, domain, version) = (message, "", 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: domain = try reader.text(field)
      case 2: version = Int(clamping: try field.integer)
      default: break
      }
    }
    self[domain.asDomain] = version
  }
}

extension String {
  /// The domain under its shortest name.
  var asDomain: String { self == "ai.onnx" ? "" : self }
}

extension ONNXGraph {
  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: nodes.append(try ONNXNode(try reader.message(field)))
      case 2: name = try reader.text(field)
      case 5: initializers.append(try ONNXTensor(try reader.message(field)))
      case 11: inputs.append(try ONNXPort(try reader.message(field)))
      case 12: outputs.append(try ONNXPort(try reader.message(field)))
      case 15: hasSparseInitializers = true
      default: break
      }
    }
  }
}

extension ONNXNode {
  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: inputs.append(try reader.text(field))
      case 2: outputs.append(try reader.text(field))
      case 3: name = try reader.text(field)
      case 4: op = try reader.text(field)
      case 5:
        let attribute = try ONNXNamedAttribute(try reader.message(field))
        attributes[attribute.name] = attribute.value
      case 7: domain = try reader.text(field).asDomain
      case 8: overload = try reader.text(field)
      default: break
      }
    }
  }
}

extension ONNXFunction {
  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 4: inputs.append(try reader.text(field))
      case 5: outputs.append(try reader.text(field))
      case 7: nodes.append(try ONNXNode(try reader.message(field)))
      case 9: try opsets.read(try reader.message(field))
      case 10: domain = try reader.text(field)
      case 11:
        let attribute = try ONNXNamedAttribute(try reader.message(field))
        defaults[attribute.name] = attribute.value
      case 13: overload = try reader.text(field)
      default: break
      }
    }
  }
}

/// An attribute with its name; its kind follows from the field `type`, or from what is there in files that leave it out.
private struct ONNXNamedAttribute {
  let name: String
  let value: ONNXAttribute

  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    var (name, kind, reference) = ("", 0, "")
    var (float, integer, text): (Float?, Int64?, String?) = (nil, nil, nil)
    var (tensor, graph): (ONNXTensor?, ONNXGraph?) = (nil, nil)
    var (floats, integers, texts) = (ProtobufNumbers(), ProtobufNumbers(), [String]())
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 2: float = try field.float
      case 3: integer = try field.integer
      // Bytes, which need not be text.
      case 4: text = try reader.repairedText(field)
      case 5: tensor = try ONNXTensor(try reader.message(field))
      case 6: graph = try ONNXGraph(try reader.message(field))
      case 7: try reader.append(field, to: &floats)
      case 8: try reader.append(field, to: &integers)
      case 9: texts.append(try reader.repairedText(field))
      case 20: kind = Int(clamping: try field.integer)
      case 21: reference = try reader.text(field)
      default: break
      }
    }
    self.name = name
    if !reference.isEmpty {
      value = .reference(reference)
      return
    }
    if kind == 0 {
      if float != nil { kind = 1 } else if integer != nil { kind = 2 } else if text != nil { kind = 3 }
      if tensor != nil { kind = 4 } else if graph != nil { kind = 5 } else if !floats.isEmpty { kind = 6 }
      if !integers.isEmpty { kind = 7 } else if !texts.isEmpty { kind = 8 }
    }
    switch kind {
    case 1: value = .float(float ?? 0)
    case 2: value = .integer(integer ?? 0)
    case 3: value = .text(text ?? "")
    case 4: value = .tensor(tensor ?? ONNXTensor())
    case 5: value = .graph(graph ?? ONNXGraph())
    case 6: value = .floats(try reader.floats(floats))
    case 7: value = .integers(try reader.integers(integers))
    case 8: value = .texts(texts)
    default: value = .unknown("of the kind \(kind)")
    }
  }
}

extension ONNXPort {
  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 2: try readType(try reader.message(field))
      default: break
      }
    }
  }

  private mutating func readType(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    while let field = try reader.next() {
      guard field.number == 1 else { continue }
      var tensor = try reader.message(field)
      while let field = try tensor.next() {
        switch field.number {
        case 1: element = ONNXElement(rawValue: Int(clamping: try field.integer))
        case 2: shape = try Self.axes(try tensor.message(field))
        default: break
        }
      }
    }
  }

  private static func axes(_ message: ProtobufReader) throws(ProtobufError) -> [Axis] {
    var (reader, axes) = (message, [Axis]())
    while let field = try reader.next() {
      guard field.number == 1 else { continue }
      var (dimension, axis) = (try reader.message(field), Axis.unknown)
      while let field = try dimension.next() {
        switch field.number {
        case 1:
          // Some exporters write an axis without a number as -1.
          let number = try field.integer
          axis = number == -1 ? .unknown : .number(number)
        case 2:
          let symbol = try dimension.text(field)
          // And others call each of them "?", however long they are.
          axis = symbol.isEmpty || symbol == "?" ? .unknown : .symbol(symbol)
        default: break
        }
      }
      axes.append(axis)
    }
    return axes
  }
}
