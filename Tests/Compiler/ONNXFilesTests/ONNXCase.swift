// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtobufWire
import Testing

/// A model with what goes in and what comes out, as `Tests/ONNX/make-cases.py` writes it.
struct ONNXCase: CustomTestStringConvertible, Sendable {
  struct Array: Sendable {
    var name = ""
    var shape: [Int] = []
    var numbers: [Float] = []
  }

  var name = ""
  var model: [UInt8] = []
  var inputs: [Array] = []
  var outputs: [Array] = []
  /// Numbers for the axes that the model only names.
  var extents: [String: Int] = [:]
  var relative = 0.0
  var absolute = 0.0

  var testDescription: String { name }

  static let all: [ONNXCase] = {
    guard let file = Bundle.module.url(forResource: "reference/cases", withExtension: "pb"),
      let data = try? Data(contentsOf: file), let cases = try? read([UInt8](data))
    else { return [] }
    return cases
  }()

  /// The case of a name; numbers behind '#' are left out.
  static func named(_ name: String) -> ONNXCase? { all.first { $0.name.split(separator: " #")[0] == name } }

  private static func read(_ bytes: [UInt8]) throws -> [ONNXCase] {
    var reader = ProtobufReader(bytes, mostFields: 1 << 20)
    var cases: [ONNXCase] = []
    while let field = try reader.next() { cases.append(try ONNXCase(try reader.message(field))) }
    return cases
  }

  private init(_ message: ProtobufReader) throws {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 2: model = try reader.content(field)
      case 3: inputs.append(try Array(try reader.message(field)))
      case 4: outputs.append(try Array(try reader.message(field)))
      case 5:
        var (entry, key, number) = (try reader.message(field), "", 0)
        while let field = try entry.next() {
          if field.number == 1 { key = try entry.text(field) } else { number = Int(try field.integer) }
        }
        extents[key] = number
      case 6: if case .fixed64(let bits) = field.value { relative = Double(bitPattern: bits) }
      case 7: if case .fixed64(let bits) = field.value { absolute = Double(bitPattern: bits) }
      default: break
      }
    }
  }
}

extension ONNXCase.Array {
  init(_ message: ProtobufReader) throws {
    var reader = message
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 2:
        var extents = ProtobufNumbers()
        try reader.append(field, to: &extents)
        shape = try reader.integers(extents).map { Int($0) }
      default:
        let bytes = try reader.content(field)
        numbers = stride(from: 0, to: bytes.count, by: 4).map { place in
          Float(bitPattern: (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[place + $1]) })
        }
      }
    }
  }
}
