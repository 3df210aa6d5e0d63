// SPDX-License-Identifier: Apache-2.0

/// The chunk of a WAV file that says how its samples are stored.
///
///     fmt <16> … 32 bits   →   fmt <18> … 32 bits, 0
///
/// Of what is not integers it has to say how long the rest of itself is, though there is none: libsndfile leaves that
/// out. (Multiple channel audio data and WAVE files, Microsoft, 2007.)
enum WaveFormatChunk {
  /// The beginning of a file with the longer form; other beginnings are left as they are.
  static func extended(_ beginning: [UInt8]) -> [UInt8] {
    let short = Array("WAVEfmt ".utf8) + [16, 0, 0, 0]
    guard beginning.count >= 36, beginning[8..<20].elementsEqual(short) else { return beginning }
    let size = beginning[4..<8].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    var bytes = beginning
    bytes.insert(contentsOf: [0, 0], at: 36)
    bytes[16] = 18
    // A stream's size stays open.
    let grown = size == .max ? size : size &+ 2
    bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: grown >> (8 * $0)) })
    return bytes
  }
}
