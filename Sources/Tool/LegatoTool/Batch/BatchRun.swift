// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Synchronization

/// `legato process MODEL INPUT… --output-dir DIR`: many files through one model, several at a time.
///
///     plan ─▶ list of tasks ─▶ thread: file ─▶ context ─▶ file, renamed when whole
///                           ─▶ thread: …                   all share the programs
///
/// A file that fails is noted, and the rest is done; only what no file would escape, such as a full disk, ends the run.
struct BatchRun {
  private let options: BatchOptions
  private let workers: Workers
  private let rendering: Rendering
  private let plan: BatchPlan
  private let work: WorkList
  private let record: RunRecord
  private let report: FileReport?
  /// Whether it was to go on with a run in a folder that says of none.
  private let beginsAnew: Bool

  init(_ arguments: Arguments, _ console: Console) throws {
    options = try BatchOptions(arguments)
    report = try FileReport(arguments, model: options.model)
    rendering = try Rendering(arguments, model: options.model)
    // How many files folders hold, nobody knows yet.
    workers = Workers(
      threads: min(options.jobs, options.isRecursive ? BatchOptions.usualJobs : options.inputs.count),
      most: options.jobs)
    CompilerOpening.begin(unlessIn: rendering.cache)
    // Before the plan, which may write names to a file, and is told by an error that there is no room for them.
    Interruption.begin()
    var line = PreparationLine(console)
    plan = try BatchPlan(options) { count in line.note("looking for files: \(count)") }
    try report?.check(
      inputs: plan.items.lazy.map(\.input), outputs: plan.items.lazy.map(\.output),
      used: rendering.usedFiles, record: RunRecord.path(in: options.folder))
    record = RunRecord(arguments, model: options.model, used: rendering.usedFiles)
    var begun: Int?
    switch record.standing(in: options.folder) {
    case .same(let since): begun = options.resumes ? since : nil
    case .other(let difference) where options.resumes && !options.replaces:
      throw Failure.usage(
        "\(options.folder) was made \(difference); name another --output-dir, or replace all with --force"
      )
    case .other, .unknown: break
    }
    beginsAnew = options.resumes && begun == nil && (try? PathStatus(path: options.folder)) != nil
    work = try WorkList(
      plan, begun: begun, resumes: options.resumes, replaces: options.replaces, tail: rendering.tail,
      jobs: options.jobs
    ) { [plan] count in line.note("looking at what is there: \(count) of \(counted(plan.count, "file"))") }

    try PathStatus.makeFolder(options.folder)
    try report?.check()
    for folder in plan.folders { try PathStatus.makeFolder(folder) }
  }

  func run(_ console: Console) throws {
    for notice in plan.notices { console.notice(notice) }
    if beginsAnew, !options.replaces {
      console.notice("\(options.folder): no record of a run to go on with; everything is rendered")
    }
    if options.resumes {
      let record = RunRecord.path(in: options.folder)
      Leftovers.remove(of: plan.items.lazy.map(\.output), in: plan.outputFolders)
      Leftovers.remove(of: [record], in: [PathText.folder(of: record)])
    }
    // A run like this one may be at work on other files: its record stays as old as its files.
    switch record.standing(in: options.folder) {
    case .same: break
    case .unknown, .other: try record.write(to: options.folder)
    }

    let log = Mutex(BatchLog())
    let outcomes = report == nil ? nil : OutcomeTable()
    if report != nil { Interruption.beginReporting() }
    let progress = ProgressLine(total: work.count, console)
    workers.run(count: work.count) {
      ContextShelf()
    } work: { [rendering, plan, work, options, workers] shelf, index in
      let task = work[index]
      let item = plan[task.item]
      let outcome: FileReport.Outcome
      let begin = ContinuousClock.now
      do {
        let file = try FileRun(
          rendering, input: try AudioFileReader(path: item.input), output: item.output,
          replaces: task.replaces, owner: "the file", shelf: shelf)
        let result = try file.render { notice in
          log.withLock { $0.notice(Self.general(notice, item, options.folder)) }
        }
        log.withLock { $0.note(result) }
        outcome = .rendered(result, seconds: begin.duration(to: .now) / .seconds(1))
      } catch {
        // Nobody has come to it.
        if Interruption.isAsked { return }
        let reason = BatchFailure(error, item, folder: options.folder)
        outcome = .failed(reason.lines.joined(separator: "\n"))
        log.withLock { log in
          if reason.endsRun {
            log.end(with: reason.lines)
          } else {
            log.fail(reason.lines)
          }
        }
        if reason.endsRun { workers.stop() }
      }
      outcomes?.note(task.item, outcome)
    } watch: {
      if Interruption.isAsked { workers.stop() }
      progress.show(done: log.withLock { $0.done + $0.failed })
    }
    let took = progress.seconds
    if report != nil { console.progress("writing the report") }
    var unwritten: Failure?
    do {
      try report?.write(
        model: options.model, isInterrupted: Interruption.isAsked
      ) { write throws(AudioFileError) in
        try writeLines(outcomes, write)
      }
    } catch {
      unwritten = Failure(error)
    }
    progress.clear()
    if report != nil {
      Interruption.endReporting { for line in unwritten?.lines(of: "process") ?? [] { console.error(line) } }
    }
    try say(log.withLock { $0 }, after: took, unwritten, console)
  }

  /// A notice about one file, in the words that it shares with those about others.
  private static func general(_ notice: String, _ item: BatchPlan.Item, _ folder: String) -> String {
    let prefix = item.output + ": "
    return notice.hasPrefix(prefix) ? "\(folder): \(notice.dropFirst(prefix.count))" : notice
  }

  /// Those of files that nobody came to are not among them.
  private func writeLines(
    _ done: OutcomeTable?, _ write: (FileReport.Line) -> Void
  ) throws(AudioFileError) {
    for (index, item) in plan.items.enumerated() {
      guard let outcome = work.isWhole(index) ? .skipped : try done?.outcome(of: index) else { continue }
      write(FileReport.Line(input: item.input, output: item.output, outcome))
    }
    for failed in plan.failures {
      write(FileReport.Line(input: failed.input, output: nil, .failed(failed.line)))
    }
  }

  /// - Parameter unwritten: why there is no report; nil where there is, or where nobody asked for one.
  private func say(
    _ log: BatchLog, after seconds: Double, _ unwritten: Failure?, _ console: Console
  ) throws {
    for line in log.notices.lines + log.sums(options.folder) { console.notice(line) }
    let failed = log.failed + plan.failures.count
    let untried = work.count - log.done - log.failed
    let rest = [
      work.wholeCount == 0 ? nil : "\(work.wholeCount) whole before",
      failed > 0 ? "\(failed) failed" : nil,
      untried > 0 ? "\(untried) not tried" : nil,
    ].compactMap(\.self)
    console.notice(
      "\(options.folder): \(counted(log.done, "file")) (\(decimals(log.seconds)) s) in \(decimals(seconds)) s"
        + rest.map { ", " + $0 }.joined())
    let failures = plan.failures.map(\.line) + log.failures.lines + log.end
    guard failures.isEmpty else {
      throw Failure.faults(failures + (unwritten?.lines(of: "process") ?? []))
    }
    if let unwritten { throw unwritten }
  }
}
