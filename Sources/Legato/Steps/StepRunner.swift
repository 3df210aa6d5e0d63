// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import RealtimeCore
internal import TensorFiles

/// A model of steps at work: tensors go in by name, tensors come out, and what it remembers stays.
///
///     let model = try Model(contentsOf: "gru.json")                      inputs x [64], state h
///     var runner = try StepRunner(model.compilation())
///     let y = try runner.step(["x": Tensor(features)])["y"]!             one step
///     let all = try runner.run(["x": sequence])["y"]!                    x [100, 64] ─▶ y [100, 2]
///
/// On a thread that must not wait, names are looked up beforehand, and a step takes pointers: `execute(inputs:outputs:)`
/// neither allocates nor locks, as `Context.execute` does, which it is. A runner belongs to one thread at a time.
public struct StepRunner: ~Copyable, Sendable {
  /// The program that runs; of its layout, `inputs` and `outputs` have names and shapes.
  public let program: Program
  let memories: [Memory]
  /// Inputs that are outputs of the step before.
  let carried: [CarriedInput]
  /// Of each output, how many numbers lie along its last axis: a layout is too large to look at without memory.
  let rowLengths: [Int]
  /// The step from which on a state can be set.
  let beginning: Int
  var driver: ContextDriver

  /// Makes a runner of a model that was compiled.
  ///
  /// - Parameters:
  ///   - compilation: The model for steps of fixed shapes.
  ///   - settings: What parameters are set to from the first step on, and while the model warms up.
  ///   - pairs: Inputs, and the outputs that they are in the next step, such as `["stateIn": "stateOut"]`; they are 0 in
  ///     the first step, are states, and need not be given.
  /// - Throws: `ModelError.code` where the model works on frames of a stream, a setting is of no parameter, a pair is none
  ///   or has two shapes, an input stands twice or is a state of the model by itself, code cannot be made, or there is no
  ///   memory.
  public init(
    _ compilation: Compilation, settings: [ParameterSetting] = [],
    carrying pairs: KeyValuePairs<String, String> = [:]
  ) throws(ModelError) {
    try self.init(
      compilation, settings: settings, carrying: pairs.map { (input: $0.key, output: $0.value) })
  }

  /// Makes a runner of a model that was compiled, with pairs that are known only when it runs.
  ///
  /// - Parameters:
  ///   - compilation: The model for steps of fixed shapes.
  ///   - settings: What parameters are set to from the first step on, and while the model warms up.
  ///   - pairs: Inputs, and the outputs that they are in the next step.
  /// - Throws: `ModelError.code` as with pairs that are written down.
  public init(
    _ compilation: Compilation, settings: [ParameterSetting] = [],
    carrying pairs: [(input: String, output: String)]
  ) throws(ModelError) {
    guard !compilation.layout.executesStream else {
      throw .code(
        "\(compilation.file): the model works on frames of a stream, and a runner of steps has none; run it in a Context"
      )
    }
    let parameters = compilation.layout.parameters.map(\.name)
    if let name = settings.map(\.name).first(where: { !parameters.contains($0) }) {
      throw .code("\(compilation.file): \(RequestError(no: "parameter", called: name, among: parameters))")
    }
    let carried = try compilation.carried(pairs)
    let program = try compilation.program(settledAt: settings.values)
    driver = try Self.driver(of: program)
    self.program = program
    self.carried = carried
    memories = compilation.memories
    driver.choose(carried.map { ($0.output, $0.input) })
    rowLengths = program.layout.outputs.map { $0.shape.last ?? 1 }
    beginning = compilation.beginning
    for setting in settings { driver[0].parameter(named: setting.name)?.set(setting.value) }
  }

  private static func driver(of program: Program) throws(ModelError) -> ContextDriver {
    do throws(ContextError) { return try ContextDriver(program, frames: 1) } catch {
      throw .code(error.description)
    }
  }

