// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import GraphIR
internal import Legato
internal import Synchronization

extension Option {
  static let outputDir = Option("output-dir", value: "DIR", "renders many files, into this folder")
  static let jobs = Option("jobs", value: "N", "files at a time (default: one for each processor)")
  static let suffix = Option(
    "suffix", value: "TEXT",
    "stands before the outputs' extension, or, such as -dark.flac, is the extension, too")
  static let recursive = Option(
    "recursive", "takes the files in folders, and in their folders; these are made in DIR, too")
  static let resume = Option(
    "resume",
    "goes on where a run over these inputs ended: leaves out what is whole and newer than its input")
  static let report = Option(
    "report", value: "FILE",
    "writes what came of it, as JSON: of each file frames, peak, clipped samples, time, errors; of what plays live the "
      + "summary; - prints it")
}

/// `legato process MODEL INPUT… --output-dir DIR`: many files, and what there is to say about them.
struct BatchCommand {
  /// Options that only make sense for many files.
  static let options: [Option] = [.jobs, .suffix, .recursive, .resume]

  private let folder, model: String
  private let batchRun: BatchRun
  private let replaces: Bool
  private let report: FileReport?

  init(_ arguments: Arguments, _ console: Console) throws {
    var batch = try Batch(arguments)
    (folder, model) = (batch.folder, arguments.operands[0])
    report = try FileReport(arguments, model: model)
    let renderer = try FileRenderer(arguments, model: model)
    guard !renderer.model.inputs.isEmpty else {
      throw Failure.usage(
        "\(quoted(renderer.model.name)) has no input, and makes one file; write MODEL OUTPUT --seconds S, such as "
          + "--seconds 3")
    }
    replaces = renderer.options.replacesExisting
    batch.ingredients = Batch.ingredients(of: arguments, renderer)
    Interruption.begin()
    var line = PreparationLine(console)
    let plan = try BatchPlan(batch, for: renderer) { count in line.note("looking for files: \(count)") }
    try report?.check(
      inputs: plan.items.lazy.map(\.input), outputs: plan.items.lazy.map(\.output),
      used: renderer.model.usedFiles, record: plan.record)
    batchRun = try BatchRun(plan) { count in
      line.note("looking at what is there: \(count) of \(counted(plan.count, "file"))")
    }
    try report?.file.check()
  }

  func run(_ console: Console) throws {
    let plan = batchRun.plan
    for notice in plan.notices { console.notice(notice) }
    if batchRun.beginsAnew, !replaces {
      console.notice("\(folder): no record of a run to go on with; everything is rendered")
    }
    let log = Mutex(BatchLog())
    if report != nil { Interruption.beginReporting() }
    let progress = ProgressLine(total: batchRun.count, console)
    let result = try batchRun.run { done, _ in
      progress.show(done: done)
      return !Interruption.isAsked
    } notice: { [folder] notice, item in
      log.withLock { $0.notice(Self.general(notice, item, folder)) }
    } finished: { file, item in
      log.withLock { $0.note(file, of: item.input) }
    }
    let took = progress.seconds
    if report != nil { console.progress("writing the report") }
    var unwritten: Failure?
    do {
      try report?.file.write(model: model, isInterrupted: Interruption.isAsked) { writeLines(result, $0) }
    } catch {
      unwritten = Failure(error)
    }
    progress.clear()
    if report != nil {
      Interruption.endReporting { for line in unwritten?.lines(of: "process") ?? [] { console.error(line) } }
    }
    try say(result, log.withLock { $0 }, after: took, unwritten, console)
  }

  /// A notice about one file, in the words that it shares with those about others.
  private static func general(_ notice: String, _ item: BatchPlan.Item, _ folder: String) -> String {
    let prefix = item.output + ": "
    return notice.hasPrefix(prefix) ? "\(folder): \(notice.dropFirst(prefix.count))" : notice
  }

  /// Writes the report's lines, without those of files that were not reached.
  private func writeLines(_ result: BatchRun.Result, _ write: (RunReport.Line) -> Void) {
    for (item, outcome) in zip(batchRun.plan.items, result.outcomes) {
      let told: RunReport.Outcome
      switch outcome {
      case nil: continue
      case .rendered(let measures): told = .rendered(measures)
      case .skipped: told = .skipped
      case .failed(let failure): told = .failed(Self.lines(failure).joined(separator: "\n"))
      }
      write(RunReport.Line(input: item.input, output: item.output, told))
    }
    for failed in batchRun.plan.failures {
      write(RunReport.Line(input: failed.input, output: nil, .failed(failed.line)))
    }
  }

