// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A look at all pages of an Ogg file, whether they are what they were written as: it is read from end to end.
///
///     OggS … │ OggS … │ OggS, last …     whole
///     OggS … │ OggS … │ OggS …           the last page is missing
///     OggS … │ O?gS … │ OggS, last …     damaged, as the page's checksum says
///     OggS … │ OggS … │ OggS,            damaged: cut within a page
///
/// libsndfile passes over a damaged page, and takes what is left for the whole. A recording of a stream may lack pages
/// with reason, at its beginning as at its end, so that this is worth a notice and no more. (RFC 3533, section 6.)
struct OggPages {
  /// The first fault; nil where no byte was changed, and none cut off.
  private(set) var damage: String?
  /// The first place, in bytes, before which pages are missing; nil where none are.
  private(set) var gap: Int?
  /// Whether each stream's last page is marked as such.
  private(set) var isEnded = true

  private static let headBytes = 27
  /// The longest that a page can be: its head, 255 sizes, and as many segments of 255 bytes.
  private static let longestPage = headBytes + 255 + 255 * 255

  /// - Parameter size: the file's length in bytes.
  init(descriptor: Int32, size: Int) {
    // Some pages at a time.
    var (part, begin) = (FilePart(descriptor, at: 0, count: 1 << 18), 0)
    var place = 0
    /// The number of each stream's next page.
    var next: [Int: Int] = [:]
    while place < size {
      if place + Self.longestPage > begin + part.bytes.count, begin + part.bytes.count < size, begin < place {
        (part, begin) = (FilePart(descriptor, at: place, count: 1 << 18), place)
      }
      let head = place - begin
      guard part.text(head, 4) == "OggS" else {
        // Bytes behind the end, such as a tag of another format, do not count; nor do those before the beginning.
        if place == 0 || next.isEmpty { return }
        damage = "at byte \(place), where a page of it has to begin, something else stands"
        return
      }
      guard let stream = part.little(head + 14, 4), let number = part.little(head + 18, 4),
        let sum = part.little(head + 22, 4), let segments = part.little(head + 26, 1),
        let count = Self.bytes(part, head + Self.headBytes, segments), head + count <= part.bytes.count
      else {
        damage = "it ends within a page"
        return
      }
      guard Self.checksum(part.bytes[head..<head + count]) == UInt32(truncatingIfNeeded: sum) else {
        damage = "the page at byte \(place) is not what its checksum says"
        return
      }
      if let expected = next[stream], expected != number { gap = gap ?? place }
      let isLast = part.bytes[head + 5] & 4 != 0
      next[stream] = isLast ? nil : number + 1
      place += count
    }
    isEnded = next.isEmpty
  }

  /// The bytes of a page with so many segments, whose sizes begin at a place.
  private static func bytes(_ part: FilePart, _ sizes: Int, _ segments: Int) -> Int? {
    guard sizes + segments <= part.bytes.count else { return nil }
    return headBytes + segments + part.bytes[sizes..<sizes + segments].reduce(0) { $0 + Int($1) }
  }

  /// The sum of a page, in which its own place counts as zeros.
  static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    let table = table
    return unsafe page.withUnsafeBufferPointer { bytes in
      var sum: UInt32 = 0
      for index in bytes.indices {
        let byte = unsafe 22..<26 ~= index ? 0 : bytes[index]
        sum = sum << 8 ^ table[Int(sum >> 24) ^ Int(byte)]
      }
      return sum
    }
  }

  /// The share of each byte in a checksum: the remainder by the polynomial 0x04C11DB7.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
  }
}
