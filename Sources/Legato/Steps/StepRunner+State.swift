// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import NativeCode
internal import RealtimeCore
internal import TensorFiles

/// What a runner remembers from step to step.
///
///     h = tanh(dense(delay(h, 1), w) + x)      state "h" [1, 16]      what h was in the last step
///     y = x - delay(x, 3)                      state "x" [3, 4]       what x was in the last three, the oldest first
extension StepRunner {
  /// The past of one value.
  public struct State: Hashable, Sendable {
    /// The value that is remembered, as its author calls it; or where it is used, and by what.
    public let name: String
    /// Steps, the oldest first, and behind them the axes of the value.
    public let shape: [Int]
  }

  struct Memory: Sendable {
    let state: State
    let history: ProgramLayout.History
  }

  /// All that a program remembers from step to step, as it keeps it: an optimisation may keep a part of a value, or what
  /// the value is computed of.
  public var states: [State] { memories.map(\.state) }

  /// What a value was in the last steps, the oldest first; nil where nothing that is remembered has the name.
  ///
  /// Before the first step it is 0, or what warming up has left.
  public func state(named name: String) -> Tensor? {
    guard let memory = memories.first(where: { $0.state.name == name }) else { return nil }
    let numbers = driver[0].past(of: memory.history)
    return Tensor(FloatArray(shape: memory.state.shape, numbers: numbers))
  }

  /// Everything that a runner remembers at one moment, to go back to: its states, its position and its parameters.
  public struct Snapshot: Sendable {
    fileprivate let context: ContextSnapshot
    fileprivate let program: Program
  }

  /// A copy of all that it remembers.
  public func snapshot() -> Snapshot { Snapshot(context: driver[0].snapshot(), program: program) }

  /// Goes back to a moment: what follows has the same bits as what followed then.
  ///
  /// - Parameter snapshot: Of this runner, or of another one with the same `program`; one of another program traps.
  public mutating func restore(_ snapshot: Snapshot) {
    precondition(snapshot.program === program, "a snapshot is of another program")
    driver[0].restore(snapshot.context)
  }
}

extension Compilation {
  /// What a runner remembers, as its `states` say it.
  package var states: [StepRunner.State] { memories.map(\.state) }

  /// The pasts that steps remember. Numbers that are the same for ever are none.
  var memories: [StepRunner.Memory] {
    let graph = compiled.plan.graph
    return zip(compiled.plan.histories, compiled.plan.kernelGraph.histories).compactMap {
      history, remembered in
      guard history.constant == nil, history.length > 0 else { return nil }
      let shape = graph.shape(of: remembered.value)
      let axes = shape.count == history.rows ? shape.fixed : [history.rows]
      return .init(state: .init(name: history.name, shape: [history.length] + axes), history: history)
    }
  }
}
