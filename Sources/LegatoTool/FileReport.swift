// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// What came of each file of a run, as JSON, a line a file.
///
///     { "model": "models/echo.json",
///       "files": [
///         {"channels":2,"clipped":0,"frames":96000,"input":"in/a.wav",…},
///         {"error":"in/b.wav: the file is empty","input":"in/b.wav",…}
///       ] }
struct FileReport {
  /// What came of one file.
  enum Outcome: Sendable {
    case rendered(FileRun.Result, seconds: Double)
    /// The output was whole before.
    case skipped
    case failed(String)
  }

  /// One file. What is nil was not found out.
  struct Line: Encodable {
    var input: String
    var output: String
    /// Whether the output was whole before.
    var skipped: Bool?
    var frames, rate, channels: Int?
    /// The largest magnitude; full scale is 1.
    var peak: Float?
    var clipped, nonFinite: Int?
    /// How long it took.
    var seconds: Double?
    var error: String?

    init(input: String, output: String, _ outcome: Outcome) {
      self.input = printablePath(input)
      self.output = printablePath(output)
      switch outcome {
      case .rendered(let result, let seconds):
        (frames, rate, channels) = (result.frames, result.sampleRate, result.channels)
        (peak, clipped, nonFinite) = (result.peak, result.clipped, result.nonFinite)
        self.seconds = (seconds * 1e6).rounded() / 1e6
      case .skipped: skipped = true
      case .failed(let reason): error = reason
      }
    }
  }

  let path: String
  private let replaces: Bool

  /// Nil where nobody asked for a report.
  init?(_ arguments: Arguments) throws(Failure) {
    guard let path = arguments.value(of: .report) else { return nil }
    guard !path.isEmpty else { throw Failure.usage("--report is empty; name a file") }
    self.path = path
    // Going on with a run replaces what it said before.
    replaces = arguments.has(.force) || arguments.has(.resume)
  }

  /// Throws where the report could not be written in the end.
  func check() throws(AudioFileError) { try TextFile.check(path, replaceExisting: replaces) }

  /// - Parameter lines: made one after the other; those of many files would take much memory at once.
  func write(_ lines: some Sequence<Line>, model: String) throws {
    let begin = "{\n  \"model\": \(Self.text(printablePath(model))),\n  \"files\": ["
    let files = lines.lazy.enumerated().map { index, line in
      (index > 0 ? ",\n    " : "\n    ") + Self.text(line)
    }
    let parts = [AnySequence([begin]), AnySequence(files), AnySequence(["\n  ]\n}\n"])].lazy.joined()
    try TextFile.write(parts, to: path, replaceExisting: replaces, pending: Interruption.pending)
  }

  /// Encoding numbers and texts cannot fail.
  private static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: (try? encoder.encode(value)) ?? Data("null".utf8), as: UTF8.self)
  }
}
