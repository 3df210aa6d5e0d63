// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire

/// A tensor as a file describes it; its numbers are read when they are asked for.
struct ONNXTensor: Sendable {
  /// The place of the numbers.
  enum Storage: Sendable {
    /// Bytes of the file, little-endian.
    case raw(Range<Int>)
    /// Fields of the message, by their kinds.
    case fields(integers: ProtobufNumbers, floats: ProtobufNumbers, doubles: ProtobufNumbers)
    /// Another file, as the model says it.
    case external(path: String, offset: Int, length: Int?)
  }

  var name = ""
  /// Nil for a kind that the format does not have.
  var element: ONNXElement?
  var shape: [Int64] = []
  var storage = Storage.fields(integers: .init(), floats: .init(), doubles: .init())
}

extension ONNXTensor {
  init(_ message: ProtobufReader) throws(ProtobufError) {
    var reader = message
    var dimensions = ProtobufNumbers()
    var (integers, floats, doubles) = (ProtobufNumbers(), ProtobufNumbers(), ProtobufNumbers())
    var raw: Range<Int>?
    var external: [String: String] = [:]
    var isExternal = false
    while let field = try reader.next() {
      switch field.number {
      case 1: try reader.append(field, to: &dimensions)
      case 2: element = ONNXElement(rawValue: Int(clamping: try field.integer))
      case 4: try reader.append(field, to: &floats)
      case 5, 7, 11: try reader.append(field, to: &integers)
      case 8: name = try reader.text(field)
      case 9: raw = try field.range
      case 10: try reader.append(field, to: &doubles)
      case 13:
        var (entry, key, value) = (try reader.message(field), "", "")
        while let field = try entry.next() {
          switch field.number {
          case 1: key = try entry.text(field)
          case 2: value = try entry.text(field)
          default: break
          }
        }
        external[key] = value
      case 14: isExternal = try field.integer == 1
      default: break
      }
    }
    shape = try reader.integers(dimensions)
    if isExternal {
      func number(_ key: String) throws(ProtobufError) -> Int? {
        guard let text = external[key] else { return nil }
        guard let number = Int(text), number >= 0 else {
          throw ProtobufError(
            at: message.start, "the \(key) of a tensor in another file is no number of bytes")
        }
        return number
      }
      storage = .external(
        path: external["location"] ?? "", offset: try number("offset") ?? 0, length: try number("length"))
    } else if let raw {
      storage = .raw(raw)
    } else {
      storage = .fields(integers: integers, floats: floats, doubles: doubles)
    }
  }
}
