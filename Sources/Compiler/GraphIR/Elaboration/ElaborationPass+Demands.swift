// SPDX-License-Identifier: Apache-2.0

extension ElaborationPass {
  /// Fits an argument to the demand of the model that takes it.
  mutating func meet(_ demand: Demand, _ item: Item) -> Item {
    switch (demand, item) {
    case (.parameter(let name, let range), .constant(let number)):
      guard range.contains(number) else {
        let limits = "\(written(range.lowerBound)) to \(written(range.upperBound))"
        return fail(firstOffset, "\(quoted(name)) takes \(limits), this is \(written(number))")
      }
      return item
    case (.parameter, _): return item
    case (.alike(let input, let output, let control, let model), _):
      guard let a = shape(ofValue: input), let b = shape(ofValue: output), a != b else { return item }
      return fail(
        firstOffset,
        "\(quoted(model)) cannot have \(quoted(control)): what goes in is \(a), and what comes out is \(b)")
    case (.input(let port), _):
      guard let value = value(item, at: firstOffset) else { return .failed }
      guard let shape = assembler.shape(of: value) else { return .value(value) }
      do throws(TypingError) {
        let extents = try port.fit(shape, &symbols[port.instance, default: [:]])
        return .value(try assembler.stretched(value, to: extents))
      } catch {
        return misfit(error, [value], at: firstOffset)
      }
    }
  }

  /// The shape of what a name stands for; nil where it is not known yet.
  private func shape(ofValue name: String) -> Shape? {
    switch scope[scoping.values + name] {
    case .value(let value): assembler.isProvisional(value) ? nil : assembler.shape(of: value)
    case .constant: .scalar
    case .text, .list, .failed, nil: nil
    }
  }

  /// The offset of the present expression in its text.
  private var firstOffset: Int {
    source.definitions[current].expression.terms.reduce(Int.max) { min($0, $1.offset) }
  }
}
