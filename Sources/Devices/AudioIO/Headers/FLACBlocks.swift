// SPDX-License-Identifier: Apache-2.0

/// The blocks of metadata at the beginning of a FLAC file. (RFC 9639, section 8.)
///
///     fLaC │ stream │ comments │ picture, last │ frames …
///
/// libsndfile reads and writes ten comments; others, and other blocks, are taken from the bytes, and put there.
enum FLACBlocks {
  private static let comments: UInt8 = 4
  /// Application data, a cue sheet, pictures.
  private static let copied: Set<UInt8> = [2, 5, 6]
  /// The most bytes of all blocks that are copied: one may have as many.
  private static let mostBytes = 1 << 24

  /// The parts that a file holds beside its sound, and the mask of its speakers, where it says one.
  ///
  /// - Parameter read: gives the bytes at a place, fewer at the end.
  static func extras(
    _ read: (_ place: Int, _ count: Int) -> FilePart
  ) throws(SoundFile.Refusal) -> (extras: FileExtras, mask: UInt32?) {
    var extras = FileExtras()
    var found = VorbisComments()
    guard read(0, 4).text(0, 4) == "fLaC" else {
      // A tag of another format stands before it.
      extras.lost.append("comments")
      return (extras, nil)
    }
    var place = 4
    var room = mostBytes
    var parts = PartCount()
    while let head = read(place, 4).big(0, 4) {
      try parts.take()
      let (kind, count) = (UInt8(head >> 24 & 0x7F), head & 0xFF_FFFF)
      if kind == comments {
        found.move(from: read(place + 4, count), to: &extras)
      } else if copied.contains(kind) {
        let isKept = count <= room
        let block = FileExtras.Block(kind: kind, bytes: isKept ? read(place + 4, count).bytes : [])
        if isKept { extras.blocks.append(block) } else { extras.lost.append(block.name) }
        room -= isKept ? count : 0
      }
      place += 4 + count
      if head >> 31 & 1 == 1 { break }
    }
    try FLACFrameHead.check(read(place, 16), against: read(8, 34))
    return (extras, found.mask)
  }

  /// The beginning of a file told so that its sound may have a frame more than it announces, and the frames announced.
  ///
  /// libsndfile reads no further than is announced, and does not say whether more is there. Nil where nothing is
  /// announced, or this is no beginning of a file.
  static func told(_ beginning: [UInt8]) -> (bytes: [UInt8], frames: Int)? {
    let part = FilePart(bytes: beginning)
    // The stream's own block is the first one; the last 36 bits of these are its frames.
    guard part.text(0, 4) == "fLaC", part.big(4, 4).map({ $0 & 0x7FFF_FFFF }) == 34,
      let rest = part.big(21, 5)
    else { return nil }
    let frames = rest & 0xF_FFFF_FFFF
    guard frames > 0, frames < 0xF_FFFF_FFFF else { return nil }
    let more = (0..<5).reversed().map { UInt8(truncatingIfNeeded: (rest + 1) >> (8 * $0)) }
    return (beginning[..<21] + more + beginning[26...], frames)
  }

  /// The beginning of a file that libsndfile has written, with more comments and blocks.
  static func added(_ extras: FileExtras, mask: UInt32?, to beginning: [UInt8]) -> [UInt8] {
    guard beginning.starts(with: "fLaC".utf8) else { return beginning }
    let more =
      extras.comments
      + (mask.map { ["\(VorbisComments.maskName)=0x" + String($0, radix: 16, uppercase: true)] } ?? [])
    var written = Array(beginning.prefix(4))
    var place = 4
    while place + 4 <= beginning.count {
      let kind = beginning[place] & 0x7F
      let isLast = beginning[place] & 0x80 != 0
      let count = beginning[place + 1..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard place + 4 + count <= beginning.count else { return beginning }
      let bytes = Array(beginning[place + 4..<place + 4 + count])
      let block = kind == comments ? Self.added(more, to: bytes) : bytes
      let follows = !isLast || !extras.blocks.isEmpty
      written += header(kind, block.count, isLast: !follows) + block
      place += 4 + count
      if isLast { break }
    }
    for (index, block) in extras.blocks.enumerated() {
      written += header(block.kind, block.bytes.count, isLast: index == extras.blocks.count - 1) + block.bytes
    }
    return written + beginning[place...]
  }

  private static func added(_ comments: [String], to block: [UInt8]) -> [UInt8] {
    func little(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
    func bytes(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    guard block.count >= 8 else { return block }
    let place = 4 + little(block[..<4])
    guard place + 4 <= block.count else { return block }
    let count = little(block[place..<place + 4]) + comments.count
    let more = comments.flatMap { bytes($0.utf8.count) + Array($0.utf8) }
    // A block says its size in 24 bits.
    guard block.count + more.count < 1 << 24 else { return block }
    return block[..<place] + bytes(count) + block[(place + 4)...] + more
  }

  private static func header(_ kind: UInt8, _ count: Int, isLast: Bool) -> [UInt8] {
    [kind | (isLast ? 0x80 : 0)] + [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
  }
}
