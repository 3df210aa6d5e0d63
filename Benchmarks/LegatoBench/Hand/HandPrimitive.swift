// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import HandKernels

/// One op of the library of primitives in C.
@safe struct HandPrimitive {
  /// The kind of an operand.
  enum Operand: String {
    case row = "v"
    case number = "s"
  }

  let function: hand_primitive_function

  private static let all: [String: HandPrimitive] = {
    let list = unsafe hand_primitives()
    let named = unsafe (0..<list.count).map { index in
      let primitive = unsafe list.first![index]
      return unsafe (String(cString: primitive.name), HandPrimitive(function: primitive.function))
    }
    return Dictionary(uniqueKeysWithValues: named)
  }()

  private init(function: hand_primitive_function) { unsafe self.function = function }

  /// The primitive for an op; nil where the library has none.
  init?(_ op: Op, _ operands: [Operand]) {
    guard let name = Self.name(op) else { return nil }
    self.init(name, operands)
  }

  init?(_ name: String, _ operands: [Operand]) {
    guard let known = Self.all["\(name)_\(operands.map(\.rawValue).joined())"] else { return nil }
    self = known
  }

  private static func name(_ op: Op) -> String? {
    switch op.elementwise {
    case .unary(let op): op.rawValue
    case .binary(.add): "add"
    case .binary(.subtract): "subtract"
    case .binary(.multiply): "multiply"
    case .binary(.divide): "divide"
    case .binary(let op): op.rawValue
    case .fma: "fma"
    case .select, nil: nil
    }
  }
}
