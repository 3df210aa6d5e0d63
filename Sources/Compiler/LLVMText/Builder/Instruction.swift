// SPDX-License-Identifier: Apache-2.0

/// An instruction in the pieces of which its text is made: the names of values, and what stands between them.
///
///     add i64 %v3, 16      "add i64 ", "%v3", ", ", "16"
///
/// Most pieces exist already, as literals or as names, so that an instruction is made without making a string. The text
/// of a function is put together once it is known that no other one has the same pieces.
package struct Instruction: ExpressibleByStringInterpolation {
  let pieces: [String]

  package init(stringLiteral text: String) { pieces = text.isEmpty ? [] : [text] }

  package init(stringInterpolation text: StringInterpolation) { pieces = text.pieces }

  init(_ pieces: [String]) { self.pieces = pieces }

  /// Parts of many instructions, ready.
  static let nothing: Instruction = ""
  static let comma: Instruction = ", "
  static let closing: Instruction = ")"

  /// Writes it as a line.
  func write(into text: inout [String]) {
    text.append("  ")
    text += pieces
    text.append("\n")
  }

  /// Writes it as a line that gives its value a name.
  func write(defining name: String, into text: inout [String]) {
    text.append("  ")
    text.append(name)
    text.append(" = ")
    text += pieces
    text.append("\n")
  }

  /// Writes a line of which this is the beginning: operands follow, with what stands between them, and an end.
  func write(
    defining name: String, _ operands: some Sequence<String>, _ separator: Instruction, _ end: Instruction,
    into text: inout [String]
  ) {
    text.append("  ")
    text.append(name)
    text.append(" = ")
    text += pieces
    for (index, operand) in operands.enumerated() {
      if index > 0 { text += separator.pieces }
      text.append(operand)
    }
    text += end.pieces
    text.append("\n")
  }

  static func + (a: Instruction, b: Instruction) -> Instruction { Instruction(a.pieces + b.pieces) }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [String] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      pieces.reserveCapacity(2 * interpolationCount + 1)
    }

    package mutating func appendLiteral(_ text: String) { if !text.isEmpty { pieces.append(text) } }

    package mutating func appendInterpolation(_ text: String) { pieces.append(text) }

    package mutating func appendInterpolation(_ number: some BinaryInteger) { pieces.append(String(number)) }
  }
}
