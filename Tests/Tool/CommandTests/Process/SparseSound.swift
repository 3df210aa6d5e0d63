// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A constant sound of any length that takes no room on the disk: a header, and a hole behind it.
enum SparseSound {
  /// Two channels of floats at 48 kHz.
  static func wave(_ path: String, seconds: Int) throws {
    let size = 48_000 * seconds * 8
    let format = little(3, 2) + little(2, 2) + little(48_000, 4) + little(48_000 * 8, 4) + little(8, 2)
    var header = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    header += format + little(32, 2) + Array("data".utf8) + little(size, 4)
    try write(header, hole: size, path)
  }

  /// RF64, one channel of 8 bits without a sign: the hole reads as -1.
  static func rf64(_ path: String, frames: Int, rate: Int) throws {
    var header = Array("RF64".utf8) + little(0xFFFF_FFFF, 4) + Array("WAVEds64".utf8) + little(28, 4)
    header += little(72 + frames, 8) + little(frames, 8) + little(frames, 8) + little(0, 4)
    header += Array("fmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4)
    header += little(rate, 4) + little(1, 2) + little(8, 2) + Array("data".utf8) + little(0xFFFF_FFFF, 4)
    try write(header, hole: frames, path)
  }

  private static func write(_ header: [UInt8], hole: Int, _ path: String) throws {
    let url = URL(fileURLWithPath: path)
    try Data(header).write(to: url)
    let file = try FileHandle(forUpdating: url)
    try file.truncate(atOffset: UInt64(header.count + hole))
    try file.close()
  }

  private static func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
