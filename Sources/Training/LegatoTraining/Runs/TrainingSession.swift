// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import Foundation
internal import GraphIR
public import Legato

/// A run that learns, epoch by epoch: each is judged by the examples that are held back, the weights of the best one are
/// kept, and a checkpoint says where the run is, so that it goes on there when it was ended, or killed.
///
///     var options = TrainingSession.Options()
///     options.checkpoint = "run.safetensors"
///     let session = try TrainingSession(TrainingSetup(of: model, request), options)
///     try session.run { event in isAskedToStop ? .stop : .goOn }
///     if try session.restoreBest() { try session.trainer.export(to: "amp.json") }
///
/// The same setup comes to the same bits, in one go or in several. `legato train` is made of it.
public final class TrainingSession {
  /// How a run begins, and where it is written down.
  public struct Options: Sendable {
    /// The file where the run is written down after each epoch, of short ones after some, and where somebody asks it to stop;
    /// nil for none. What stands there is replaced; what was learned is exported to other names.
    public var checkpoint: String?
    /// Whether the run goes on where the checkpoint was written.
    public var resumes = false
    /// Whether the layers that learn begin with random weights, as the setup's seed says.
    public var initializes = false
    /// Whether a batch whose loss, or the square of its gradient, is no finite number is passed over; else it ends the run.
    public var skipsNotFinite = false
    /// A model that examples run through before they are learned from, other each time.
    public var augmentation: Model?
    /// The files that are made of the run: noted in the checkpoint, so that who goes on may replace them.
    package var results: [String] = []
    /// The files that a handler of signals deletes.
    package var pending: PendingFiles?

    /// A run that begins, without a checkpoint.
    public init() {}
  }

  /// The outcome of an epoch.
  public struct Epoch: Hashable, Sendable, Codable {
    /// Counted from 1.
    public let epoch: Int
    /// The scores of what was learned from, and of what was held back; nil is what is no finite number.
    public let scores, validation: [String: Double?]
    /// How long it took.
    public let seconds: Double

    package init(epoch: Int, scores: [String: Double?], validation: [String: Double?], seconds: Double) {
      (self.epoch, self.scores, self.validation, self.seconds) = (epoch, scores, validation, seconds)
    }
  }

  /// The epoch with the smallest loss: of the examples that are held back, or else of those that are learned from.
  public struct Best: Sendable {
    /// Infinite before there is one.
    public fileprivate(set) var loss = Double.infinity
    /// 0 is before the first epoch, where the weights were not random.
    public fileprivate(set) var epoch = 0
    /// The counts of what a classifier took the examples for that are held back; nil of no classifier, and of an epoch before
    /// the run went on until `restoreBest`.
    public fileprivate(set) var confusion: Confusion?
    /// The weights as they were then; nil where no epoch is whole yet.
    fileprivate var weights: [String: Tensor]?
  }

  /// A moment of a run.
  public enum Event: Sendable {
    /// The scores of the examples that are held back, with the weights that there are before the first epoch.
    case judged([String: Double])
    /// A batch is done, and about so many seconds are left.
    case batch(Trainer.Progress, secondsLeft: Double)
    /// An epoch is done.
    case epoch(Trainer.Progress)
  }

  /// The reason why a run is over.
  public enum End: Sendable {
    /// All epochs are done.
    case complete
    /// So many epochs were no better as the plan has patience for.
    case noBetter
    /// Whoever was told asked for it; `run` goes on.
    case stopped
  }

  /// The model, the task and the examples.
  public let setup: TrainingSetup
  /// The trainer: as it is behind the last batch, or, from `restoreBest` until the run goes on, as it was at its best.
  public let trainer: Trainer
  /// The weights that learn, and begin as they were in spite of `initializes`: they are no layer's.
  public let keptWeights: [String]
  /// The epochs that are done.
  public private(set) var epochs: [Epoch] = []
  /// The best epoch until now.
  public private(set) var best = Best()
  /// The place in the run where it goes on.
  public private(set) var position = Trainer.Position.start
  private var stopping: EarlyStopping
  private var tally = Trainer.Tally()
  private let options: Options
  private let terms: TrainingTerms
  private let augmentation: Augmentation?
  private let clock = ContinuousClock()
  /// The files of the run that goes on.
  private let former: SessionState?
  private var isRunning = false
  /// The weights behind the last batch, while the trainer has those of the best epoch.
  private var present: [String: Tensor]?
  /// When the run was written down last, and how long that took: it grows with the epochs.
  private var saved: ContinuousClock.Instant
  private var saving = Duration.zero

