// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc

/// The output of a command: results go to the standard output, messages to the standard error.
package struct Console {
  package let isQuiet: Bool
  /// Whether results go to a file, where headings are plain whatever the standard output is.
  package var isPlain = false
  /// Takes messages while the terminal shows something else.
  package var diversion: MessageDiversion?

  package init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// Says what is good to know; not where only errors were asked for.
  package func notice(_ line: String) {
    if !isQuiet { error(line) }
  }

  /// Says in one line why something is not done.
  package func error(_ line: String) {
    let line = PathText.printable(line)
    if diversion?.take(line) == true { return }
    _ = write(line + "\n", to: STDERR_FILENO)
  }

  /// Prints a result.
  package func print(_ text: String) throws(Failure) {
    guard write(text, to: STDOUT_FILENO) else {
      if errno == EPIPE { throw .brokenPipe }
      throw .failed("the standard output cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
  }

  /// Writes to the standard error as it is, where a line need not end.
  package func writeMessage(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// A heading within a result, bold on a terminal unless NO_COLOR asks for plain text.
  package func heading(_ text: String) -> String {
    !isPlain && Self.isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  private static var isColored: Bool {
    func variable(_ name: String) -> String { unsafe getenv(name).map { unsafe String(cString: $0) } ?? "" }
    return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
  }

  private func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = unsafe bytes[...]
      while let start = unsafe UnsafeBufferPointer(rebasing: rest).baseAddress, unsafe !rest.isEmpty {
        let count = unsafe Glibc.write(descriptor, start, rest.count)
        if count >= 0 { unsafe rest = rest.dropFirst(count) } else if errno != EINTR { return false }
      }
      return true
    }
  }
}
