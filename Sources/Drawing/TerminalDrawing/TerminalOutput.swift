// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The way of pictures to a terminal that may take them slowly, or not at all: nobody waits for it.
///
///     picture ─▶ what the terminal takes now ─▶ the rest, at the next look ─▶ …
///                                               until all of it is there, no other picture is sent
///
/// No picture is cut, so that the next one can be drawn as what differs from it.
package struct TerminalOutput {
  private var rest: ArraySlice<UInt8> = []

  package init() {}

  /// Sends what is left; true where nothing is.
  package mutating func isClear() -> Bool {
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe TerminalState.write($0) }
      // A terminal that is gone says so to whoever reads from it.
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends a picture, or its beginning.
  package mutating func send(_ picture: [UInt8]) {
    rest += picture
    _ = isClear()
  }
}
