// SPDX-License-Identifier: Apache-2.0

/// A picture of dots with at most 256 colours, as a PNG file that a document holds within itself.
///
/// Nothing is compressed: the dots stand in stored blocks, as RFC 1951 has them, so that no library is needed.
package struct PixelImage: Sendable {
  package let width, height: Int
  /// Red, green and blue, for each of 256 numbers.
  private let palette: [UInt8]
  /// A number for each dot, row by row from the top.
  private let dots: [UInt8]

  /// - Parameters:
  ///   - dots: as many as width times height, at least one.
  ///   - palette: red, green and blue for each of 256 numbers.
  package init(width: Int, dots: [UInt8], palette: [(red: UInt8, green: UInt8, blue: UInt8)]) {
    precondition(width > 0 && !dots.isEmpty && dots.count % width == 0, "dots are whole rows")
    precondition(palette.count == 256, "each number has a colour")
    (self.width, height, self.dots) = (width, dots.count / width, dots)
    self.palette = palette.flatMap { [$0.red, $0.green, $0.blue] }
  }

  /// The PNG file.
  package var png: [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity(dots.count + height)
    for row in 0..<height {
      // Before each row stands how it was filtered: not at all.
      rows.append(0)
      rows += dots[row * width..<(row + 1) * width]
    }
    let header = Self.word(UInt32(width)) + Self.word(UInt32(height)) + [8, 3, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + Self.chunk("IHDR", header) + Self.chunk("PLTE", palette)
      + Self.chunk("IDAT", Self.stored(rows)) + Self.chunk("IEND", [])
  }

  /// The file as an address that holds it.
  var address: String { "data:image/png;base64," + Self.base64(png) }

  private static func word(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return word(UInt32(content.count)) + named + word(checksum(named))
  }

  /// A stream of zlib, of blocks of at most 65,535 bytes.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var (stream, start): ([UInt8], Int) = ([0x78, 0x01], 0)
    repeat {
      let count = min(65_535, bytes.count - start)
      let isLast: UInt8 = start + count == bytes.count ? 1 : 0
      let (low, high) = (UInt8(count & 0xFF), UInt8(count >> 8))
      stream += [isLast, low, high, ~low, ~high] + bytes[start..<start + count]
      start += count
    } while start < bytes.count
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + word(b << 16 | a)
  }

  /// The remainders of bytes by the polynomial of CRC-32.
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { remainders[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        text.append(
          place <= group.count ? letters[Int(bits >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
