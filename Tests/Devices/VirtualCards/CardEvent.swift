// SPDX-License-Identifier: Apache-2.0

/// A line of a virtual card's log: what the program did, or what befell it.
///
///     playback start 0
///     capture xrun 48000
///     capture open No such device
package struct CardEvent: Equatable, Sendable {
  package var stream: CardStream
  /// The program's action: open, set, prepare, start, stop, resume, close. The event: overrun, underrun, and the faults
  /// of the script by their names.
  package var action: String
  /// Where the stream was.
  package var position: Int?
  /// The rest.
  package var details: String

  package init?(_ line: some StringProtocol) {
    var words = String(line).split(separator: " ")[...]
    guard let stream = words.popFirst().flatMap({ CardStream(rawValue: String($0)) }),
      let action = words.popFirst()
    else { return nil }
    self.stream = stream
    self.action = String(action)
    position = words.first.flatMap { Int($0) }
    if position != nil { words.removeFirst() }
    details = words.joined(separator: " ")
  }
}
