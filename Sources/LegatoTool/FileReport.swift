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
  /// One file. What is nil was not found out.
  struct Line: Encodable, Sendable {
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

    init(input: String, output: String) {
      self.input = printablePath(input)
      self.output = printablePath(output)
    }

    mutating func note(_ result: FileRun.Result, seconds: Double) {
      (frames, rate, channels) = (result.frames, result.sampleRate, result.channels)
      (peak, clipped, nonFinite) = (result.peak, result.clipped, result.nonFinite)
      self.seconds = (seconds * 1e6).rounded() / 1e6
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

  func write(_ lines: [Line], model: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    var report = "{\n  \"model\": \(try text(printablePath(model))),\n  \"files\": ["
    for (index, line) in lines.enumerated() {
      report += (index > 0 ? "," : "") + "\n    " + (try text(line))
    }
    report += "\n  ]\n}\n"
    try TextFile.write(report, to: path, replaceExisting: replaces, pending: Interruption.pending)
  }
}
