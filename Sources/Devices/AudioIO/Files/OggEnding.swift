// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether an Ogg file ends as it was meant to: with a whole page that is marked as its stream's last.
///
///     OggS … │ OggS … │ OggS, last … │     whole
///     OggS … │ OggS … │ OggS … │           the last page is missing
///     OggS … │ OggS … │ OggS,              cut within a page
///
/// An Ogg file says nowhere how long it is, and libsndfile takes what there is for the whole. A recording of a stream
/// may lack its last page with reason, so that this is worth a notice and no more. (RFC 3533, section 6.)
enum OggEnding {
  /// The longest that a page can be: its head, 255 sizes, and as many segments of 255 bytes.
  private static let longestPage = headBytes + 255 + 255 * 255
  private static let headBytes = 27
  private static let isLast: UInt8 = 4

  /// - Parameter size: the file's length in bytes.
  static func isWhole(descriptor: Int32, size: Int) -> Bool {
    let start = max(0, size - longestPage)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(start))
    }
    return count == bytes.count && isWhole(bytes)
  }

  /// Whether the stream's last page is whole; bytes behind it, such as a tag of another format, do not count.
  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    let capture = Array("OggS".utf8)
    guard
      let page = bytes.indices.last(where: { bytes[$0] == capture[0] && bytes[$0...].starts(with: capture) }),
      page + headBytes <= bytes.count
    else { return false }
    let sizes = bytes[(page + headBytes)...].prefix(Int(bytes[page + 26]))
    let end = page + headBytes + Int(bytes[page + 26]) + sizes.reduce(0) { $0 + Int($1) }
    return end <= bytes.count && bytes[page + 5] & isLast != 0
  }
}
