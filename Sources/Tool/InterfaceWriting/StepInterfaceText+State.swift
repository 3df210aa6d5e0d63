// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The members for the state: it is begun anew, read, set, kept and gone back to.
extension StepInterfaceText {
  func writeState(to text: inout SwiftText) {
    text.member("public mutating func reset()", doc: "Begins anew; parameters keep their values.") {
      $0.line("runner.reset()")
    }
    guard !states.isEmpty else { return }
    text.member("public var state: State", doc: "The state at this moment, as tensors with names.") { text in
      text.line("State(")
      for (index, (name, state)) in states.enumerated() {
        let end = index == states.count - 1 ? ")" : ","
        text.line("  \(name.plain): runner.state(named: \(SwiftText.literal(state.name)))!\(end)")
      }
    }
    text.member(
      "public mutating func restore(_ state: State) throws(RequestError)",
      doc: """
        Lets something else be remembered, such as what was kept in a file.

        - Throws: where a tensor has another shape, and while delays begin with numbers of their own; nothing has \
        changed then.
        """
    ) { text in
      text.line("try runner.setStates([")
      for (name, state) in states { text.line("  \(SwiftText.literal(state.name)): state.\(name.written),") }
      text.line("])")
    }
    text.member(
      "public func snapshot() -> StepRunner.Snapshot",
      doc: "All of it at this moment, parameters and the position among steps included."
    ) { $0.line("runner.snapshot()") }
    text.member(
      "public mutating func restore(_ snapshot: StepRunner.Snapshot)",
      doc: "Goes back to a moment of this one; what follows has the same bits."
    ) { $0.line("runner.restore(snapshot)") }
    text.member("public struct State: Sendable", doc: "The values remembered from step to step.") { text in
      for (name, state) in states {
        let past =
          state.output.map {
            "The numbers of `\(printable($0, limit: 256))` in the last step, and 0 before the first one."
          }
          ?? "`\(printable(state.name, limit: 256))` in the last steps, the oldest first."
        text.doc("\(past) Shape \(state.shape).")
        text.line("public var \(name.written): Tensor")
      }
      text.line()
      let parameters = states.map { "\($0.name.written): Tensor" }.joined(separator: ", ")
      text.block("public init(\(parameters))") { text in
        for (name, _) in states { text.line("self.\(name.written) = \(name.written)") }
      }
    }
  }
}
