// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import NativeCode
internal import RealtimeCore
internal import TensorFiles

/// The states of a runner: the values that it remembers from step to step.
///
///     h = tanh(dense(delay(h, 1), w) + x)      state "h" [1, 16]      what h was in the last step
///     y = x - delay(x, 3)                      state "x" [3, 4]       what x was in the last three, the oldest first
///     carrying: ["hIn": "hOut"]                state "hIn" [16]       what hOut was in the last step
extension StepRunner {
  /// The past of one value.
  public struct State: Hashable, Sendable {
    /// The value that is remembered, as its author calls it; or where it is used, and by what.
    public let name: String
    /// Steps, the oldest first, and behind them the axes of the value; of an input that is carried over its own axes.
    public let shape: [Int]
  }

  struct Memory: Sendable {
    let state: State
    let history: ProgramLayout.History
  }

  /// An input that is an output of the step before, by their positions.
  struct CarriedInput: Sendable {
    let state: State
    let input, output: Int
    /// Before the first step.
    let zeros: [Float]
  }

  private func numbers(of carried: CarriedInput) -> [Float] {
    driver.inputs.withRow(carried.input, frames: 0..<1) { numbers in numbers.indices.map { numbers[$0] } }
  }

  /// Inputs with what is carried over and not among them.
  func withCarried(_ inputs: [String: Tensor]) -> [String: Tensor] {
    var inputs = inputs
    for input in carried where inputs[input.state.name] == nil {
      inputs[input.state.name] = state(named: input.state.name)
    }
    return inputs
  }

  /// All that a program remembers from step to step, as it keeps it: an optimisation may keep a part of a value, or what
  /// the value is computed of.
  public var states: [State] { carried.map(\.state) + memories.map(\.state) }

  /// The numbers of a value in the last steps, the oldest first; nil where nothing that is remembered has the name.
  ///
  /// Before the first step they are 0, or what warming up has left.
  public func state(named name: String) -> Tensor? {
    if let input = carried.first(where: { $0.state.name == name }) {
      return Tensor(FloatArray(shape: input.state.shape, numbers: numbers(of: input)))
    }
    guard let memory = memories.first(where: { $0.state.name == name }) else { return nil }
    let numbers = driver[0].past(of: memory.history)
    return Tensor(FloatArray(shape: memory.state.shape, numbers: numbers))
  }

  /// Lets a value have been something else in the last steps, such as a hidden state that was kept in a file.
  ///
  ///     try runner.setState(named: "h", to: Tensor(contentsOf: "h.npy"))        [1, 16], as state(named:) has it
  ///
  /// - Throws: `RequestError` where nothing that is remembered has the name, where the shape is another one, and while
  ///   delays of the model begin with numbers of their own, which count until they have come to an end.
  public mutating func setState(named name: String, to tensor: Tensor) throws(RequestError) {
    if let input = carried.first(where: { $0.state.name == name }) {
      return try setInput(input.input, to: tensor)
    }
    guard let memory = memories.first(where: { $0.state.name == name }) else {
      throw RequestError(
        no: "state", called: name, among: states.map(\.name), none: "the model remembers nothing")
    }
    guard tensor.shape == memory.state.shape else {
      throw RequestError(
        "the state \(quoted(name)) takes \(memory.state.shape), steps in front, and is given \(tensor.shape)")
    }
    guard position >= beginning else {
      let reason = "a delay of the model begins with numbers of its own"
      throw RequestError(
        "the state \(quoted(name)) cannot be set before step \(beginning), and this is step \(position): \(reason)"
      )
    }
    driver[0].setPast(of: memory.history, to: tensor.values)
  }

  /// Lets several values have been something else in the last steps: all of them, or none where one cannot be set.
  ///
  /// - Parameter tensors: By the names of states.
  /// - Throws: `RequestError` as `setState(named:to:)` does.
  public mutating func setStates(_ tensors: KeyValuePairs<String, Tensor>) throws(RequestError) {
    try setStates(tensors.map { (name: $0.key, tensor: $0.value) })
  }

  /// Lets several values have been something else in the last steps, by names that are known only when it runs.
  ///
  /// - Parameter tensors: With the names of states.
  /// - Throws: `RequestError` as `setState(named:to:)` does.
  public mutating func setStates(_ tensors: [(name: String, tensor: Tensor)]) throws(RequestError) {
    let before = snapshot()
    do throws(RequestError) {
      for (name, tensor) in tensors { try setState(named: name, to: tensor) }
    } catch {
      restore(before)
      throw error
    }
  }

  /// Everything that a runner remembers at one moment, to go back to: its states, its position and its parameters.
  public struct Snapshot: Sendable {
    fileprivate let context: ContextSnapshot
    fileprivate let carried: [[Float]]
    fileprivate let program: Program
  }

  /// A copy of all that it remembers.
  public func snapshot() -> Snapshot {
    Snapshot(context: driver[0].snapshot(), carried: carried.map { numbers(of: $0) }, program: program)
  }

  /// Goes back to a moment: what follows has the same bits as what followed then.
  ///
  /// - Parameter snapshot: Of this runner; one of another, which has a `program` of its own, traps.
  public mutating func restore(_ snapshot: Snapshot) {
    precondition(snapshot.program === program, "a snapshot is of another runner")
    driver[0].restore(snapshot.context)
    for (input, numbers) in zip(carried, snapshot.carried) {
      driver.inputs.fill(row: input.input, numbers[...])
    }
  }
}

extension Compilation {
  /// Inputs with the outputs that they are in the next step. States are told apart by their names.
  func carried(_ pairs: [(input: String, output: String)]) throws(ModelError) -> [StepRunner.CarriedInput] {
    let remembered = Set(states.map(\.name))
    var taken: Set<String> = []
    return try pairs.map { name, output throws(ModelError) in
      guard let input = layout.inputs.firstIndex(where: { $0.name == name }),
        let place = layout.outputs.firstIndex(where: { $0.name == output }),
        layout.inputs[input].shape == layout.outputs[place].shape
      else {
        throw .code("\(file): there is no input \(quoted(name)) of the shape of an output \(quoted(output))")
      }
      guard taken.insert(name).inserted else {
        throw .code("\(file): the input \(quoted(name)) is carried over twice; it can be one output")
      }
      guard !remembered.contains(name) else {
        throw .code(
          "\(file): the input \(quoted(name)) cannot be carried over, since the model remembers it, too; give it in each step"
        )
      }
      return .init(
        state: .init(name: name, shape: layout.inputs[input].shape), input: input, output: place,
        zeros: Array(repeating: 0, count: layout.inputs[input].rowLength ?? 0))
    }
  }

  /// The states of a runner, as its own `states` say them.
  package var states: [StepRunner.State] { memories.map(\.state) }

  /// The first step by which all delays that begin with numbers of their own have come to what is delayed: of these a
  /// delay of one number tells whether they have.
  var beginning: Int {
    let lengths = compiled.plan.histories.filter { $0.constant != nil }.map(\.length)
    return max(0, (lengths.max() ?? 0) - layout.prewarm)
  }

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