  /// Runs one step.
  ///
  /// - Parameter inputs: A tensor for each input, by its name, of its shape.
  /// - Returns: A tensor for each output, by its name.
  /// - Throws: `RequestError` where an input is missing or unknown, or has another shape; nothing has been run then.
  public mutating func step(_ inputs: [String: Tensor] = [:]) throws(RequestError) -> [String: Tensor] {
    for port in program.layout.inputs {
      guard let tensor = inputs[port.name], tensor.shape != port.shape else { continue }
      throw RequestError("the input \(quoted(port.name)) takes \(port.shape), and is given \(tensor.shape)")
    }
    return run(try StepSequence(withCarried(inputs), for: program.layout))
  }

  /// Runs several steps, one after the other.
  ///
  ///     input x [4], state h      x [10, 4] ─▶ 10 steps ─▶ y [10, 2]
  ///
  /// - Parameters:
  ///   - inputs: A tensor for each input, by its name: one more axis in front has a row for each step; a tensor of the
  ///     input's own shape goes into every step.
  ///   - steps: How many; nil for as many as the tensors have. Of more, the first ones are taken.
  ///   - progress: Is told the number of steps that are done.
  /// - Returns: A tensor for each output, by its name, with an axis of steps in front where there are several by what was
  ///   given, or by what was asked for.
  /// - Throws: `RequestError` where an input is missing or unknown, has another shape, or has too few steps; nothing has
  ///   been run then.
  public mutating func run(
    _ inputs: [String: Tensor], steps: Int? = nil, progress: (Int) -> Void = { _ in }
  ) throws(RequestError) -> [String: Tensor] {
    run(try StepSequence(withCarried(inputs), for: program.layout, steps: steps), progress: progress)
  }

  /// Runs the steps of a sequence for this program.
  package mutating func run(
    _ sequence: StepSequence, progress: (Int) -> Void = { _ in }
  ) -> [String: Tensor] {
    let layout = program.layout
    var results = layout.outputs.map { _ in [Float]() }
    for (output, port) in layout.outputs.enumerated() {
      results[output].reserveCapacity(sequence.steps * (port.rowLength ?? 0))
    }
    for step in 0..<sequence.steps {
      for input in layout.inputs.indices where step == 0 || sequence.changes(input) {
        driver.inputs.fill(row: input, sequence.numbers(input, step: step))
      }
      execute()
      for output in layout.outputs.indices { results[output] += driver.output(output, frames: 1) }
      progress(step + 1)
    }
    let front = sequence.isStacked ? [sequence.steps] : []
    return Dictionary(
      uniqueKeysWithValues: zip(layout.outputs, results).map { port, numbers in
        (port.name, Tensor(FloatArray(shape: front + port.shape, numbers: numbers)))
      })
  }

  /// How many steps have been run since the beginning, or the last `reset`.
  public var position: Int64 { driver[0].position }

  /// Begins anew: what is remembered is what it was before the first step. Parameters keep their values.
  public mutating func reset() {
    driver[0].reset()
    for input in carried { driver.inputs.fill(row: input.input, input.zeros[...]) }
  }

  /// A handle on a parameter, which any thread can set; nil where none has the name.
  public func parameter(named name: String) -> Parameter? { driver[0].parameter(named: name) }

  // MARK: On a thread that must not wait

  /// The position of an input among those of `execute`, or nil where none has the name.
  public func inputIndex(named name: String) -> Int? { driver[0].inputIndex(named: name) }

  /// The position of an output among those of `execute`, or nil where none has the name.
  public func outputIndex(named name: String) -> Int? { driver[0].outputIndex(named: name) }

  /// Executes one step on memory of the caller's, without allocating, locks or waiting; no input is carried over.
  ///
  /// - Parameters:
  ///   - inputs: A pointer to the numbers of each input, row-major, at its `inputIndex`; nil where there are no inputs.
  ///   - outputs: The same for the outputs, which are written.
  @_noLocks public mutating func execute(
    inputs: UnsafePointer<UnsafePointer<Float>?>?, outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) {
    unsafe driver[0].execute(inputs: inputs, outputs: outputs)
  }
}
