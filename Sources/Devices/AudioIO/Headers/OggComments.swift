// SPDX-License-Identifier: Apache-2.0

/// The comments of an Ogg file: the second packet of its first stream.
///
///     OggS │ vorbis …       │ OggS │ ∙vorbis, comments │ …      (Vorbis I, section 5)
///     OggS │ OpusHead …     │ OggS │ OpusTags, comments │ …     (RFC 7845, section 5.2)
///     OggS │ Speex   …      │ OggS │ comments │ …
///
/// libsndfile hands over ten of them.
enum OggComments {
  /// The most bytes that are looked at; a cover may stand among the comments.
  private static let mostBytes = 1 << 22
  /// Names of what the encoder says of itself.
  private static let ignored: Set<String> = ["ENCODER"]
  private static let picture = "METADATA_BLOCK_PICTURE"

  static func extras(descriptor: Int32) -> FileExtras {
    var extras = FileExtras()
    guard let packet = packet(descriptor) else { return extras }
    let marks = ["\u{3}vorbis", "OpusTags"].map { Array($0.utf8) }
    let mark = marks.first { packet.starts(with: $0) }
    var comments = VorbisComments()
    comments.move(
      from: FilePart(bytes: Array(packet.dropFirst(mark?.count ?? 0))), to: &extras, ignoring: ignored)
    let isPicture = { (comment: String) in comment.uppercased().hasPrefix(picture + "=") }
    // In FLAC, a picture has a block of its own.
    if extras.comments.contains(where: isPicture) { extras.lost.append("pictures") }
    extras.comments.removeAll(where: isPicture)
    return extras
  }

  /// The second packet of the first stream; nil where it is not there.
  private static func packet(_ descriptor: Int32) -> [UInt8]? {
    var (place, whole) = (0, 0)
    var packet: [UInt8] = []
    var stream: Int?
    while place < mostBytes {
      // A page's head, and up to 255 sizes of segments.
      let head = FilePart(descriptor, at: place, count: 27 + 255)
      guard head.text(0, 4) == "OggS", let number = head.little(14, 4), let count = head.little(26, 1),
        head.bytes.count >= 27 + count
      else { return nil }
      let sizes = head.bytes[27..<27 + count].map(Int.init)
      var segment = place + 27 + count
      for size in sizes where number == stream ?? number {
        packet += FilePart(descriptor, at: segment, count: size).bytes
        segment += size
        // A packet ends with the first segment that is not full.
        guard size < 255 else { continue }
        whole += 1
        if whole == 2 { return packet }
        packet = []
      }
      stream = stream ?? number
      place += 27 + count + sizes.reduce(0, +)
    }
    return nil
  }
}
