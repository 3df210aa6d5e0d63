// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// What the files in an output folder were made with, kept there in a hidden file, for runs that go on with them.
///
///     out/.legato-run    legato 0.1.0
///                        echo.json 5e2c81a3f0b94d17
///                        --set mix=0.5
///
/// An output belongs to a run where the record says the same as its command line, and the output is younger than the
/// record: it was renamed into its place when it was whole. Models and points count with their content.
struct RunRecord {
  /// What is known of an output folder.
  enum Standing: Equatable {
    case unknown
    /// A run like this one began then, in nanoseconds since 1970.
    case same(since: Int)
    /// Says what is the first difference: "made with --set mix=0.5".
    case other(String)
  }

  private let text: String

  /// Where the record of a folder stands.
  static func path(in folder: String) -> String { PathText.path(folder, ".legato-run") }

  /// More than models, points and command lines may have.
  private static let maximumBytes = 1 << 27

  /// None of these changes what is in a file.
  private static let indifferent: [Option] = [
    .outputDir, .jobs, .recursive, .resume, .report, .force, .sync, .quiet, .block,
  ]

  /// The values of these are files.
  private static let files: [Option] = [.then, .automate]

  /// - Parameter used: files that the model uses.
  init(_ arguments: Arguments, model: String, used: [String]) {
    // By its name only: the same folder may be meant from elsewhere.
    var lines = ["legato " + Command.version, Self.line(PathText.name(of: model), path: model)]
    lines += used.map { Self.line("with " + PathText.name(of: $0), path: $0) }
    for (option, value) in arguments.words(without: Self.indifferent) {
      let words = "--" + option.name + (value.map { " " + $0 } ?? "")
      lines.append(Self.line(words, path: Self.files.contains(option) ? value : nil))
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  /// What is known of the folder, which may not be there.
  func standing(in folder: String) -> Standing {
    let path = Self.path(in: folder)
    guard let status = try? PathStatus(path: path),
      let found = try? FileBytes.read(path, most: Self.maximumBytes)
    else {
      return .unknown
    }
    guard !found.elementsEqual(text.utf8) else { return .same(since: status.changed) }
    let theirs = String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init)
    let ours = text.split(separator: "\n").map(String.init)
    let differing = theirs.indices.first { $0 >= ours.count || theirs[$0] != ours[$0] }
    return .other(
      differing.map { "with " + theirs[$0] } ?? "without " + (ours.dropFirst(theirs.count).first ?? ""))
  }

  /// Leaves the record in the folder.
  func write(to folder: String) throws(AudioFileError) {
    try TextFile.write(
      text, to: Self.path(in: folder), replaceExisting: true, pending: Interruption.pending,
      // Without it nobody could go on after a power cut.
      syncs: true)
  }

  /// - Parameter path: a file that the words are about; nil for none.
  private static func line(_ words: String, path: String?) -> String {
    let shown = words.split(whereSeparator: \.isNewline).joined(separator: " ")
    guard let path, (try? PathStatus(path: path))?.isFile == true,
      let content = try? FileBytes.read(path, most: Self.maximumBytes)
    else { return shown }
    return shown + " " + String(content.fingerprint, radix: 16)
  }
}
