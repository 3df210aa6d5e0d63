// SPDX-License-Identifier: Apache-2.0

/// The element types that emitted code computes with.
package enum ElementType: String, Sendable {
  case float
  case double
  case i1
  case i32
  case i64
}

/// A value of a stage: one name of LLVM IR for each vector of the stage, all of one type.
///
/// A value with one name and an operand with many go together: the one is used for every vector, so constants and
/// broadcast scalars are written once.
package struct Lanes: Sendable {
  /// Names (`%17`) or constants (`splat (float 1.0)`), one a vector.
  package var names: [String]
  package var element: ElementType
  /// Elements in a vector; 1 is a scalar.
  package var width: Int

  package init(names: [String], element: ElementType, width: Int) {
    precondition(!names.isEmpty, "a value without a vector")
    self.names = names
    self.element = element
    self.width = width
  }

  /// The type in IR, such as `<16 x float>` or `float`.
  package var type: String { Lanes.type(element, width: width) }

  package static func type(_ element: ElementType, width: Int) -> String {
    switch (element, width) {
    case (_, 1): element.rawValue
    // What is written most, ready.
    case (.float, 4): "<4 x float>"
    case (.float, 8): "<8 x float>"
    case (.float, 16): "<16 x float>"
    default: "<\(width) x \(element.rawValue)>"
    }
  }

  subscript(vector: Int) -> String { names.count == 1 ? names[0] : names[vector] }
}
