// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato
internal import Synchronization

/// A run of a batch: many files through one model, several at a time.
///
///     plan ─▶ tasks ─▶ thread: file ─▶ context ─▶ file, renamed when whole
///                   ─▶ thread: …                   all share the programs
///
/// A file that fails is noted, and the rest is done; only what no file would escape, such as a full disk, ends the run.
public struct BatchRun: Sendable {
  /// The outcome of one file.
  public enum Outcome: Sendable {
    case rendered(Measures)
    /// The output was whole before.
    case skipped
    indirect case failed(BatchFailure)
  }

  /// The numbers that are kept of a file that was rendered.
  public struct Measures: Sendable, BitwiseCopyable {
    public let frames, clipped, nonFinite: Int
    /// The largest magnitude; full scale is 1.
    public let peak: Float
    /// How long rendering took, in seconds.
    public let duration: Float
    /// Frames per second.
    public let sampleRate: Int32
    public let channels: Int32
    /// Samples that asked for delays outside of their ranges.
    public let outsideDelays: Int

    package init(_ file: RenderedFile, duration: Double) {
      (frames, clipped, nonFinite) = (file.frames, file.clipped, file.nonFinite)
      (peak, self.duration) = (file.peak, Float(duration))
      (sampleRate, channels) = (Int32(clamping: file.sampleRate), Int32(clamping: file.channels))
      outsideDelays = file.outsideDelays.samples
    }
  }

  /// The results of a run.
  public struct Result: Sendable {
    /// The outcome of each file of the plan, in its order; nil where it was not reached.
    public fileprivate(set) var outcomes: [Outcome?]
    public fileprivate(set) var rendered = 0
    public fileprivate(set) var failed = 0
    /// Of the files that failed, in the plan's order.
    public var failures: [BatchFailure] {
      outcomes.compactMap { outcome in
        guard case .failed(let failure)? = outcome, !failure.endsRun else { return nil }
        return failure
      }
    }
    /// Files that were not reached, with the one at which the run ended.
    public var untried: Int { count - rendered - failed }
    /// The failure that would have met every file, and ended the run; nil where it came to its end, or was cancelled.
    public fileprivate(set) var end: BatchFailure?
    fileprivate let count: Int
  }

  public let plan: BatchPlan
  private let work: WorkList
  private let record: RunRecord
  /// Whether it should resume a run of which the folder has no record: everything is rendered.
  public let beginsAnew: Bool

  /// Looks at what stands in the outputs' places, and makes the folders.
  ///
  /// - Parameters:
  ///   - plan: Which file becomes which.
  ///   - watch: Is told now and then how many files were looked at.
  /// - Throws: `RenderingError.standing` where files may not be replaced, `request` where the folder was made with
  ///   something else, or an input would be overwritten; `file` where a folder or the record cannot be made.
  public init(_ plan: BatchPlan, watch: (_ looked: Int) -> Void = { _ in }) throws(RenderingError) {
    let (batch, replaces) = (plan.batch, plan.renderer.options.replacesExisting)
    let record = RunRecord(batch.ingredients ?? plan.renderer.ingredients)
    (self.plan, self.record) = (plan, record)
    var begun: Int?
    switch try RenderingError.of({ try record.standing(in: batch.folder) }) {
    case .same(let since): begun = batch.resumes ? since : nil
    case .other(let difference) where batch.resumes && !replaces:
      throw .request(
        RequestError(
          "\(batch.folder) was made \(difference); name another \(.folder), or replace all with \(.replacesExisting)"
        ))
    case .other, .unknown: break
    }
    beginsAnew = batch.resumes && begun == nil && (try? FileStatus(path: batch.folder)) != nil
    work = try WorkList(plan, begun: begun, watch: watch)
    try RenderingError.of {
      for folder in [batch.folder] + plan.folders { try FileStatus.makeFolder(folder) }
    }
  }

  /// How many files there are to render.
  public var count: Int { work.count }

  /// The number of files that are skipped, as their outputs are whole.
  public var wholeCount: Int { work.wholeCount }

  /// Renders the files; called once.
  ///
  /// - Parameters:
  ///   - progress: Is told a few times a second, on this thread, how many of how many files are done, failed ones, too;
  ///     where it answers false, no further file is begun.
  ///   - notice: Takes what is odd about a file, a line of which the output's path is the beginning, if anything is;
  ///     on any thread, of several at once.
  ///   - finished: Takes what is known of a file that was rendered; on any thread, of several at once.
  /// - Throws: `RenderingError.file` where the record cannot be written.
  public func run(
    progress: (_ done: Int, _ count: Int) -> Bool = { _, _ in true },
    notice: @escaping @Sendable (_ line: String, BatchPlan.Item) -> Void = { _, _ in },
    finished: @escaping @Sendable (RenderedFile, BatchPlan.Item) -> Void = { _, _ in }
  ) throws(RenderingError) -> Result {
    let whole = (0..<plan.count).map { work.isWhole($0) ? Outcome.skipped : nil }
    let result = Mutex(Result(outcomes: whole, count: count))
    do {
      try RenderingError.of { try begin() }
    } catch {
      // Whoever interrupted the run gets what it has done: nothing.
      guard plan.renderer.options.pending?.isClosed == true else { throw error }
      return result.withLock { $0 }
    }
    let workers = Workers(threads: min(plan.batch.jobs, Batch.mostJobs))
    workers.run(count: work.count) {
      ContextShelf()
    } work: { [plan, work] shelf, index in
      let task = work[index]
      let item = plan[task.item]
      let begin = ContinuousClock.now
      do {
        let file = try FileRun(
          plan.renderer, from: .file(try AudioFileReader(path: item.input)), to: item.output,
          replaces: task.replaces, owner: "the file", shelf: shelf)
        let rendered = try file.render { notice($0, item) }
        finished(rendered, item)
        let measures = Measures(rendered, duration: begin.duration(to: .now) / .seconds(1))
        result.withLock { result in
          result.outcomes[task.item] = .rendered(measures)
          result.rendered += 1
        }
      } catch {
        // Nobody has come to it.
        if plan.renderer.options.pending?.isClosed == true { return }
        let failure = BatchFailure(error, item, folder: plan.batch.folder)
        result.withLock { result in
          result.outcomes[task.item] = .failed(failure)
          if failure.endsRun { result.end = result.end ?? failure } else { result.failed += 1 }
        }
        if failure.endsRun { workers.stop() }
      }
    } watch: {
      if !progress(result.withLock { $0.rendered + $0.failed }, count) { workers.stop() }
    }
    return result.withLock { $0 }
  }

  /// Removes what a killed run left, and writes the record of the run.
  private func begin() throws {
    let (folder, record) = (plan.batch.folder, plan.record)
    if plan.batch.resumes {
      Leftovers.remove(of: plan.items.lazy.map(\.output), in: plan.outputFolders)
      Leftovers.remove(of: [record], in: [PathText.folder(of: record)])
    }
    // A run like this one may be at work on other files: its record stays as old as its files.
    switch try self.record.standing(in: folder) {
    case .same: break
    case .unknown, .other: try self.record.write(to: folder, pending: plan.renderer.options.pending)
    }
  }
}
