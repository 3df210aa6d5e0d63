// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import GraphPasses
package import GraphPlanning
internal import NativeCode
package import RealtimeCore
internal import ReferenceInterpreter

/// Finds where a model first makes an infinity or something that is not a number.
///
///     let check = try model.compilation().finiteCheck()
///     check.set("drive", to: 4)
///     if let found = check.run([left, right], frames: left.count) { print(found) }
///
/// The model runs beside, as it is declared: no optimisation, each value in memory of its own, where it is looked at.
/// The first frame with such a number is searched for, and in it the first value whose operands are still finite:
/// everything earlier is finite then, delays and histories too, so that this function made it. The optimised program
/// runs as well, for what only its arithmetic does.
///
/// It is for finding mistakes, and not for the audio thread: it allocates. One thread at a time uses a check.
public final class FiniteCheck {
  private let everything: EveryValue
  private let wording: ExpressionWording
  private let file: String
  private let declared: WatchedProgram
  private let optimized: WatchedProgram
  private var position = 0
  /// The numbers that each shown value has in a frame, and the row at which they begin.
  private let counts, firstRows: [Int]

  /// - Parameters:
  ///   - graph: As it is declared.
  ///   - program: What was made of it, with the optimisations.
  package convenience init(
    _ graph: Graph, _ program: Program, target: GraphPlanning.Target, file: String
  ) throws(ModelError) {
    let everything = EveryValue(of: graph)
    guard everything.graph.isWithinLimits else {
      throw .code(
        "\(quoted(graph.name)) is too large to be checked: every value of it needs memory of its own")
    }
    let compiled: CompiledGraph
    do throws(PlanError) {
      compiled = try CompiledGraph(everything.graph, options: .init(target: target, pipeline: .plain))
    } catch {
      throw ModelError(error, in: graph)
    }
    let shown: Program
    do throws(NativeCodeError) { shown = try compiled.program() } catch { throw ModelError(error) }
    try self.init(everything, shown, program, file: file)
  }

  private init(
    _ everything: EveryValue, _ shown: Program, _ program: Program, file: String
  ) throws(ModelError) {
    do throws(ContextError) {
      declared = try WatchedProgram(shown)
      optimized = try WatchedProgram(program)
    } catch {
      throw .code(error.description)
    }
    self.everything = everything
    self.file = file
    wording = ExpressionWording(everything.declared)
    let source = everything.declared
    counts = everything.values.map { source.shape(of: $0).count }
    firstRows = counts.runningSums
  }

  /// Another check of the same model, at frame 0 and with the parameters' first values: for channels that run apart.
  ///
  /// Nothing is compiled again.
  ///
  /// - Throws: `ModelError.code` where there is no memory for it.
  public func another() throws(ModelError) -> FiniteCheck {
    try FiniteCheck(everything, declared.program, optimized.program, file: file)
  }

  /// Turns a parameter, as a context's handle does; whether there is such a parameter.
  @discardableResult public func set(_ parameter: String, to value: Float) -> Bool {
    guard let handle = optimized.parameter(named: parameter) else { return false }
    handle.set(value)
    declared.parameter(named: parameter)?.set(value)
    return true
  }

  /// Begins anew, at frame 0; parameters keep their values.
  public func reset() {
    declared.reset()
    optimized.reset()
    position = 0
  }

  /// Goes on with the signal, and returns the first number in it that is not finite; nil where all are.
  ///
  /// What comes after such a number is not looked at: begin anew with `reset`.
  ///
  /// - Parameters:
  ///   - inputs: For a stream, the samples of each channel of each input, in their order; for steps, the numbers of
  ///     each input, row-major, step after step.
  ///   - frames: How many frames, or steps, they are.
  public func run(_ inputs: [[Float]], frames: Int) -> NonFiniteNumber? {
    let lengths = WatchedProgram.units(of: optimized.layout.inputs)
    precondition(
      inputs.map(\.count) == lengths.map { $0 * frames },
      "the inputs have \(inputs.map(\.count)) numbers instead of \(lengths.map { $0 * frames })")
    let most = min(declared.capacity, optimized.capacity)
    var done = 0
    while done < frames {
      let count = min(most, frames - done)
      declared.run(inputs, from: done, frames: count)
      optimized.run(inputs, from: done, frames: count)
      if let found { return found }
      done += count
      position += count
    }
    return nil
  }

  /// Goes through a whole trial, with its changes of parameters.
  func run(_ trial: Stimulus) -> NonFiniteNumber? {
    let names = optimized.layout.parameters.map(\.name)
    let lengths = WatchedProgram.units(of: optimized.layout.inputs)
    let times = Set(trial.changes.map(\.frame) + [0]).sorted()
    for (begin, end) in zip(times, times.dropFirst() + [trial.frames]) {
      for change in trial.changes where change.frame == begin {
        set(names[change.parameter], to: change.value)
      }
      let part = zip(trial.inputs, lengths).map { Array($0[begin * $1..<end * $1]) }
      if let found = run(part, frames: end - begin) { return found }
    }
    return nil
  }

