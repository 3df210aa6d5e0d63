// SPDX-License-Identifier: Apache-2.0

/// How a sample lies in a card's memory, by alsa-lib's name.
package enum CardFormat: String, CaseIterable, Sendable {
  case float = "FLOAT_LE"
  case integer32 = "S32_LE"
  /// Three bytes.
  case packed24 = "S24_3LE"
  /// The low three of four bytes.
  case integer24 = "S24_LE"
  case integer16 = "S16_LE"
  /// One that the card plays nothing but silence in: for programs that do not know it.
  case unsigned8 = "U8"

  /// The bytes of a sample.
  package var width: Int {
    switch self {
    case .float, .integer32, .integer24: 4
    case .packed24: 3
    case .integer16: 2
    case .unsigned8: 1
    }
  }

  /// The exact value of the bytes from a place on, full scale at 1.
  package func sample(_ bytes: [UInt8], at place: Int) -> Double {
    var word: UInt32 = 0
    for byte in 0..<width { word |= UInt32(bytes[place + byte]) << (8 * byte) }
    return switch self {
    case .float: Double(Float(bitPattern: word))
    case .integer32: Double(Int32(bitPattern: word)) / 0x8000_0000
    case .packed24, .integer24: Double(Int32(bitPattern: word << 8)) / 0x8000_0000
    case .integer16: Double(Int16(truncatingIfNeeded: word)) / 0x8000
    case .unsigned8: Double(Int(word) - 128) / 128
    }
  }

  /// Appends the bytes of a sample that the format can hold.
  package func append(_ sample: Double, to bytes: inout [UInt8]) {
    let word: UInt32 =
      switch self {
      case .float: Float(sample).bitPattern
      case .integer32: UInt32(bitPattern: Int32(sample * 0x8000_0000))
      case .packed24, .integer24: UInt32(bitPattern: Int32(sample * 0x80_0000))
      case .integer16: UInt32(bitPattern: Int32(sample * 0x8000))
      case .unsigned8: UInt32(Int(sample * 128) + 128)
      }
    for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
  }

  /// The card's captured sample at a position unless it has another source: a count of frames, from another number in
  /// each channel, in as many bits as the format has, but at most 24.
  package func ramp(_ position: Int, channel: Int) -> Double {
    let count = position + 4096 * channel
    return switch self {
    case .float, .integer32, .packed24, .integer24:
      Double(Int32(truncatingIfNeeded: count << 8)) / 0x8000_0000
    case .integer16: Double(Int16(truncatingIfNeeded: count)) / 0x8000
    case .unsigned8: 0
    }
  }

  /// The position at which the ramp has a value: the first of all that have.
  package func position(ofRamp sample: Double) -> Int {
    switch self {
    case .float, .integer32, .packed24, .integer24: Int(sample * 0x80_0000) & 0xff_ffff
    case .integer16: Int(sample * 0x8000) & 0xffff
    case .unsigned8: 0
    }
  }
}