  /// - Parameters:
  ///   - setup: what is learned, of which data.
  ///   - options: how the run begins, and where it is written down.
  /// - Throws: `RequestError` where the run in the checkpoint has other terms, or none is named, where the checkpoint would
  ///   replace what the run is made of, or no layer learns that could begin with random weights; `TrainingError` where there is
  ///   no checkpoint, it is damaged or cannot be written; and what making the trainer and reading the augmentation throws.
  public init(_ setup: TrainingSetup, _ options: Options = Options()) throws {
    try Self.checkPlace(of: setup, options)
    let trainer = try setup.trainer(learning: setup.training)
    augmentation = try options.augmentation.map { model in
      try Augmentation(
        model, for: trainer, input: setup.model.inputs.first?.name ?? "", sampleRate: setup.sampleRate)
    }
    terms = try TrainingTerms(setup, augmentation: options.augmentation)
    (self.setup, self.trainer, self.options, saved) = (setup, trainer, options, clock.now)
    stopping = EarlyStopping(epochs: setup.plan.patience)
    if options.resumes {
      let (known, state) = try Self.resume(trainer, options, terms)
      (former, keptWeights) = (state, [])
      (position, tally, epochs) = (state.position, state.done, state.epochs)
      (best.loss, best.epoch, best.weights) = (state.best ?? .infinity, state.bestEpoch, known.best)
      stopping = EarlyStopping(epochs: setup.plan.patience, best: best.loss, at: best.epoch)
      return
    }
    former = nil
    keptWeights = options.initializes ? trainer.initializeLayers(seed: setup.seed) : []
    guard !options.initializes || keptWeights.count < trainer.learned.count else {
      throw RequestError(
        "\(.initialize) gives layers random weights; none of \(listed(keptWeights)) is a layer's")
    }
  }

  /// Throws where the checkpoint has no place, or one of what the run is made of.
  private static func checkPlace(of setup: TrainingSetup, _ options: Options) throws {
    guard let path = options.checkpoint else { return }
    let place = PathPlace(path)
    let sources = setup.sources + (options.augmentation?.files ?? [])
    guard sources.allSatisfy({ PathPlace($0) != place }) else {
      throw RequestError("\(quoted(path)) is what the result is made of; name another file")
    }
    // Written on trial, without its name.
    do throws(AudioFileError) {
      _ = try FilesTogether([.init(path: path, bytes: [])], replaceExisting: true, pending: options.pending)
    } catch {
      throw TrainingError.checkpoint(error.description)
    }
  }

  private static func resume(
    _ trainer: Trainer, _ options: Options, _ terms: TrainingTerms
  ) throws -> (Checkpoint, SessionState) {
    guard let path = options.checkpoint else {
      throw RequestError("\(.resume) goes on where a checkpoint was written, and none is named")
    }
    guard FileManager.default.fileExists(atPath: path) else {
      throw TrainingError.checkpoint(
        "\(path): does not exist; a run that does not go on begins, and writes it")
    }
    let known = try trainer.resume(from: path)
    let state = try SessionState(known, path)
    if let flaw = state.terms.difference(from: terms) {
      throw RequestError("\(.resume): the run in \(path) has \(flaw)")
    }
    return (known, state)
  }

  /// Whether the run that goes on made a file, so that it may replace it.
  package func owns(_ path: String) -> Bool { former?.owns(path) ?? false }

  /// Whether epochs without a better loss have ended the run.
  package var isOver: Bool { position.epoch > 1 && stopping.isOver(epoch: position.epoch - 1) }

  // MARK: Learning

