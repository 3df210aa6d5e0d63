// SPDX-License-Identifier: Apache-2.0

/// The beginning of a WAV file, up to its first sample, and whether it knows how long the sound is.
///
///     RIFF <FFFFFFFF> WAVE fmt … data <FFFFFFFF>    a stream: whoever wrote it could not go back
///     RIFF <0> WAVE fmt … data <0>                  a recorder that was killed
///     RF64 … ds64 <0> <0> … data <FFFFFFFF>         the same, for sound that may grow beyond 4 GiB
///
/// Sizes of 32 bits end a sound at 4 GiB, whatever follows. Told in the words of RF64, with sizes of 64 bits, it is
/// read to its end. (EBU Tech 3306; ITU-R BS.2088 for BW64.)
struct WaveHeader {
  /// How many bytes stand before the first sample.
  private(set) var count = 12
  /// The bytes of samples that the header says; nil where it does not know.
  private(set) var dataBytes: Int?
  /// The end of all that the header counts in, behind the sound or at its end; nil where it does not know.
  private(set) var end: Int?
  /// Whether the sizes are those of a file that was never finished, and not of a stream.
  private(set) var isUnfinished = false
  /// Whether bytes that are no chunk stand behind the sound, and are counted in: the size of the sound is wrong.
  private(set) var isFollowedBySound = false
  /// Whether libsndfile knows the header as it is.
  let isKnown: Bool
  /// Whether it is RF64, or BW64, which is the same by another name.
  let isLong: Bool
  /// The chunks before the samples, without those that say sizes.
  private var chunks: [UInt8] = []

  /// More chunks than these before the samples are no stream's.
  private static let mostBytes = 1 << 26

  /// Reads the first bytes; nil where they begin no WAV file, or hold more than a header does.
  ///
  /// - Throws: a refusal of more chunks than any sound has.
  init?(_ bytes: SoundBytes) throws(SoundFile.Refusal) {
    let head = bytes.read(12)
    guard head.count == 12, head[8...].elementsEqual("WAVE".utf8) else { return nil }
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    guard ["RIFF", "RF64", "BW64"].contains(name) else { return nil }
    isLong = name != "RIFF"
    isKnown = name != "BW64"
    var whole = Self.number(head[4..<8])
    var longData: Int?
    var parts = PartCount()
    while true {
      try parts.take()
      let chunk = bytes.read(8)
      guard chunk.count == 8 else { return nil }
      let (name, size) = (String(decoding: chunk[..<4], as: UTF8.self), Self.number(chunk[4...]))
      count += 8
      if name == "data" {
        try settle(longData.flatMap { size == 0xFFFF_FFFF ? $0 : nil } ?? size, in: whole, bytes)
        return
      }
      let padded = size + size % 2
      guard count + padded <= Self.mostBytes else { return nil }
      count += padded
      switch name {
      case "ds64":
        let sizes = bytes.read(padded)
        guard sizes.count == padded, padded >= 16 else { return nil }
        (whole, longData) = (Self.number(sizes[..<8]), Self.number(sizes[8..<16]))
      // The number of frames, and room for what was never written.
      case "fact", "JUNK", "PAD ", "FLLR": bytes.skip(padded)
      case _:
        let content = bytes.read(padded)
        guard content.count == padded else { return nil }
        chunks += chunk + content
      }
    }
  }

  /// - Parameters:
  ///   - size: what is said of the samples.
  ///   - whole: what is said of all that follows itself.
  private mutating func settle(
    _ size: Int, in whole: Int, _ bytes: SoundBytes
  ) throws(SoundFile.Refusal) {
    if size == 0 {
      // An empty sound is counted in, and so are other chunks behind it. A header that ends where its file does says
      // the same of a sound without a frame and of one that a killed recorder has begun: the file's end tells.
      let isCounted = whole + 8 > count && !Self.isOpen(whole)
      let isEmpty = isCounted ? try Self.areChunks(bytes, from: count, to: whole + 8) : false
      isUnfinished = !isEmpty
      dataBytes = isEmpty ? 0 : nil
    } else if size == 0xFFFF_FFFF || size == SoundBytes.endless {
      dataBytes = nil
    } else if AnnouncedSize.isOpen(size) {
      // Few files are as long as that by themselves.
      dataBytes = bytes.isPipe || bytes.length > count + size + 0x1_0000 ? nil : size
    } else {
      dataBytes = size
    }
    if let dataBytes, !bytes.isPipe, !Self.isOpen(whole) {
      let behind = count + dataBytes + dataBytes % 2
      isFollowedBySound = try !Self.areChunks(bytes, from: behind, to: min(whole + 8, bytes.length))
    }
    end = dataBytes.map { max(count + $0, Self.isOpen(whole) ? 0 : whole + 8) }
  }

  /// Whether chunks stand from a place to another; of a pipe, whether one begins there.
  private static func areChunks(
    _ bytes: SoundBytes, from begin: Int, to end: Int
  ) throws(SoundFile.Refusal) -> Bool {
    var place = begin
    var parts = PartCount()
    while place + 8 <= end {
      try parts.take()
      if !bytes.isPipe { bytes.go(to: place) }
      let head = bytes.read(8)
      guard head.count == 8, head[..<4].allSatisfy({ (0x20...0x7E).contains($0) }) else {
        return head.isEmpty
      }
      if bytes.isPipe { return true }
      let size = number(head[4...])
      place += 8 + size + size % 2
    }
    return place <= end + 1
  }

  /// Whether RF64 says the same: not of what is compressed, whose sizes libsndfile finds out by itself.
  var canBeLong: Bool {
    var place = 0
    while place + 10 <= chunks.count {
      let size = Self.number(chunks[place + 4..<place + 8])
      if chunks[place..<place + 4].elementsEqual("fmt ".utf8) {
        // Integers, floats, A-law and µ-law; or an extended header, which says one of them.
        return [1, 3, 6, 7, 0xFFFE].contains(Self.number(chunks[place + 8..<place + 10]))
      }
      place += 8 + size + size % 2
    }
    return true
  }

  private static func isOpen(_ size: Int) -> Bool { size == SoundBytes.endless || AnnouncedSize.isOpen(size) }

  /// The chunks before the samples.
  var extras: FileExtras {
    WaveChunks.extras(size: 12 + chunks.count) { place, count in
      FilePart(bytes: Array(chunks.dropFirst(place - 12).prefix(count)))
    }
  }

  /// The same header with sizes of 64 bits.
  func told(dataBytes: Int) -> [UInt8] {
    let sizes =
      Self.bytes(chunks.count + dataBytes + 48, 8) + Self.bytes(dataBytes, 8) + Self.bytes(0, 8)
      + Self.bytes(0, 4)
    return Array("RF64".utf8) + Self.bytes(0xFFFF_FFFF, 4) + Array("WAVEds64".utf8) + Self.bytes(28, 4)
      + sizes
      + chunks + Array("data".utf8) + Self.bytes(0xFFFF_FFFF, 4)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    let value = bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    // More is what nobody means.
    return min(Int(clamping: value), SoundBytes.endless)
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
