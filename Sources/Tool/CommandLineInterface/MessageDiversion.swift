// SPDX-License-Identifier: Apache-2.0

/// Keeps messages while the terminal shows something else; they are written once it does no more.
package final class MessageDiversion {
  /// Sees each line as it comes; nil where lines are written at once.
  package var show: ((String) -> Void)?
  package init() {}

  private var kept: [String] = []

  /// The most lines; of more, the first and the last tell most.
  private static let most = 1000

  /// Takes a line; false where it is to be written.
  package func take(_ line: String) -> Bool {
    guard let show else { return false }
    kept.append(line)
    if kept.count > Self.most { kept.remove(at: Self.most / 2) }
    show(line)
    return true
  }

  /// Ends the diversion, and hands out what it kept.
  package func end() -> [String] {
    show = nil
    defer { kept = [] }
    return kept
  }
}
