// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import GraphPasses
package import GraphPlanning
package import NativeCode
package import RealtimeCore
internal import ReferenceInterpreter

/// Finds where a model first makes an infinity or something that is not a number.
///
///     let check = try model.compilation().finiteCheck(settings: [model.setting("drive", to: "4")])
///     if let found = check.run([left, right], frames: left.count) { print(found) }
///
/// The model runs beside, as it is declared: no optimisation, each value in memory of its own, where it is looked at.
/// The first frame with such a number is searched for, and in it the first value whose operands are still finite:
/// everything earlier is finite then, delays and histories too, so that this function made it. The optimised program
/// runs as well, for what only its arithmetic does.
///
/// It is for finding mistakes, and not for the audio thread: it allocates. One thread at a time uses a check.
public final class FiniteCheck {
  let everything: EveryValue
  let wording: ExpressionWording
  let file: String
  /// The values of parameters from the beginning on.
  private let settings: [ParameterSetting]
  let declared: WatchedProgram
  let optimized: WatchedProgram
  /// The frames, or steps, that have been run since the beginning.
  public private(set) var position = 0
  /// The numbers that each shown value has in a frame, and the row at which they begin.
  let counts, firstRows: [Int]

  /// - Parameters:
  ///   - graph: As it is declared.
  ///   - program: What was made of it, with the optimisations.
  ///   - settings: What parameters are set to; `program` has warmed up with them.
  ///   - cache: Where the code of what runs beside is kept; nil for nowhere.
  package convenience init(
    _ graph: Graph, _ program: Program, settings: [ParameterSetting] = [], target: GraphPlanning.Target,
    cache: CodeCache? = nil, file: String
  ) throws(ModelError) {
    let everything = EveryValue(of: graph)
    guard everything.graph.isWithinLimits else {
      throw .code(
        "\(quoted(graph.name)) is too large to be checked: every value of it needs memory of its own")
    }
    let compiled: CompiledGraph
    do throws(PlanError) {
      compiled = try CompiledGraph(
        everything.graph, options: .init(target: target, pipeline: .plain, cache: cache))
    } catch {
      throw ModelError(error, in: graph)
    }
    let shown: Program
    do throws(NativeCodeError) { shown = try compiled.program(settledAt: settings.values) } catch {
      throw ModelError(error)
    }
    try self.init(everything, shown, program, settings, file: file)
  }

  private init(
    _ everything: EveryValue, _ shown: Program, _ program: Program, _ settings: [ParameterSetting],
    file: String
  ) throws(ModelError) {
    do throws(ContextError) {
      declared = try WatchedProgram(shown)
      optimized = try WatchedProgram(program)
    } catch {
      throw .code(error.description)
    }
    self.everything = everything
    self.settings = settings
    self.file = file
    // As it was written, without the delays of alignment.
    wording = ExpressionWording(everything.source)
    let source = everything.declared
    counts = everything.values.map { source.shape(of: $0).count }
    firstRows = counts.runningSums
    for setting in settings { set(setting.name, to: setting.value) }
  }

  /// Another check of the same model, at frame 0 and with the same settings: for channels that run apart.
  ///
  /// Nothing is compiled again.
  ///
  /// - Throws: `ModelError.code` where there is no memory for it.
  public func another() throws(ModelError) -> FiniteCheck {
    try FiniteCheck(everything, declared.program, optimized.program, settings, file: file)
  }

  /// Turns a parameter, as a context's handle does; whether there is such a parameter.
  @discardableResult public func set(_ parameter: String, to value: Float) -> Bool {
    guard let handle = optimized.parameter(named: parameter) else { return false }
    handle.set(value)
    declared.parameter(named: parameter)?.set(value)
    return true
  }

  /// Lets a parameter glide to a value over so many frames, as `Context.glide` does.
  public func glide(_ parameter: Int, to value: Float, over frames: Int) {
    declared.glide(parameter, to: value, over: frames)
    optimized.glide(parameter, to: value, over: frames)
  }

  /// Begins anew, at frame 0; parameters keep their values.
  public func reset() {
    declared.reset()
    optimized.reset()
    position = 0
  }

  /// Runs further input, and returns the first number that is not finite; nil where all are.
  ///
  /// Numbers after such a one are not looked at: begin anew with `reset`.
  ///
  /// - Parameters:
  ///   - inputs: For a stream, the samples of each channel of each input, in their order; for steps, the numbers of
  ///     each input, row-major, step after step.
  ///   - frames: How many frames, or steps, they are.
  public func run(_ inputs: [[Float]], frames: Int) -> NonFiniteNumber? {
    let lengths = optimized.layout.inputs.rowUnits
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

  /// Runs a whole trial, with its changes of parameters.
  func run(_ trial: Stimulus) -> NonFiniteNumber? {
    let names = optimized.layout.parameters.map(\.name)
    let lengths = optimized.layout.inputs.rowUnits
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

  /// The non-finite number that the programs have just computed, or nil.
  private var found: NonFiniteNumber? {
    let frame = declared.firstFrame
    if let fault = optimized.firstFrame, fault < frame ?? .max { return optimizationFault(at: fault) }
    guard let frame else { return nil }
    let block = ShownBlock(program: declared, firstRows: firstRows, counts: counts, isStream: isStream)
    for index in everything.values.indices {
      if let element = (0..<counts[index]).first(where: { !block[index, $0, frame].isFinite }) {
        return report(index, element, frame, block)
      }
    }
    preconditionFailure("a number that is not finite belongs to no value")
  }

  var isStream: Bool { everything.declared.clock == .stream }
}

extension Compilation {
  /// A check of the model that this was compiled of, for the same CPU.
  ///
  /// - Parameter settings: What parameters are set to from the beginning on, and while the model warms up.
  /// - Throws: `ModelError.code` where libLLVM is missing, the code is for a CPU that this machine does not have, or
  ///   the model is too large to hold all of its values.
  public func finiteCheck(settings: [ParameterSetting] = []) throws(ModelError) -> FiniteCheck {
    try FiniteCheck(
      compiled.source, program(settledAt: settings.values), settings: settings, target: compiled.plan.target,
      cache: options.cache, file: file)
  }
}
