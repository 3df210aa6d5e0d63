// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import NativeCode

/// Builds a model in Swift, with operators and functions, instead of reading it from a file.
///
///     let model = GraphBuilder("Overdrive", sampleRate: 48_000)
///     let source = model.input("source", channels: 2)
///     let gain = model.parameter("gain", default: 4, in: 1...40)
///     model.output("driven", tanh(source * gain))
///     let program = try model.compile()
///
/// A model file with the same arithmetic gives an equal graph. What does not fit together is remembered where it
/// happens and thrown by `compile`, all of it at once, with the names of the values. One builder belongs to one thread.
public final class GraphBuilder {
  /// The model's name in messages and pictures.
  public let name: String
  /// Frames, or steps, per second: the one rate that the model is for, as a file states it.
  public let sampleRate: Double
  /// Frames, or steps, of silence that run through the model before the first one, so that it begins settled; those of
  /// models that it uses are added. At most 2^20.
  public var prewarm = 0
  /// The same of models that are used.
  var usedPrewarm = 0
  var assembler: GraphAssembler
  private var problems: [Diagnostic] = []
  private var names: Set<String> = []
  private var forwards: [(value: ValueID, name: String)] = []
  private var defined: Set<ValueID> = []
  /// Weights that models brought along, by the file and the name in it.
  var usedWeights: [String: GraphIR.Weights] = [:]

  /// Begins a model for streams of frames.
  ///
  /// - Parameters:
  ///   - name: What the model is called.
  ///   - sampleRate: Frames per second. Models from files that state another rate cannot be parts of it.
  public convenience init(_ name: String, sampleRate: Double = 48_000) {
    self.init(name, clock: .stream, sampleRate: sampleRate)
  }

  /// Begins a model that executes steps: all shapes are fixed.
  ///
  /// - Parameters:
  ///   - name: What the model is called.
  ///   - sampleRate: Steps per second, for models from files that state how many there are.
  public static func steps(_ name: String, sampleRate: Double = 48_000) -> GraphBuilder {
    GraphBuilder(name, clock: .step, sampleRate: sampleRate)
  }

  private init(_ name: String, clock: Clock, sampleRate: Double) {
    self.name = name
    self.sampleRate = sampleRate
    assembler = GraphAssembler(name: name, clock: clock, sampleRate: sampleRate)
  }

  // MARK: Ports and parameters

  /// An input of a stream, of shape `[channels, frames]`.
  public func input(_ name: String, channels: Int) -> Signal {
    input(name, Shape([channels], frames: .init()))
  }

  /// An input of a fixed shape, for models that execute steps.
  public func input(_ name: String, shape: [Int]) -> Signal {
    input(name, Shape(shape))
  }

  private func input(_ name: String, _ shape: Shape) -> Signal {
    check(name)
    guard isPossible(shape, "input '\(name)'") else { return Signal(self, assembler.forward(nil), name) }
    return Signal(self, assembler.input(name, TensorType(shape)), name)
  }

  /// A parameter that a user turns.
  ///
  /// - Parameters:
  ///   - name: A letter, then letters, digits and `_`; no function's name.
  ///   - initial: The value to begin with, within the range.
  ///   - range: The least and the largest value.
  ///   - ramp: Seconds in which a change glides to its target; 0 steps.
  ///   - unit: The unit, such as `Hz` or `dB`.
  ///   - logarithmic: Whether a control spreads its travel by ratios instead of differences.
  ///   - summary: One sentence for the user.
  public func parameter(
    _ name: String, default initial: Float, in range: ClosedRange<Float>, ramp: Double = 0.02,
    unit: String = "", logarithmic: Bool = false, summary: String = ""
  ) -> Signal {
    check(name)
    let isStream = assembler.graph.clock == .stream
    let frames = (ramp * sampleRate).rounded()
    let limit = Double(ParameterDeclaration.maximumRampFrames)
    if !(0...limit).contains(frames) {
      report("the ramp of '\(name)' is \(ramp) s; it must last 0…\(limit / sampleRate) s")
    }
    let declaration = ParameterDeclaration(
      name: name, initial: initial, minimum: range.lowerBound, maximum: range.upperBound, unit: unit,
      scale: logarithmic ? .logarithmic : .linear,
      rampFrames: isStream && (0...limit).contains(frames) ? Int(frames) : 0, summary: summary)
    for flaw in declaration.flaws { report("parameter '\(name)': \(flaw.message)") }
    return Signal(self, assembler.parameter(declaration), name)
  }

  /// Learned numbers, row-major.
  public func weights(_ name: String, shape: [Int], _ values: [Float]) -> Signal {
    weights(name, shape: shape, Numbers(values))
  }

  func weights(_ name: String, shape: [Int], _ values: Numbers) -> Signal {
    guard isPossible(Shape(shape), "weights '\(name)'") else {
      return Signal(self, assembler.forward(nil), name)
    }
    return Signal(self, assembler.weights(Weights(name: name, shape: shape, values: values)), name)
  }

  /// Adds an output with a signal.
  public func output(_ name: String, _ signal: Signal) {
    check(name, isOutput: true)
    guard owns(signal) else { return }
    assembler.name(signal.value, name, at: nil)
    assembler.output(name, signal.value)
  }

  // MARK: Cycles

  /// A signal that is used before it is defined; `define` closes the cycle, which needs a `delay` in it.
  public func forward(_ name: String, channels: Int) -> Signal {
    forward(name, Shape([channels], frames: .init()))
  }

  /// A signal of a fixed shape that is used before it is defined, for models that execute steps.
  public func forward(_ name: String, shape: [Int]) -> Signal { forward(name, Shape(shape)) }

