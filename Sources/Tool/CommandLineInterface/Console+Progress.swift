// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GraphIR
internal import Synchronization

/// A line at the bottom of the terminal that says what is being done, written over and over.
extension Console {
  /// Shows a line in the place of the last one; nothing where messages go elsewhere, or only errors were asked for.
  package func progress(_ line: String) {
    guard showsProgress else { return }
    Interruption.lineIsOpen.store(true, ordering: .relaxed)
    writeMessage("\r" + printable(line, limit: width - 1) + Self.restOfLine)
  }

  /// Takes the line away, before something else is said.
  package func endProgress() {
    guard Interruption.lineIsOpen.exchange(false, ordering: .relaxed) else { return }
    writeMessage("\r" + Self.restOfLine)
  }

  /// Wipes what stands behind.
  private static let restOfLine = "\u{1B}[K"

  private var showsProgress: Bool {
    let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) == "dumb" } ?? false
    return !isQuiet && !isDumb && isatty(STDERR_FILENO) == 1
  }

  /// Columns of the terminal.
  private var width: Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }
}
