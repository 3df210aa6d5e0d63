// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
public import Legato

/// A model that examples run through before something is learned from them: other each time.
///
///     src ─▶ src * gain + level * noise(1) ─▶ src          gain and level are drawn in their ranges, noise is new
///
/// Its input and its output are as the input of the model that learns; targets stay, so that what comes late out of it is
/// moved to where it belongs, as if silence were behind the example. Each parameter is drawn evenly on its
/// scale, and each noise of a stream anew, by a seed and the place of the example in the run: the same run has the same
/// bits, whether it was ended meanwhile or not.
public final class Augmentation {
  private var program: LearningProgram
  private let name: String
  private let input, output: String
  private let parameters: [String]
  /// The names of arrays of noise, with their numbers.
  private let noises: [(name: String, count: Int)]
  private let count: Int
  /// The frames of each row, and those by which what comes out is late; 0 of steps.
  private let frames, latency: Int

  /// - Parameters:
  ///   - model: with one input and one output.
  ///   - trainer: the one that learns from the examples.
  ///   - name: that of the input of its model that is changed.
  ///   - sampleRate: of a stream; nil is the model's own, or 48000.
  /// - Throws: `ModelError` for a model that is none, `TrainingError.task` for one whose output is not as that input.
  public init(
    _ model: Model, for trainer: Trainer, input name: String, sampleRate: Double? = nil
  ) throws {
    let shape = trainer.shapes[name] ?? []
    var extents: [String: Int] = [:]
    for symbol in model.symbols { extents[symbol] = shape.first ?? 1 }
    let graph = try model.graph(extents: extents, sampleRate: sampleRate)
    guard graph.inputs.count == 1, graph.outputs.count == 1 else {
      throw TrainingError.task("\(graph.name): a model that changes examples has one input and one output")
    }
    var task = trainer.task
    task.batch = 1
    let isStream = graph.clock == .stream
    // A stream takes as many frames as the input has, also where the trainer has a model of steps and no window.
    frames = shape.last ?? 1
    let late = isStream && !shape.isEmpty ? graph.aligned().latency : 0
    if isStream, !shape.isEmpty { (task.warmup, task.window) = (0, frames + late) }
    latency = late
    let noises = graph.nodes.compactMap { node -> String? in
      if case .source(.noise(let seed)) = node.op.kind { "noise \(seed)" } else { nil }
    }
    guard isStream || noises.isEmpty else {
      throw TrainingError.task(
        "\(graph.name): noise of steps is the same for each example; a parameter is drawn for each")
    }
    let step: Graph
    let drawn = graph.parameters.map { LearnedParameter($0) }
    do throws(TypingError) {
      step = try LearningGraph.example(of: graph, task, releasing: drawn, Set(noises).sorted())
    } catch {
      throw TrainingError.task("\(graph.name): \(error.description)")
    }
    let (input, output) = (step.inputs[0], step.outputs[0])
    // Without the frames that only bring what is late.
    func example(_ shape: Shape) -> [Int] {
      let own = shape.fixed.dropFirst()
      return own.dropLast() + own.suffix(1).map { $0 - late }
    }
    let (taken, made) = (example(input.type.shape), example(step.shape(of: output.value)))
    guard taken == shape, made == shape else {
      throw TrainingError.task("\(graph.name): makes \(made) of \(taken); \(quoted(name)) is \(shape)")
    }
    program = try LearningProgram(step, LearningProgram.compile(step), shared: [:])
    (self.name, self.input, self.output) = (name, input.name, output.name)
    count = shape.reduce(1, *)
    parameters = drawn.map(\.name)
    self.noises = step.inputs.dropFirst().filter { noises.contains($0.name) }.map {
      ($0.name, $0.type.shape.count)
    }
  }

  /// The example as it is learned from.
  ///
  /// - Parameter draw: a number that says what is drawn.
  func changed(_ item: [String: [Float]], draw: UInt64) throws(TrainingError) -> [String: [Float]] {
    guard let numbers = item[name], numbers.count == count else { return item }
    var random = SeededNumbers(seed: draw)
    let rows = count / max(1, frames)
    for row in 0..<rows {
      program.write(numbers[row * frames..<(row + 1) * frames], to: input, at: row * (frames + latency))
    }
    for parameter in parameters { program.write([Float(random.next() >> 40) * 0x1p-24], to: parameter) }
    for noise in noises {
      let seed = Int(truncatingIfNeeded: random.next() >> 1)
      program.write(
        (0..<noise.count).map { WhiteNoise.sample(seed: seed, position: $0) }[...], to: noise.name)
    }
    program.execute()
    let all = program.read(output)
    let made =
      latency == 0
      ? all : (0..<rows).flatMap { all[$0 * (frames + latency) + latency..<($0 + 1) * (frames + latency)] }
    guard made.allSatisfy(\.isFinite) else {
      throw .data("\(quoted(name)): the model that changes examples makes numbers that are not finite")
    }
    var result = item
    result[name] = made
    return result
  }
}
