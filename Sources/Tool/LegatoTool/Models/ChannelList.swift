// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Channels that an option such as `--inputs 2,1` names, counted from 0 here and from 1 there.
struct ChannelList {
  let option: Option
  let channels: [Int]

  /// Nil where the option is not given.
  init?(_ option: Option, of arguments: Arguments) throws(Failure) {
    guard let text = arguments.value(of: option) else { return nil }
    self.option = option
    var channels: [Int] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(word), number > 0 else {
        throw .usage("--\(option.name) takes channels counted from 1, such as 1 or 1,2, not \(quoted(text))")
      }
      channels.append(number - 1)
    }
    self.channels = channels
  }

  /// Throws where a channel is none of `count`; `owner` says what has so many.
  func check(count: Int, owner: String) throws(Failure) {
    guard let excess = channels.first(where: { $0 >= count }) else { return }
    throw .usage("--\(option.name): there is no channel \(excess + 1); \(owner) \(count)")
  }
}