  /// Learns until all epochs are done, none was better for long, or somebody asks it to stop.
  ///
  /// - Parameter tell: is told how it goes, and says whether it goes on. It may ask for the best, and export it; it lets the
  ///   trainer learn nothing.
  /// - Throws: `TrainingError`, also where `tell` calls it, `AudioFileError` where the checkpoint cannot be written, and what
  ///   the data and `tell` throw; `best` is there all the same.
  @discardableResult
  public func run(_ tell: (Event) throws -> Trainer.Decision = { _ in .goOn }) throws -> End {
    guard !isRunning else {
      throw TrainingError.task("a session that runs is not run once more by whoever it tells how it goes")
    }
    isRunning = true
    defer { isRunning = false }
    putBack()
    let most = setup.plan.epochs
    guard try judgeBeforehand(tell) == .goOn else {
      try save()
      return .stopped
    }
    guard !isOver else { return .noBetter }
    guard position.epoch <= most else { return .complete }
    let (begin, first) = (clock.now, position)
    var epochBegin = begin
    saved = begin
    try trainer.fit(
      setup.training, epochs: most, from: position, tally: tally, seed: setup.seed,
      validation: setup.held.count > 0 ? setup.held : nil, augmentation: augmentation,
      skipsNotFinite: options.skipsNotFinite
    ) { progress in
      (position, tally) = (progress.position, progress.tally)
      guard let validation = progress.validation else {
        let done = Self.epochs(to: position, from: first, batches: progress.batches)
        let left = Double(most + 1 - first.epoch) - Double(first.batch) / Double(progress.batches) - done
        let passed = (clock.now - begin) / .seconds(1)
        defer { putBack() }
        return try tell(.batch(progress, secondsLeft: passed / max(done, 1e-9) * left))
      }
      epochs.append(
        Epoch(
          epoch: position.epoch, scores: finite(progress.scores), validation: finite(validation),
          seconds: (clock.now - epochBegin) / .seconds(1)))
      epochBegin = clock.now
      note(progress, validation)
      let decision = try tell(.epoch(progress))
      putBack()
      // Short epochs are not all written down: at most a twentieth of the time goes into that.
      if isOver || position.epoch > most || clock.now - saved >= saving * 20 { try save() }
      return isOver ? .stop : decision
    }
    guard !isOver else { return .noBetter }
    guard position.epoch <= most else { return .complete }
    try save()
    return .stopped
  }

  /// Whole and broken epochs between two places.
  private static func epochs(
    to end: Trainer.Position, from start: Trainer.Position, batches: Int
  ) -> Double {
    Double(end.epoch - start.epoch) + Double(end.batch - start.batch) / Double(batches)
  }

  /// The weights that are not random are the best until an epoch is better.
  private func judgeBeforehand(_ tell: (Event) throws -> Trainer.Decision) throws -> Trainer.Decision {
    guard setup.held.count > 0, position == .start, best.weights == nil, !options.initializes,
      !setup.replacesLayer
    else { return .goOn }
    let judged = try trainer.judged(setup.held)
    guard let loss = judged.scores["loss"], loss.isFinite else { return .goOn }
    best = Best(loss: loss, epoch: 0, confusion: judged.confusion, weights: trainer.learnedTensors)
    stopping = EarlyStopping(epochs: setup.plan.patience, best: loss)
    return try tell(.judged(judged.scores))
  }

  /// Notes what an epoch came to.
  private func note(_ progress: Trainer.Progress, _ validation: [String: Double]) {
    let loss = (validation.isEmpty ? progress.scores : validation)["loss"] ?? .infinity
    if loss < best.loss, loss.isFinite {
      best = Best(
        loss: loss, epoch: position.epoch, confusion: progress.confusion, weights: trainer.learnedTensors)
    }
    _ = stopping.decision(loss: loss, epoch: position.epoch)
    (position, tally) = (Trainer.Position(epoch: position.epoch + 1, batch: 0), .init())
  }

  private func save() throws {
    guard let path = options.checkpoint else { return }
    let now = clock.now
    defer { (saved, saving) = (clock.now, clock.now - now) }
    let state = SessionState(
      terms: terms, position: position, tally: tally, best: best.loss, bestEpoch: best.epoch,
      epochs: epochs, results: options.results)
    let file = try trainer.checkpoint(properties: state.properties(seed: setup.seed), best: best.weights)
    try FilesTogether(
      [.init(path: path, bytes: file.bytes)], replaceExisting: true, pending: options.pending
    ).commit()
  }

  // MARK: What was learned

  /// Gives the trainer the weights of the best epoch, until `run` goes on from where it was.
  ///
  /// - Returns: whether there is one: an epoch is whole, and its loss, or that of before, was a finite number.
  /// - Throws: what judging the examples throws that are held back: of an epoch before the run went on the classes are not
  ///   in the checkpoint.
  public func restoreBest() throws -> Bool {
    guard let weights = best.weights, !epochs.isEmpty else { return false }
    present = present ?? trainer.learnedTensors
    try trainer.replaceWeights(weights)
    if best.confusion == nil, setup.held.count > 0 {
      best.confusion = try trainer.judged(setup.held).confusion
    }
    return true
  }

  /// Gives the trainer back what it had learned until now.
  private func putBack() {
    guard let weights = present else { return }
    present = nil
    do { try trainer.replaceWeights(weights) } catch { preconditionFailure("its own weights fit: \(error)") }
  }
}
