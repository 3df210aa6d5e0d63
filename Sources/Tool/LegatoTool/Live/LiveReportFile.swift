// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import LiveHost

/// The place of a run's report: the file that `--report` names, or the standard output.
struct LiveReportFile {
  /// Nil for the standard output.
  private let path: String?
  private let model: String
  private let replaces: Bool

  /// Nil where none was asked for. Throws where it could not be written in the end.
  init?(_ arguments: Arguments, model: String, used: [String]) throws {
    guard let name = arguments.value(of: .report) else { return nil }
    guard !name.isEmpty else { throw Failure.usage("--report is empty; name a file") }
    path = name == "-" ? nil : name
    self.model = model
    replaces = arguments.has(.force)
    guard let path else {
      guard !arguments.has(.plain) else {
        throw Failure.usage(
          "--report - and --plain both write to the standard output; name a file for the report")
      }
      return
    }
    try Destination.check(path, against: used)
    try TextFile.check(path, replaceExisting: replaces)
  }

  /// Whether it goes where results go.
  var isPrinted: Bool { path == nil }

  func write(_ report: LiveReport, _ failure: (any Error)?, _ console: Console) throws {
    var report = report
    report.model = model
    report.error = failure.map { Failure($0).lines(of: "live").joined(separator: "\n") }
    let text = try json(report.naming(PathText.printable))
    guard let path else { return try console.print(text) }
    try TextFile.write(text, to: path, replaceExisting: replaces, pending: Interruption.pending)
  }
}
