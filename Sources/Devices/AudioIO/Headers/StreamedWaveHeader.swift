// SPDX-License-Identifier: Apache-2.0

/// A WAV header for a stream, in which the sizes cannot be filled in afterwards.
///
///     RIFF <size> WAVE … data <size>   →   RIFF <FFFFFFFF> WAVE … data <FFFFFFFF>
///
/// Readers take such sizes as "until the end"; the sizes of the first frames alone, which libsndfile leaves,
/// would end the sound there.
enum StreamedWaveHeader {
  /// The beginning of a file with open sizes; other files than WAV are left as they are.
  static func opened(_ beginning: [UInt8]) -> [UInt8] {
    guard beginning.count >= 12, beginning.prefix(4).elementsEqual("RIFF".utf8) else { return beginning }
    var bytes = beginning
    bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    var chunk = 12
    while chunk + 8 <= bytes.count {
      if bytes[chunk..<chunk + 4].elementsEqual("data".utf8) {
        bytes.replaceSubrange(chunk + 4..<chunk + 8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        return bytes
      }
      let size = (0..<4).reduce(0) { $0 | Int(bytes[chunk + 4 + $1]) << (8 * $1) }
      chunk += 8 + size + size % 2
    }
    return bytes
  }
}
