// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato

/// The training of a capture: a network follows what an amplifier made of a sound, until time is up.
///
///     let training = try CaptureTraining(pair, CaptureNetwork("lstm:16"), seed: 1, threads: 2)
///     try training.run(until: .epochs(100)) { progress in … }
///     let capture = try training.capture(named: "amp", weightsIn: "amp.safetensors")
///
/// A tenth of the windows, taken evenly from all over, is held back, and the weights count that do best there. The loss is
/// the mean square of the error over that of the whole target, so that no window is divided by its own silence; the rate
/// falls along half a cosine.
public final class CaptureTraining {
  /// The end of a run.
  public enum End: Hashable, Sendable {
    /// The data is gone over so often: the same seed gives the same bits.
    case epochs(Int)
    /// So many seconds have passed: how far that goes depends on the machine.
    case seconds(Double)
  }

  /// Where a run is.
  public struct Progress: Sendable {
    /// The epoch, from 1.
    public let epoch: Int
    /// How much of the epoch is done, from 0 to 1.
    public let epochShare: Double
    /// How much of the run is done, from 0 to 1.
    public let share: Double
    /// Seconds that are left, as it went until now.
    public let secondsLeft: Double
    /// The error-to-signal ratio over the epoch's batches until now.
    public let esr: Double
    /// That of what is held back, where it was judged just now.
    public let held: Double?
    /// Whether that is the best until now.
    public let isBest: Bool
  }

  /// A network that has learned.
  public struct Capture: Sendable {
    /// The `.nam` file.
    public let file: String
    /// The model file, which names the file of weights, and that file.
    package let model: String, weights: [UInt8]
  }

  /// The network that learns.
  public let network: CaptureNetwork
  /// Windows that are learned from, and those that are held back.
  public var windows: (learned: Int, held: Int) { (training.count, validation.count) }
  /// The least error-to-signal ratio of what is held back, and the epoch of it; 1, that of a network that is silent, and 0
  /// while none was less.
  public private(set) var best: (esr: Double, epoch: Int) = (1, 0)

  private let pair: CapturePair
  private let trainer: Trainer
  private let training, validation: Subset
  private let seed: UInt64
  private var bestArrays: [String: [Float]] = [:]

  /// - Parameters:
  ///   - pair: the sounds.
  ///   - network: what learns.
  ///   - seed: says with which weights it begins, and the order of the windows.
  ///   - threads: how many compute at a time; no bit depends on it.
  /// - Throws: `TrainingError.data` where there is too little sound, or its rate is below 8000 Hz.
  public init(_ pair: CapturePair, _ network: CaptureNetwork = .standard, seed: UInt64 = 1, threads: Int = 1)
    throws
  {
    (self.pair, self.network, self.seed) = (pair, network, seed)
    guard pair.sampleRate >= 8000 else {
      throw TrainingError.data(
        "\(pair.names.dry) is at \(pair.sampleRate) Hz; a capture is at 8000 Hz or more: record it so")
    }
    let lesson = network.lesson
    let power = pair.wet.reduce(0) { $0 + Double($1) * Double($1) } / Double(pair.wet.count)
    var task = TrainingTask(
      loss: TrainingTask.relativeError(power: power),
      metrics: ["error": "mse(dst, target)", "power": "mean(target * target)"],
      window: lesson.window, warmup: lesson.warmup, batch: lesson.batch)
    task.targets = ["target": [1, lesson.window]]
    let windows = try AudioPairs([.init(input: [pair.dry], target: [pair.wet])], task)
    (training, validation) = windows.split(validating: 0.1)
    guard validation.count > 0, training.count >= 1 else {
      throw TrainingError.data(
        "\(windows.count) windows of \(lesson.window) frames are too few to learn from")
    }
    trainer = try Trainer(
      network.model(network.blank, sampleRate: pair.sampleRate), task,
      optimizer: Optimizer(.adamW(), rate: lesson.rate, largestNorm: 1), sampleRate: Double(pair.sampleRate),
      threads: threads)
    trainer.initializeLayers(seed: seed)
    bestArrays = arrays
  }

