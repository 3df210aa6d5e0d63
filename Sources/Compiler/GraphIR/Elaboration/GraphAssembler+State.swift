// SPDX-License-Identifier: Apache-2.0

extension GraphAssembler {
  /// A value that a function remembers from frame to frame (or step to step) and says later, with `bind`.
  ///
  /// It is as large as what all operands broadcast to.
  mutating func state(over operands: [ValueID]) throws(TypingError) -> ValueID {
    var shape: Shape?
    for operand in operands {
      guard let own = self.shape(of: operand) else { return forward(nil) }
      guard let known = shape else {
        shape = own
        continue
      }
      guard let both = known.broadcast(with: own) else {
        throw TypingError("the shapes \(known) and \(own) do not broadcast")
      }
      shape = both
    }
    guard var shape else { return forward(nil) }
    if graph.clock == .stream { shape.frames = shape.frames ?? .init() }
    return forward(TensorType(shape), following: operands)
  }

  /// The number that a value is, where it is one that is written down.
  func number(of value: ValueID) -> Double? {
    isProvisional(value) ? nil : graph.definition(of: value).op.literal.map(Double.init)
  }
}
