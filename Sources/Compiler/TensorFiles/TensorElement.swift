// SPDX-License-Identifier: Apache-2.0

/// The kind of a file's numbers, by the word that safetensors has for it.
package enum TensorElement: String, CaseIterable, Sendable {
  case f32 = "F32"
  case f16 = "F16"
  case bf16 = "BF16"
  // Sized, so that a file with them can be looked at, and not read.
  case f64 = "F64"
  case i64 = "I64"
  case u64 = "U64"
  case i32 = "I32"
  case u32 = "U32"
  case i16 = "I16"
  case u16 = "U16"
  case i8 = "I8"
  case u8 = "U8"
  case boolean = "BOOL"
  case f8e4m3 = "F8_E4M3"
  case f8e5m2 = "F8_E5M2"
  case f8e8m0 = "F8_E8M0"
  case c64 = "C64"

  /// The bytes of one number.
  package var width: Int {
    switch self {
    case .f64, .i64, .u64, .c64: 8
    case .f32, .i32, .u32: 4
    case .f16, .bf16, .i16, .u16: 2
    case .i8, .u8, .boolean, .f8e4m3, .f8e5m2, .f8e8m0: 1
    }
  }

  /// Whether its numbers are floats that a 32-bit float holds as they are.
  package var isReadable: Bool { Self.readable.contains(self) }

  package static let readable: [TensorElement] = [.f32, .f16, .bf16]

  /// How its bytes are read as NumPy's are; nil where they are not.
  var numPy: NumPyElement? {
    switch self {
    case .f32, .f16, .f64: NumPyElement("<f\(width)")
    case .i8, .i16, .i32, .i64: NumPyElement("<i\(width)")
    case .u8, .u16, .u32, .u64: NumPyElement("<u\(width)")
    case .boolean: NumPyElement("|b1")
    case .bf16: .brain
    case .f8e4m3, .f8e5m2, .f8e8m0, .c64: nil
    }
  }
}

extension Float {
  /// The number that the bits of a 16-bit IEEE float mean; those of not-a-number stay one.
  package init(halfBits bits: UInt16) {
    let sign = UInt32(bits & 0x8000) << 16
    let (exponent, fraction) = (UInt32(bits >> 10 & 31), UInt32(bits & 0x3FF))
    switch exponent {
    case 0:
      // Denormals of 16 bits are ordinary numbers here.
      let magnitude = Float(fraction) * 0x1p-24
      self = Float(bitPattern: magnitude.bitPattern | sign)
    case 31: self = Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: self = Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }

  /// The number whose upper half the bits are.
  package init(brainBits bits: UInt16) { self = Float(bitPattern: UInt32(bits) << 16) }
}
