// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// An input of a graph of steps that is one of its outputs of the step before.
package struct CarriedInput: Hashable, Sendable {
  package let input: String
  package let output: String
  /// Whether it is zero in the first step; else the input is given, and is that of the first step.
  package let isZeroAtFirst: Bool

  package init(_ input: String, from output: String, isZeroAtFirst: Bool) {
    (self.input, self.output, self.isZeroAtFirst) = (input, output, isZeroAtFirst)
  }
}

extension Graph {
  /// Several steps of a graph as one, each a position of a first axis: what is carried goes around a cycle along it
  /// (`SequenceCycle`).
  ///
  ///     h, x [4] ──▶ h' [4]          160 times, h from h'          h [4], x [160, 4] ──▶ h' [160, 4]
  ///
  /// All outputs have the axis. What is given of the first step and is -0 is 0 there.
  ///
  /// - Parameters:
  ///   - count: how many steps, at least 2.
  ///   - scanned: the inputs that each step has its own of; other ones are the same in all steps.
  ///   - isBackward: whether the last position is the first step.
  /// - Throws: `TypingError` where something around the cycle needs all positions at once.
  package func repeated(
    _ count: Int, carrying carried: [CarriedInput], scanning scanned: Set<String>, backward isBackward: Bool
  ) throws(TypingError) -> Graph {
    precondition(clock == .step && count >= 2, "steps are repeated twice or more")
    let source = canonical()
    var inputs: [String: ValueID] = [:]
    for node in source.nodes {
      if case .input(let port) = node.op.given { inputs[source.inputs[port].name] = node.result }
    }
    let own = scanned.union(carried.map(\.input))
    var lifting = LeadingAxis(
      source, extent: count, has: source.dependents(of: inputs.filter { own.contains($0.key) }.map(\.value)),
      in: source.emptyAssembler(clock: .step))
    lifting.declareGiven { port in
      scanned.contains(port.name) ? Shape([count] + port.type.shape.fixed) : port.type.shape
    }
    var cycles: [(carried: CarriedInput, first: ValueID, all: ValueID)] = []
    for carried in carried {
      guard let value = inputs[carried.input] else { continue }
      let first = lifting.value(value)
      let all = lifting.assembler.forward(TensorType(Shape([count] + source.shape(of: value).fixed)))
      lifting.define(value, as: all)
      cycles.append((carried, first, all))
    }
    try lifting.applyNodes()
    var outputs: [String: ValueID] = [:]
    for output in source.outputs {
      outputs[output.name] = try lifting.lifted(output.value)
      lifting.assembler.output(output.name, outputs[output.name]!)
    }
    for (carried, first, all) in cycles {
      guard let next = outputs[carried.output] else {
        throw TypingError("there is no output \(quoted(carried.output))")
      }
      var before = try lifting.assembler.apply(.shift(axis: 0, by: isBackward ? -1 : 1), next)
      if !carried.isZeroAtFirst {
        let one = try lifting.reshaped(first, [1] + lifting.assembler.shape(of: first)!.fixed)
        let begin = try lifting.assembler.apply(
          .pad(axis: 0, before: isBackward ? count - 1 : 0, after: isBackward ? 0 : count - 1), one)
        before = try lifting.assembler.apply(.binary(.add), before, begin)
      }
      lifting.assembler.bind(all, to: before)
    }
    let result = lifting.assembler.finished()
    if let violation = Verifier.violations(in: result).first { throw TypingError(violation.message) }
    return result
  }
}
