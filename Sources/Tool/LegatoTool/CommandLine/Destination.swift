// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR

/// The destination of a result: the file that `--output` names, or the standard output, which `-` names, too.
struct Destination {
  /// Nil for the standard output.
  let path: String?
  private let replaceExisting: Bool

  init(_ arguments: Arguments) throws(Failure) {
    let named = arguments.value(of: .output)
    path = named == "-" ? nil : named
    replaceExisting = arguments.has(.force)
    if let path, path.isEmpty { throw .usage("--output takes a file, or - for the standard output") }
    if path == nil, replaceExisting { throw .usage("--force is of use with --output FILE only") }
  }

  /// Throws where the file has no place, may not be replaced, or is one of those that the result is made of: before
  /// work is done for it.
  func check(against sources: [String]) throws {
    guard let path else { return }
    try Self.check(path, against: sources)
    try TextFile.check(path, replaceExisting: replaceExisting)
  }

  /// Throws where a result would take the place of a file that it is made of.
  static func check(_ path: String, against sources: [String]) throws(Failure) {
    let place = PathPlace(path)
    guard sources.allSatisfy({ PathPlace($0) != place }) else {
      throw .usage("\(quoted(path)) is what the result is made of; name another file")
    }
  }

  /// Writes files on trial, without their names: nobody works all night for one that cannot be written.
  static func tryOut(_ paths: [String], replacing: Bool) throws(AudioFileError) {
    _ = try FilesTogether(
      paths.map { .init(path: $0, bytes: []) }, replaceExisting: replacing, pending: Interruption.pending)
  }

  func show(_ text: String, _ console: Console) throws {
    guard let path else { return try console.print(text) }
    Interruption.begin()
    try TextFile.write(
      text, to: path, replaceExisting: replaceExisting, pending: Interruption.pending)
    console.notice("\(path): \(counted(text.utf8.count, "byte"))")
  }
}
