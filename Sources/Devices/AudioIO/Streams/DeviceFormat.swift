// SPDX-License-Identifier: Apache-2.0

/// The sample formats of devices, all little endian, in the order of preference.
package enum DeviceFormat: String, CaseIterable, Sendable {
  /// 32-bit floats, full scale being ±1.
  case float = "FLOAT"
  case int32 = "S32"
  /// 24 bits in three bytes.
  case int24Packed = "S24_3"
  /// 24 bits in the low three of four bytes.
  case int24 = "S24"
  case int16 = "S16"

  /// The name that devices are described with, such as S24_3.
  package var name: String { rawValue }

  /// Bytes of one sample in memory.
  package var bytes: Int {
    switch self {
    case .float, .int32, .int24: 4
    case .int24Packed: 3
    case .int16: 2
    }
  }

  /// The number of bits of a format of integers; nil for floats.
  package var integerBits: Int? {
    switch self {
    case .float: nil
    case .int32: 32
    case .int24Packed, .int24: 24
    case .int16: 16
    }
  }

  /// All of them, as a sentence has them.
  static let list = "FLOAT, S32, S24_3, S24 or S16, little endian"
}
