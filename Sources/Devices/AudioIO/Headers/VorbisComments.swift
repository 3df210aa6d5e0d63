// SPDX-License-Identifier: Apache-2.0

/// The comments of FLAC and Ogg files: texts with names of any kind.
///
///     TITLE=…       libsndfile hands it over, the first one
///     COMPOSER=…    kept from FLAC or Ogg to FLAC
///     REPLAYGAIN_…  true of the input only
///     WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x3F    the speakers
struct VorbisComments {
  static let maskName = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"
  /// The comments that libsndfile knows.
  private static let known: Set<String> = [
    "TITLE", "COPYRIGHT", "SOFTWARE", "ARTIST", "COMMENT", "DATE", "ALBUM", "LICENSE", "TRACKNUMBER", "GENRE",
  ]

  private(set) var mask: UInt32?
  /// libsndfile has the first of each.
  private var seen: Set<String> = []

  /// Takes over what stands in a block.
  ///
  /// - Parameter ignoring: names of comments about the file and not about its sound.
  mutating func move(from block: FilePart, to extras: inout FileExtras, ignoring: Set<String> = []) {
    for comment in Self.texts(block) {
      let name = comment.prefix { $0 != "=" }.uppercased()
      if name == Self.maskName {
        let number = comment.dropFirst(name.count + 1)
        mask = UInt32(number.hasPrefix("0x") ? String(number.dropFirst(2)) : String(number), radix: 16)
      } else if name.hasPrefix("REPLAYGAIN_") || name.hasPrefix("R128_") {
        extras.lost.append("ReplayGain")
      } else if !ignoring.contains(name), !Self.known.contains(name) || !seen.insert(name).inserted {
        extras.comments.append(comment)
      }
    }
  }

  private static func texts(_ block: FilePart) -> [String] {
    guard let vendor = block.little(0, 4), let count = block.little(4 + vendor, 4) else { return [] }
    var texts: [String] = []
    var place = 8 + vendor
    for _ in 0..<count {
      guard let size = block.little(place, 4), let text = block.text(place + 4, size) else { break }
      texts.append(text)
      place += 4 + size
    }
    return texts
  }
}
