// SPDX-License-Identifier: Apache-2.0

/// The chunk of a WAV file that says how its samples are stored.
///
///     fmt <16> … 32 bits   →   fmt <18> … 32 bits, 0
///
/// Of what is not integers it has to say how long the rest of itself is, though there is none: libsndfile leaves that
/// out. For RF64, and what may become that, it writes the longest form, and makes up speakers of which nobody spoke.
/// (Multiple channel audio data and WAVE files, Microsoft, 2007.)
enum WaveFormatChunk {
  /// The beginning of a file whose channels are meant for no speakers; of two channels and fewer there is no other way.
  static func withoutSpeakers(_ beginning: [UInt8]) -> [UInt8] {
    let part = FilePart(bytes: beginning)
    var place = 12
    while let name = part.text(place, 4), let size = part.little(place + 4, 4) {
      if name == "fmt " {
        guard part.little(place + 8, 2) == 0xFFFE, let channels = part.little(place + 10, 2), channels > 2,
          part.little(place + 28, 4) != nil
        else { break }
        var bytes = beginning
        bytes.replaceSubrange(place + 28..<place + 32, with: [0, 0, 0, 0])
        return bytes
      }
      place += 8 + size + size % 2
    }
    return beginning
  }

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
