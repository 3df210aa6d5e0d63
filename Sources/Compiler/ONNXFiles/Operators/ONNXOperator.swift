// SPDX-License-Identifier: Apache-2.0

/// The meaning of an op: from the values that go in to those that come out.
struct ONNXOperator: Sendable {
  typealias Translate = @Sendable (ONNXCall) throws(ONNXError) -> [ONNXValue]

  let translate: Translate

  init(_ translate: @escaping Translate) { self.translate = translate }

  /// An op with one result.
  init(single translate: @escaping @Sendable (ONNXCall) throws(ONNXError) -> ONNXValue) {
    self.init { call throws(ONNXError) in [try translate(call)] }
  }

  /// The op of a name; nil where it is not known.
  static func named(_ name: String, domain: String) -> ONNXOperator? {
    switch domain {
    case "": all[name]
    case "com.microsoft":
      ["DynamicQuantizeLSTM", "FusedMatMul", "Gelu", "LayerNormalization"].contains(name) ? all[name] : nil
    default: nil
    }
  }

  private static let all: [String: ONNXOperator] = [
    ONNXElementwise.all.mapValues { row in ONNXOperator(single: row.translate) },
    arithmetic, activations, conversions, constants, shapes, parts, indices, spaces, products, convolutions,
    pooling,
    norms, reductions, ordering, quantization, signals, recurrence, attention, folding, sampling, bits,
  ].reduce(into: [:]) { all, group in
    all.merge(group) { _, _ in preconditionFailure("an op that stands twice") }
  }
}
