// SPDX-License-Identifier: Apache-2.0

/// The control sequences before the first picture and after the last one.
///
/// It changes to its second screen, so that what stood there before stands there afterwards; hides the cursor; cuts
/// long lines instead of breaking them; and says where pasted text begins and ends.
package enum TerminalSequences {
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
  /// Undoes it, whatever was being written; also where nothing was entered it does no harm.
  package static let leave = "\u{1B}[?2026l\u{1B}[m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// A picture that a terminal shows at once where it can; others do not know the words and pass over them.
  package static func whole(_ bytes: [UInt8]) -> [UInt8] {
    bytes.isEmpty ? [] : Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8)
  }
}
