// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// The rows of a file of points, before it is known what they mean.
struct AutomationText {
  let path: String
  let lines: [Substring]

  private static let maximumBytes = 64 << 20

  /// - Throws: `Failure.faults` where it is no text file.
  init(_ path: String) throws(Failure) {
    func refuse(_ reason: String) -> Failure { .faults(["\(path): \(reason)"]) }
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

  /// What the second column says, each once.
  var parameters: [String] {
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
