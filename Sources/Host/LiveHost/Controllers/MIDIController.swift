// SPDX-License-Identifier: Apache-2.0

/// A controller, on one channel or on any.
///
///     21      any channel      1:21      channel 1
struct MIDIController: Hashable {
  /// 1 to 16; nil for any.
  let channel: Int?
  let number: Int

  /// Controllers from 120 on are messages to a device as a whole.
  static let numbers = 0...119
  static let channels = 1...16

  init(channel: Int?, number: Int) { (self.channel, self.number) = (channel, number) }

  /// Reads `21` or `1:21`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard let last = parts.last, let number = last, Self.numbers.contains(number) else { return nil }
    switch parts.count {
    case 1: self.init(channel: nil, number: number)
    case 2:
      guard let channel = parts[0], Self.channels.contains(channel) else { return nil }
      self.init(channel: channel, number: number)
    case _: return nil
    }
  }

  /// The name in the view: `CC 21`, or `CC 1:21`.
  var label: String { "CC " + (channel.map { "\($0):" } ?? "") + "\(number)" }
}