  /// What the programs have just run into.
  private var found: NonFiniteNumber? {
    let frame = declared.firstFrame
    if let fault = optimized.firstFrame, fault < frame ?? .max { return optimizationFault(at: fault) }
    guard let frame else { return nil }
    let block = Block(program: declared, firstRows: firstRows, counts: counts, isStream: isStream)
    for index in everything.values.indices {
      if let element = (0..<counts[index]).first(where: { !block[index, $0, frame].isFinite }) {
        return report(index, element, frame, block)
      }
    }
    preconditionFailure("a number that is not finite belongs to no value")
  }

  private var isStream: Bool { everything.declared.clock == .stream }

  // MARK: What is said

  private func report(_ index: Int, _ element: Int, _ frame: Int, _ block: Block) -> NonFiniteNumber {
    let graph = everything.declared
    let value = everything.values[index]
    let node = graph.definition(of: value)
    let shape = graph.shape(of: value)
    var seen: Set<ValueID> = []
    let operands = node.operands.filter { seen.insert($0).inserted }.compactMap { operand in
      everything.values.firstIndex(of: operand).map { row in
        let elements =
          node.op.isElementwise
          ? [shape.element(element, in: graph.shape(of: operand))] : Array(0..<counts[row])
        let numbers = elements.map { block[row, $0, frame] }
        return NonFiniteNumber.Operand(
          expression: wording.text(of: operand), lowest: numbers.min() ?? 0, highest: numbers.max() ?? 0)
      }
    }
    let shown = Set(graph.outputs.map(\.value))
    let reaches = everything.values.indices.contains { row in
      shown.contains(everything.values[row])
        && (0..<counts[row]).contains { !block[row, $0, frame].isFinite }
    }
    let place = graph.origins.places[value]
    let port = node.op.inputPort
    return NonFiniteNumber(
      source: port == nil ? .function : .input, file: file, line: place?.line, column: place?.column,
      name: graph.name(of: value), expression: wording.definition(of: value),
      position: shape.position(of: element), inputRow: port.map { inputRow($0, element) },
      frame: position + frame, seconds: seconds(frame),
      number: block[index, element, frame], operands: operands, reachesOutput: reaches)
  }

  /// What is found in the outputs of the optimised program only.
  private func optimizationFault(at frame: Int) -> NonFiniteNumber {
    let ports = everything.declared.outputs
    let shapes = ports.map { everything.declared.shape(of: $0.value) }
    let counts = shapes.map(\.count)
    let block = Block(
      program: optimized, firstRows: counts.runningSums, counts: counts, isStream: isStream)
    for port in ports.indices {
      if let element = (0..<counts[port]).first(where: { !block[port, $0, frame].isFinite }) {
        let value = ports[port].value
        let place = everything.declared.origins.places[value]
        return NonFiniteNumber(
          source: .optimization, file: file, line: place?.line, column: place?.column, name: ports[port].name,
          expression: wording.definition(of: value), position: shapes[port].position(of: element),
          inputRow: nil,
          frame: position + frame, seconds: seconds(frame), number: block[port, element, frame],
          operands: [], reachesOutput: true)
      }
    }
    preconditionFailure("a number that is not finite belongs to no output")
  }

  private func inputRow(_ port: Int, _ element: Int) -> Int {
    let ports = optimized.layout.inputs
    return ports[..<port].reduce(0) { $0 + $1.rows } + (isStream ? element : 0)
  }

  private func seconds(_ frame: Int) -> Double? {
    isStream ? Double(position + frame) / everything.declared.sampleRate : nil
  }
}

/// What some values were in a few frames.
private struct Block {
  /// Shows in a stream a row for each number of each value; in steps one for each value.
  let program: WatchedProgram
  let firstRows, counts: [Int]
  let isStream: Bool

  subscript(value: Int, element: Int, frame: Int) -> Float {
    isStream ? program[firstRows[value] + element, frame] : program[value, frame * counts[value] + element]
  }
}

extension Shape {
  /// Where a number stands along the fixed axes.
  fileprivate func position(of element: Int) -> [Int] {
    var rest = element
    let reversed = fixed.reversed().map { extent in
      defer { rest /= extent }
      return rest % extent
    }
    return reversed.reversed()
  }

  /// The number of an operand that meets a number of this shape, which the operand was broadcast to.
  fileprivate func element(_ element: Int, in operand: Shape) -> Int {
    let position = position(of: element).suffix(operand.fixed.count)
    return zip(position, operand.fixed).reduce(0) { sum, axis in
      sum * axis.1 + (axis.1 == 1 ? 0 : axis.0)
    }
  }
}

extension [Int] {
  /// For each number the sum of those before it.
  fileprivate var runningSums: [Int] {
    var sum = 0
    return map { number in
      defer { sum += number }
      return sum
    }
  }
}

extension Op {
  /// Which input it is; nil for everything else.
  fileprivate var inputPort: Int? {
    switch self {
    case .input(let port): port
    case .parameter, .literal, .weights, .unary, .binary, .select, .fma: nil
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: nil
    case .sum, .maximum, .dense, .convolution, .delay, .control: nil
    }
  }
}

extension Compilation {
  /// A check of the model that this was compiled of, for the same CPU.
  ///
  /// - Throws: `ModelError.code` where libLLVM is missing, the code is for a CPU that this machine does not have, or
  ///   the model is too large to hold all of its values.
  public func finiteCheck() throws(ModelError) -> FiniteCheck {
    try FiniteCheck(compiled.source, program(), target: compiled.plan.target, file: file)
  }
}
