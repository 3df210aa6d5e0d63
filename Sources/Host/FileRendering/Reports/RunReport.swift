// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import Foundation

/// The report of a run as JSON: what came of each file, a line a file.
///
///     { "model": "models/echo.json",
///       "files": [
///         {"channels":2,"clipped":0,"frames":96000,"input":"in/a.wav",…},
///         {"error":"in/b.wav: the file is empty","input":"in/b.wav",…}
///       ] }
///
/// Before `files` stands `"interrupted": true` where a signal ended the run: the files are those that it had done.
///
/// A text holds no name with bytes that are no UTF-8: it is readable then, and the name itself stands beside it, as
/// addresses in the web have such bytes.
///
///     caf<E9>.wav  ─▶  "input": "caf\xE9.wav", "inputBytes": "caf%E9.wav"
package struct RunReport: Sendable {
  /// The outcome of one file.
  package enum Outcome {
    case rendered(BatchRun.Measures)
    /// The output was whole before.
    case skipped
    case failed(String)
  }

  /// One file. What is nil was not found out.
  package struct Line: Encodable {
    /// Nil for what a model makes of itself.
    var input: String?
    /// The name's bytes, where the text cannot hold them.
    var inputBytes: String?
    /// Nil for an input whose output is not known.
    var output: String?
    var outputBytes: String?
    /// Whether the output was whole before.
    var skipped: Bool?
    var frames: Int?
    var rate, channels: Int32?
    /// The largest magnitude; full scale is 1.
    var peak: Float?
    var clipped, nonFinite: Int?
    var outsideDelays: Int?
    /// How long it took.
    var seconds: Double?
    var error: String?

    package init(input: String?, output: String?, _ outcome: Outcome) {
      if let input { (self.input, inputBytes) = RunReport.name(input) }
      if let output { (self.output, outputBytes) = RunReport.name(output) }
      switch outcome {
      case .rendered(let measures):
        (frames, rate, channels) = (measures.frames, measures.sampleRate, measures.channels)
        (peak, clipped, nonFinite) = (measures.peak, measures.clipped, measures.nonFinite)
        outsideDelays = measures.outsideDelays
        seconds = (Double(measures.duration) * 1e6).rounded() / 1e6
      case .skipped: skipped = true
      case .failed(let reason): error = RunReport.name(reason).text
      }
    }
  }

  /// A name, or a sentence with one, as a text holds it, and its bytes where it does not.
  private static func name(_ path: String) -> (text: String, bytes: String?) {
    // JSON escapes what breaks lines; the rest of the control characters would reach a terminal.
    let isText = path.unicodeScalars.allSatisfy {
      PathText.foreignByte($0) == nil && !(0x7F...0x9F).contains($0.value)
    }
    return isText ? (path, nil) : (PathText.printable(path), PathText.percentEncoded(path))
  }

  private let path: String
  private let isForced: Bool
  private let resumes: Bool
  private let pending: PendingFiles?

  /// - Parameters:
  ///   - path: where it goes.
  ///   - replacesExisting: whether it takes the place of any file.
  ///   - resumes: whether it takes the place of another report.
  ///   - pending: where it is noted while it is written.
  package init(_ path: String, replacesExisting: Bool, resumes: Bool, pending: PendingFiles?) {
    (self.path, isForced, self.resumes, self.pending) = (path, replacesExisting, resumes, pending)
  }

  /// Throws where the report could not be written in the end.
  package func check() throws(AudioFileError) { try TextFile.check(path, replaceExisting: replaces) }

  /// Going on with a run replaces what it said before, but nothing else.
  private var replaces: Bool { isForced || resumes && isReport }

  /// Whether what stands in the place begins as a report does.
  private var isReport: Bool {
    guard (try? FileStatus(path: path))?.isFile == true,
      // As much as a path takes where each of its bytes is written as six.
      let beginning = try? FileBytes.read(path, most: 1 << 15)
    else { return false }
    let lines = String(decoding: beginning, as: UTF8.self).split(separator: "\n", maxSplits: 3)
    guard lines.count > 3 else { return false }
    return lines[0] == "{" && lines[1].hasPrefix(Self.modelKey)
      && (lines[2] == Self.filesKey || lines[2] == Self.interruptedLine)
  }

  private static let modelKey = "  \"model\": "
  private static let interruptedLine = "  \"interrupted\": true,"
  private static let filesKey = "  \"files\": ["

  /// - Parameters:
  ///   - isInterrupted: whether the run was, and the report holds what had been done.
  ///   - lines: writes one line after the other; those of many files would take much memory at once. Where it throws,
  ///     there is no report.
  package func write(
    model: String, isInterrupted: Bool = false,
    lines: (_ write: (Line) -> Void) throws(AudioFileError) -> Void
  ) throws(AudioFileError) {
    let file = try TextFile(path, replaceExisting: replaces, pending: pending)
    file.write("{\n\(Self.modelKey)\(Self.text(Self.name(model).text)),\n")
    if isInterrupted { file.write(Self.interruptedLine + "\n") }
    file.write(Self.filesKey)
    var separator = "\n    "
    try lines { line in
      file.write(separator + Self.text(line))
      separator = ",\n    "
    }
    file.write("\n  ]\n}\n")
    try file.commit()
  }

  /// Encoding numbers and texts cannot fail.
  private static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: (try? encoder.encode(value)) ?? Data("null".utf8), as: UTF8.self)
  }
}