  /// Learns until the end, or until it is told to stop.
  ///
  /// What is held back is judged after an eighth of the first epoch and after each.
  ///
  /// - Parameters:
  ///   - end: when time is up.
  ///   - progress: is told after each batch.
  /// - Throws: `TrainingError`, and what `progress` throws.
  public func run(until end: End, _ progress: (Progress) throws -> Trainer.Decision = { _ in .goOn }) throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let rate = network.lesson.rate
    let epochs =
      switch end {
      case .epochs(let count): count
      case .seconds: 1_000_000_000
      }
    try trainer.fit(training, epochs: epochs, seed: seed) { now in
      let seconds = (clock.now - begin) / .seconds(1)
      let position = now.position
      let done = Double(position.epoch - 1) + Double(position.batch) / Double(now.batches)
      let share =
        switch end {
        case .epochs(let count): done / Double(count)
        case .seconds(let most): most > 0 ? min(1, seconds / most) : 1
        }
      trainer.rate = rate * max(0.002, (1 + cos(.pi * share)) / 2)
      // The last batch of the epoch is judged at its end.
      let isEarly =
        position.epoch == 1 && position.batch == max(1, now.batches / 8) && position.batch < now.batches
      let isJudged = now.validation != nil || isEarly || share >= 1
      let held = isJudged ? try judge(position.epoch) : nil
      let decision = try progress(
        Progress(
          epoch: position.epoch, epochShare: Double(position.batch) / Double(now.batches), share: share,
          secondsLeft: seconds / max(share, 1e-9) * (1 - share),
          esr: (now.scores["error"] ?? 0) / max(now.scores["power"] ?? 0, 1e-12), held: held?.esr,
          isBest: held?.isBest ?? false))
      return share >= 1 && held != nil ? .stop : decision
    }
  }

  /// Judges what is held back, and remembers the weights where they are the best.
  private func judge(_ epoch: Int) throws -> (esr: Double, isBest: Bool) {
    let scores = try trainer.evaluate(validation)
    let esr = (scores["error"] ?? 0) / max(scores["power"] ?? 0, 1e-12)
    guard esr < best.esr else { return (esr, false) }
    best = (esr, epoch)
    bestArrays = arrays
    return (esr, true)
  }

  /// The weights as they are now.
  private var arrays: [String: [Float]] {
    Dictionary(
      uniqueKeysWithValues: trainer.learned.map { ($0, trainer.weights(named: $0)?.values ?? []) })
  }

  /// Writes the best network until now: to `x.json` the model file, with its weights in `x.safetensors` and the capture that
  /// other programs read in `x.nam`. Files that are there are replaced by whole ones; one of a network that has learned nothing
  /// is silent.
  ///
  /// - Parameter path: ends in .json.
  /// - Throws: `RequestError` for another ending, `TrainingError.data` where a file cannot be written, `ModelError` where there
  ///   is no compiler.
  public func export(to path: String) throws {
    let files = try ModelPlaces(output: path).files(of: self)
    do throws(AudioFileError) { try FilesTogether(files, replaceExisting: true).commit() } catch {
      throw TrainingError.data(error.description)
    }
  }

  /// The best network until now as files; one that has learned nothing where none was better than silence.
  ///
  /// - Parameters:
  ///   - name: what it is called.
  ///   - weightsPath: the path of the safetensors file, as the model file says it.
  /// - Throws: `ModelError` where there is no compiler.
  public func capture(named name: String, weightsIn weightsPath: String) throws -> Capture {
    let numbers = try network.weights(bestArrays)
    let program = try network.model(numbers, sampleRate: pair.sampleRate)
      .compile(sampleRate: Double(pair.sampleRate))
    let loudness = try CaptureLoudness.measured(of: program, sampleRate: pair.sampleRate)
    var metadata = [("name", name.asJSON)]
    if loudness.isFinite { metadata.append(("loudness", "\(Float(loudness))")) }
    if best.epoch > 0 { metadata.append(("training", "{\"validation_esr\": \(Float(best.esr))}")) }
    let text = network.text(numbers, sampleRate: pair.sampleRate, metadata: metadata)
    let (model, weights) = try Model(text, name: "\(name).nam").imported(weightsIn: weightsPath)
    return Capture(file: text, model: model, weights: weights)
  }
}
