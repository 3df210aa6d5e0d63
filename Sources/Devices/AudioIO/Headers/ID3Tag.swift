// SPDX-License-Identifier: Apache-2.0

/// The tag at the beginning of an MP3 file, with its frames.
///
///     ID3 4 0, <size> │ TIT2 <size> … │ TCOM <size> … │ TXXX <size> foo=… │ frames of sound
///
/// libsndfile hands over nine texts; of the others the names are told. (ID3v2.3, ID3v2.4)
enum ID3Tag {
  /// Those that libsndfile knows, the length in milliseconds, and room for more.
  private static let known: Set<String> = [
    "TIT2", "TPE1", "TALB", "TENC", "TSSE", "TRCK", "TYER", "TDRC", "TCOP", "TCON", "COMM", "TLEN", "SEEK",
  ]
  private static let words = [
    "APIC": "pictures", "TCOM": "composer", "USLT": "lyrics", "SYLT": "lyrics", "RVA2": "ReplayGain",
  ]

  /// The bytes of the tag in front of the sound; 0 where there is none.
  static func bytes(_ head: FilePart) -> Int {
    guard head.text(0, 3) == "ID3" else { return 0 }
    return 10 + short(head.bytes.dropFirst(6).prefix(4))
  }

  /// The names of what a file has that is not handed over.
  static func unknown(descriptor: Int32) throws(SoundFile.Refusal) -> [String] {
    let head = FilePart(descriptor, at: 0, count: 14)
    let end = bytes(head)
    guard end > 0, head.bytes.count == 14, (3...4).contains(head.bytes[3]) else { return [] }
    let isFour = head.bytes[3] == 4
    var place = 10
    // Some say more of themselves first.
    if head.bytes[5] & 0x40 != 0 { place += isFour ? short(head.bytes[10...]) : 4 + (head.big(10, 4) ?? 0) }
    var names: [String] = []
    var parts = PartCount()
    while place + 10 < end {
      try parts.take()
      let frame = FilePart(descriptor, at: place, count: 10 + 64)
      guard let name = frame.text(0, 4), frame.bytes[0] != 0, let size = frame.big(4, 4) else { break }
      let count = isFour ? short(frame.bytes[4..<8]) : size
      if name == "TXXX" {
        let text = title(frame.bytes.dropFirst(10).prefix(count))
        names.append(text.uppercased().hasPrefix("REPLAYGAIN_") ? "ReplayGain" : text)
      } else if !known.contains(name) {
        names.append(words[name] ?? name)
      }
      place += 10 + count
    }
    return names
  }

  /// The name of a text of any kind: it stands before the text, with the number of its encoding.
  private static func title(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.dropFirst()
    switch bytes.first {
    case 0, 3: return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    // Two bytes for each unit, and a mark of their order. Names are mostly plain.
    case _:
      let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).prefix {
        text[$0] != 0 || text[$0 + 1] != 0
      }
      return String(
        decoding: units.map { max(text[$0], text[$0 + 1]) }.filter { (0x20..<0x7F).contains($0) },
        as: UTF8.self)
    }
  }

  /// A number with 7 bits in each byte.
  private static func short(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }
}