  private func forward(_ name: String, _ shape: Shape) -> Signal {
    let isPossible = isPossible(shape, "'\(name)'")
    let value = assembler.forward(isPossible ? TensorType(shape) : nil)
    forwards.append((value, name))
    return Signal(self, value, name)
  }

  /// Defines a signal that was used before.
  public func define(_ forward: Signal, as signal: Signal) {
    guard owns(forward), owns(signal) else { return }
    guard let name = forwards.first(where: { $0.value == forward.value })?.name else {
      return report("\(forward.label) is not a signal that was announced before")
    }
    guard defined.insert(forward.value).inserted else { return report("'\(name)' is defined twice") }
    if let promised = assembler.shape(of: forward.value), let actual = assembler.shape(of: signal.value),
      promised != actual
    {
      report("'\(name)' was announced as \(promised), and is \(actual)")
    }
    assembler.name(signal.value, name, at: nil)
    assembler.bind(forward.value, to: signal.value)
  }

  // MARK: The result

  /// Compiles the model to a program.
  ///
  /// - Parameters:
  ///   - options: What code is made for, and how.
  ///   - report: Takes what the compiler has to tell of the model, before code is made.
  /// - Throws: `ModelError.invalid` with everything that does not fit together; `ModelError.code` where code cannot
  ///   be made.
  public func compile(
    options: CompilerOptions = CompilerOptions(), report: (CompilationNote) -> Void = { _ in }
  ) throws(ModelError) -> Program {
    let compilation = try compilation(options: options)
    compilation.notes.forEach(report)
    return try compilation.program()
  }

  /// Compiles the model, keeping every stage to look at.
  public func compilation(options: CompilerOptions = CompilerOptions()) throws(ModelError) -> Compilation {
    try Compilation(graph(), options)
  }

  /// The graph that was built.
  package func graph() throws(ModelError) -> Graph {
    // A forward that has no meaning yet may get one before the next call.
    var problems = problems + forwards.compactMap(openEnd)
    if !(sampleRate > 0 && sampleRate.isFinite) {
      let message = "the sample rate is \(written(sampleRate)) Hz; it must be a number above 0"
      problems.insert(Diagnostic(file: name, place: nil, message: message), at: 0)
    }
    if !(0...Limits.prewarm).contains(prewarm) {
      let message = "prewarm is \(prewarm) frames; 0…\(Limits.prewarm) are possible"
      problems.append(Diagnostic(file: name, place: nil, message: message))
    } else if prewarm + usedPrewarm > Limits.prewarm {
      let message =
        "with the models that it uses it warms up for \(prewarm + usedPrewarm) frames; \(Limits.prewarm) are the most"
      problems.append(Diagnostic(file: name, place: nil, message: message))
    }
    guard problems.isEmpty else { throw ModelError(Diagnostics(problems)) }
    var graph = assembler.finished()
    graph.prewarm = prewarm + usedPrewarm
    if let problem = graph.warmingProblem {
      throw ModelError(Diagnostics([Diagnostic(file: name, place: nil, message: problem)]))
    }
    if prewarm == 0 { graph = graph.startingCold() }
    let violations = Verifier.violations(in: graph)
    guard violations.isEmpty else {
      throw ModelError(
        Diagnostics(
          violations.map { Diagnostic(file: name, place: nil, message: Self.sentence($0, in: graph)) }))
    }
    return graph
  }

  private func openEnd(_ value: ValueID, _ forward: String) -> Diagnostic? {
    if assembler.isBound(value) { return nil }
    let reason = defined.contains(value) ? "is defined as itself" : "is used, but never defined"
    return Diagnostic(file: name, place: nil, message: "'\(forward)' \(reason)")
  }

  private static func sentence(_ violation: Verifier.Violation, in graph: Graph) -> String {
    guard let node = violation.node, let name = graph.origins.names[graph[node].result] else {
      return violation.message
    }
    return "'\(name)': \(violation.message)"
  }

  // MARK: What signals ask for

  /// A function of the catalogue applied to arguments; a mistake is remembered, and anything goes on from there.
  func call(_ function: String, _ arguments: [String: Call.Argument], _ operands: [Signal]) -> Signal {
    guard operands.allSatisfy(owns) else { return Signal(self, assembler.forward(nil), function) }
    do throws(TypingError) {
      return Signal(self, try assembler.call(Function.byName[function]!, Call(arguments)), nil)
    } catch {
      report("\(function) of \(operands.map(\.label).joined(separator: ", ")): \(error)")
      return Signal(self, assembler.forward(nil), function)
    }
  }

  func owns(_ signal: Signal) -> Bool {
    if signal.builder !== self { report("\(signal.label) belongs to another builder") }
    return signal.builder === self
  }

  func check(_ name: String, isOutput: Bool = false) {
    if !name.isName { report("'\(name)' is not a name: a letter, then letters, digits and '_'") }
    guard !isOutput else { return }
    if Function.reservedNames.contains(name) || Function.byName[name] != nil || name == Function.modelName {
      report("'\(name)' is reserved; choose another name")
    } else if !names.insert(name).inserted {
      report("'\(name)' is taken already; choose another name")
    }
  }

  /// Whether anything can have a shape; what cannot is remembered, and its users go on with an unknown one.
  private func isPossible(_ shape: Shape, _ what: String) -> Bool {
    guard let flaw = shape.flaw else { return true }
    report("\(what) \(flaw)")
    return false
  }

  func report(_ message: String) {
    problems.append(Diagnostic(file: name, place: nil, message: message))
  }
}
