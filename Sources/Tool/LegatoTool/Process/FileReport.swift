// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering

/// The report that `--report` asks for.
struct FileReport {
  /// The name on the command line.
  private let name: String
  private var path: String { Self.path(name) }
  /// Files that the command line names, each with what it is.
  private let sources: [(path: String, role: String)]
  let file: RunReport

  /// Nil where no report was asked for.
  init?(_ arguments: Arguments, model: String) throws(Failure) {
    guard let name = arguments.value(of: .report) else { return nil }
    guard !name.isEmpty else { throw .usage("--report is empty; name a file") }
    self.name = name
    file = RunReport(
      Self.path(name), replacesExisting: arguments.has(.force), resumes: arguments.has(.resume),
      pending: Interruption.pendingReport)
    sources =
      [(model, "the model")] + arguments.values(of: .then).map { ($0, "a model that --then names") }
      + arguments.values(of: .automate).map { ($0, "the file that --automate names") }
  }

  private static func path(_ name: String) -> String { name == "-" ? "/dev/stdout" : name }

  /// Throws where the report would take the place of a file that the run reads or writes.
  ///
  /// - Parameters:
  ///   - used: files that the model uses.
  ///   - record: the record of the output folder; nil for none.
  func check(
    inputs: some Sequence<String>, outputs: some Sequence<String>, used: [String], record: String? = nil
  ) throws(Failure) {
    let place = PathPlace(path)
    func refuse(_ role: String) -> Failure { .usage("--report \(name) is \(role); name another file") }
    for source in sources where place.isMeant(by: source.path) { throw refuse(source.role) }
    for file in used where place.isMeant(by: file) { throw refuse("a file that the model uses") }
    for input in inputs where place.isMeant(by: input) { throw refuse("an input") }
    for output in outputs where place.isMeant(by: output) { throw refuse("an output") }
    if let record, place.isMeant(by: record) { throw refuse("the record of the output folder") }
  }
}
