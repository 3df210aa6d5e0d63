// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import FileRendering
internal import Synchronization

/// One file, rendered on a thread of its own, so that this one reports whatever comes.
///
///     thread   input ─▶ model ─▶ output
///     here     waits …                    ─▶ report
///              waits … signal … a moment  ─▶ report, "interrupted": true
///
/// A thread that waits for an idle pipe receives no signal: it is left alone after a moment. A file that has all its
/// sound waits for nobody, and may be in its place already: what becomes of it is awaited.
struct ReportedRun {
  private let report: FileReport
  private let input: String?
  private let output, model: String

  init(_ report: FileReport, input: String?, output: String, model: String) {
    self.report = report
    (self.input, self.output, self.model) = (input, output, model)
  }

  /// - Parameters:
  ///   - render: renders the file, on the other thread, and calls what it gets when only its place is left to take.
  ///   - say: takes what came of it.
  func run(
    _ console: Console,
    _ render: @escaping @Sendable (_ finishing: () -> Void) throws -> RenderedFile,
    say: (RenderedFile) -> Void
  ) throws {
    Interruption.beginReporting()
    let begin = ContinuousClock.now
    let isFinishing = Atomic(false)
    let ended = Mutex<Result<RenderedFile, any Error>?>(nil)
    var looks = 0
    Workers(threads: 1).run(count: 1) {
    } work: { _, _ in
      let result = Result { try render { isFinishing.store(true, ordering: .releasing) } }
      ended.withLock { $0 = result }
    } watch: {
      looks += Interruption.isAsked ? 1 : 0
      if looks > 1, !isFinishing.load(ordering: .acquiring), ended.withLock({ $0 == nil }) {
        write([], console)
      }
    }
    guard let result = ended.withLock({ $0 }) else { return }
    switch result {
    case .success(let result):
      say(result)
      let measures = BatchRun.Measures(result, duration: begin.duration(to: .now) / .seconds(1))
      let unwritten = write([.rendered(measures)], console)
      if let unwritten { throw unwritten }
    case .failure(let error):
      let lines = Failure(error).lines(of: "process")
      let unwritten = write(
        Interruption.isAsked ? [] : [.failed(lines.joined(separator: "\n"))], console)
      // What became of the sound decides how the run ends.
      for line in unwritten?.lines(of: "process") ?? [] { console.error(line) }
      throw error
    }
  }

  /// Writes the report, and ends the process where a signal asked for that; returns why there is no report.
  @discardableResult
  private func write(_ outcomes: [RunReport.Outcome], _ console: Console) -> Failure? {
    var unwritten: Failure?
    do {
      try report.file.write(model: model, isInterrupted: Interruption.isAsked) { write in
        for outcome in outcomes { write(RunReport.Line(input: input, output: output, outcome)) }
      }
    } catch {
      unwritten = Failure(error)
    }
    Interruption.endReporting { for line in unwritten?.lines(of: "process") ?? [] { console.error(line) } }
    return unwritten
  }
}