  private static func lines(_ failure: BatchFailure) -> [String] {
    let lines = failure.lines(calling: Failure.name)
    guard case .model(.code) = failure.error else { return lines }
    return lines.map { "process: " + $0 }
  }

  /// - Parameter unwritten: why there is no report; nil where there is, or where none was asked for.
  private func say(
    _ result: BatchRun.Result, _ log: BatchLog, after seconds: Double, _ unwritten: Failure?,
    _ console: Console
  ) throws {
    for line in log.notices.lines + log.sums(folder) { console.notice(line) }
    let plan = batchRun.plan
    let failed = result.failed + plan.failures.count
    let rest = [
      batchRun.wholeCount == 0 ? nil : "\(batchRun.wholeCount) whole before",
      failed > 0 ? "\(failed) failed" : nil,
      result.untried > 0 ? "\(result.untried) not tried" : nil,
    ].compactMap(\.self)
    console.notice(
      "\(folder): \(counted(result.rendered, "file")) (\(decimals(log.seconds)) s) in \(decimals(seconds)) s"
        + rest.map { ", " + $0 }.joined())
    var tally = BatchLog.Tally()
    for failure in result.failures { tally.add(Self.lines(failure)) }
    let failures = plan.failures.map(\.line) + tally.lines + (result.end.map(Self.lines) ?? [])
    guard failures.isEmpty else {
      throw Failure.faults(failures + (unwritten?.lines(of: "process") ?? []))
    }
    if let unwritten { throw unwritten }
  }
}

extension Batch {
  init(_ arguments: Arguments) throws(Failure) {
    guard let folder = arguments.value(of: .outputDir), !folder.isEmpty else {
      throw .usage("--output-dir is empty; name a folder")
    }
    guard let model = arguments.operands.first, !model.isEmpty else {
      throw .usage("MODEL is missing; see --help")
    }
    self.init(Array(arguments.operands.dropFirst()), into: folder)
    guard !inputs.isEmpty else { throw .usage("INPUT is missing; see --help") }
    guard !inputs.contains("") else { throw .usage("INPUT is empty; see --help") }
    guard !inputs.contains("-") else {
      throw .usage("- is no file that could be called the same in \(folder); write MODEL - OUTPUT for a pipe")
    }
    guard !arguments.has(.raw) else {
      throw .usage("--raw says what - is; with --output-dir, there are files only")
    }
    if let option = [Option.seconds, .rate].first(where: arguments.has) {
      throw .usage(
        "--\(option.name) is for models without inputs, which make one file; leave out --output-dir, or --\(option.name)"
      )
    }
    guard !arguments.has(.check) else {
      throw .usage("--check looks at one file; write MODEL INPUT OUTPUT, without --output-dir")
    }
    jobs = try arguments.integer(.jobs, in: 1...Self.mostJobs) ?? Self.usualJobs
    suffix = arguments.value(of: .suffix) ?? ""
    guard !suffix.utf8.contains(UInt8(ascii: "/")) else {
      throw .usage("--suffix takes a part of a name, such as -crushed, not \(quoted(suffix))")
    }
    guard !AudioFileType.isUnwritten(path: "x" + suffix) else {
      throw .usage(
        "--suffix \(suffix): files of that type are not written; use \(AudioFileType.extensionList)")
    }
    isRecursive = arguments.has(.recursive)
    resumes = arguments.has(.resume)
  }

  /// The ingredients of outputs, in the command line's own words.
  fileprivate static func ingredients(of arguments: Arguments, _ renderer: FileRenderer) -> [Ingredient] {
    // None of these changes what is in a file.
    let indifferent: [Option] = [
      .outputDir, .jobs, .recursive, .resume, .report, .force, .sync, .quiet, .block,
    ]
    let options = arguments.words(without: indifferent).map { option, value in
      let words = "--" + option.name + (value.map { " " + $0 } ?? "")
      return Ingredient(words, file: [.then, .automate].contains(option) ? value : nil)
    }
    return [Ingredient("legato " + Command.version)] + renderer.models + options
  }
}
