// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

extension Option {
  static let raw = Option(
    "raw", value: "RATE:CHANNELS",
    "- is sound without a header: interleaved little-endian 32-bit floats, such as 48000:2")
}

extension RawFormat {
  /// What `--raw` says; nil where it is not given.
  init?(_ arguments: Arguments) throws(Failure) {
    guard let text = arguments.value(of: .raw) else { return nil }
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let rate = numbers[0], let channels = numbers[1],
      (1...16_000_000).contains(rate), (1...1024).contains(channels)
    else {
      throw .usage(
        "--raw takes RATE:CHANNELS, with up to 16000000 Hz and 1024 channels, such as 48000:2, not \(quoted(text))"
      )
    }
    self.init(sampleRate: rate, channels: channels)
  }
}
