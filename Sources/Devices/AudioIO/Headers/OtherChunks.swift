// SPDX-License-Identifier: Apache-2.0

/// The names of what CAF and AIFF files have beside their sound and libsndfile does not hand over.
///
///     caff … desc, chan, data                   the sound
///            info  title=…, composer=…          composer
///            midi                               midi
///     FORM … AIFF, COMM, SSND, NAME, MARK       MARK
enum OtherChunks {
  private static let sound: Set<String> = [
    "desc", "data", "pakt", "kuki", "chan", "free", "peak", "ldsc",
    "FVER", "COMM", "SSND", "PEAK", "CHAN", "FLLR", "NAME", "AUTH", "ANNO", "(c) ", "APPL",
  ]
  /// Texts that libsndfile knows, and those about the file and not about its sound.
  private static let known: Set<String> = [
    "title", "comment", "comments", "copyright", "album", "artist", "genre", "date", "tracknumber",
    "software", "license", "encoder", "encoding application", "approximate duration in seconds",
  ]
  /// More texts than that are not looked at.
  private static let mostBytes = 1 << 20

  static func ofCAF(descriptor: Int32, size: Int) throws(SoundFile.Refusal) -> [String] {
    try names(descriptor, size, from: 8, head: 12) { head in
      guard let name = head.text(0, 4), let length = head.big(4, 8) else { return nil }
      return (name, length)
    }
  }

  static func ofAIFF(descriptor: Int32, size: Int) throws(SoundFile.Refusal) -> [String] {
    try names(descriptor, size, from: 12, head: 8) { head in
      guard let name = head.text(0, 4), let length = head.big(4, 4) else { return nil }
      return (name, length + length % 2)
    }
  }

  private static func names(
    _ descriptor: Int32, _ size: Int, from begin: Int, head: Int,
    _ read: (FilePart) -> (name: String, length: Int)?
  ) throws(SoundFile.Refusal) -> [String] {
    var names: [String] = []
    var place = begin
    var parts = PartCount()
    while place < size, let (name, length) = read(FilePart(descriptor, at: place, count: head)) {
      try parts.take()
      place += head
      guard (0...size - min(size, place)).contains(length) else { break }
      if name == "info" {
        names += texts(FilePart(descriptor, at: place, count: min(length, mostBytes)))
      } else if !sound.contains(name) {
        names.append(name.filter { $0 != " " })
      }
      place += length
    }
    return names
  }

  /// The names of texts in pairs, each of which ends with a zero.
  private static func texts(_ part: FilePart) -> [String] {
    let words = part.bytes.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)
    return stride(from: 0, to: words.count - 1, by: 2).map {
      String(decoding: words[words.startIndex + $0], as: UTF8.self)
    }
    .filter { !known.contains($0.lowercased()) }
  }
}
