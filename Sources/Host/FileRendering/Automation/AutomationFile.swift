// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// The points of an automation file, a row for each, before they are matched with a model.
///
///     seconds, parameter, value
///     0,       drive,     -6dB
///     2.5,     drive,     6dB                 a line from the point before, as the parameter's scale is
///     3s,      2.time,    250ms, step         holds what was before, and jumps
///     4s,      cutoff,    8kHz,  exponential  as much of a factor in each frame; or linear, or smooth
public struct AutomationFile: Sendable {
  public let path: String
  let lines: [Substring]

  private static let maximumBytes = 64 << 20

  /// - Throws: `RenderingError.points` where it is no text file.
  public init(contentsOf path: String) throws(RenderingError) {
    func refuse(_ reason: String) -> RenderingError { .points(["\(path): \(reason)"]) }
    let bytes: [UInt8]
    do throws(AudioFileError) {
      bytes = try FileBytes.read(path, most: Self.maximumBytes + 1)
    } catch {
      throw refuse(error.problem == .isFolder ? "is a folder, not a file of points" : error.problem.sentence)
    }
    guard bytes.count <= Self.maximumBytes else {
      throw refuse("has more than \(Self.maximumBytes) bytes, which are the most")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw refuse("is not UTF-8 text") }
    self.path = path
    let body = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    lines = body.split(omittingEmptySubsequences: false) { $0.isNewline }
  }

  /// The automated parameters, as the second column names them, each once.
  public var parameters: [String] {
    var known: Set<String> = []
    return lines.compactMap { line in
      let fields = line.prefix { $0 != "#" }.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > 1, known.insert(fields[1].trimmed).inserted else { return nil }
      return fields[1].trimmed
    }
  }
}

extension Substring {
  /// Without the space around it.
  var trimmed: String {
    var field = self
    while field.first?.isWhitespace == true { field.removeFirst() }
    while field.last?.isWhitespace == true { field.removeLast() }
    return String(field)
  }
}
