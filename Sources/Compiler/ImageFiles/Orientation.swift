// SPDX-License-Identifier: Apache-2.0

/// How a picture is turned and mirrored before it stands upright, numbered as by EXIF.
///
///     1  F    2  mirrored    3  by 180°    4  mirrored, by 180°
///     5  mirrored, 6  by 90° clockwise    7  mirrored, 8  by 90° counter-clockwise
enum Orientation: UInt16 {
  case upright = 1
  case mirrored, halfTurn, flipped, transposed, quarterTurn, transverse, threeQuarterTurn

  /// Whether rows become columns.
  var swapsAxes: Bool { rawValue >= 5 }

  /// The orientation that EXIF data says; upright where it says none, or cannot be read.
  ///
  /// - Parameter bytes: a TIFF file: its byte order, the place of the first directory, entries of 12 bytes.
  init(exif bytes: ArraySlice<UInt8>) {
    self = Self.read(bytes) ?? .upright
  }

  private static func read(_ bytes: ArraySlice<UInt8>) -> Orientation? {
    let isLittle = bytes.starts(with: "II".utf8)
    guard isLittle || bytes.starts(with: "MM".utf8) else { return nil }
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= bytes.count - count else { return nil }
      let part = bytes[bytes.startIndex + place..<bytes.startIndex + place + count]
      return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(2, 2) == 42, let directory = number(4, 4), let entries = number(directory, 2) else {
      return nil
    }
    for place in (0..<entries).lazy.map({ directory + 2 + 12 * $0 }) where number(place, 2) == 0x0112 {
      // One number of 16 bits.
      guard number(place + 2, 2) == 3, number(place + 4, 4) == 1, let value = number(place + 8, 2) else {
        return nil
      }
      return Orientation(rawValue: UInt16(value))
    }
    return nil
  }
}
