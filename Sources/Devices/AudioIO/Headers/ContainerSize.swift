// SPDX-License-Identifier: Apache-2.0

/// The size of a whole file in bytes, by its first ones: chunks behind the sound may be cut off, too.
///
///     RIFF 3C EE 02 00 WAVE …   ─▶  0x2EE3C and 8        WAV
///     FORM 00 02 EE 3C AIFF …   ─▶  the same             AIFF
///     RF64 FF FF FF FF WAVE ds64 1C 00 00 00, size in 8 bytes
///
/// Other types say no such size.
enum ContainerSize {
  private static let most = 28

  /// Whether a file has fewer bytes than it says.
  static func isCut(path: String) -> Bool {
    guard let beginning = try? FileBytes.read(path, most: most), let status = try? FileStatus(path: path),
      let said = bytes(beginning)
    else { return false }
    return status.size < said
  }

  /// Nil where nothing is said, or what says that nobody knew.
  static func bytes(_ beginning: [UInt8]) -> Int? {
    func number(_ range: Range<Int>) -> Int? {
      guard beginning.count >= range.upperBound else { return nil }
      let value = beginning[range].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return Int(exactly: value)
    }
    let size: Int?
    switch String(decoding: beginning.prefix(4), as: UTF8.self) {
    case "RIFF": size = number(4..<8)
    case "FORM": size = number(4..<8).map { Int(UInt32($0).byteSwapped) }
    case "RF64": size = number(20..<28)
    case _: size = nil
    }
    guard let size, size < Int.max - 8, size != 0xFFFF_FFFF else { return nil }
    return size + 8
  }
}
