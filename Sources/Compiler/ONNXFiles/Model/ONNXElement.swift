// SPDX-License-Identifier: Apache-2.0

internal import TensorFiles

/// The kind of a tensor's numbers, as the format counts them.
///
/// When a model runs all numbers are floats of 32 bits: integers are exact below 2^24, and a truth is 0 or 1.
enum ONNXElement: Int, Hashable, Sendable {
  case float = 1
  case uint8, int8, uint16, int16, int32, int64, string, bool, float16, double, uint32, uint64, complex64
  case complex128, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, uint4, int4
  case float4e2m1, float8e8m0, uint2, int2

  enum Kind: Hashable, Sendable {
    case floating, integer, truth
    /// Texts, complex numbers and floats of 8 bits or fewer.
    case unknown
  }

  var kind: Kind {
    switch self {
    case .float, .float16, .bfloat16, .double: .floating
    case .uint8, .int8, .uint16, .int16, .int32, .int64, .uint32, .uint64, .uint4, .int4, .uint2, .int2:
      .integer
    case .bool: .truth
    case .string, .complex64, .complex128, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz,
      .float4e2m1, .float8e8m0:
      .unknown
    }
  }

  /// The same by NumPy's word; nil for what is no number.
  var type: DeclaredType? {
    switch self {
    case .float: .float32
    case .double: .float64
    case .uint8, .int8, .uint16, .int16, .int32, .int64, .bool, .float16, .uint32, .uint64, .bfloat16, .uint4,
      .int4, .uint2, .int2:
      DeclaredType(rawValue: "\(self)")
    case .string, .complex64, .complex128, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz,
      .float4e2m1, .float8e8m0:
      nil
    }
  }

  /// The number of this kind that is next to one; integers, truths and doubles stay as they are.
  func rounding(_ number: Double) -> Double {
    let (digits, least, most): (Int, Int, Double)
    switch self {
    case .float: return Double(Float(number))
    case .float16: (digits, least, most) = (10, -14, 65_504)
    case .bfloat16: (digits, least, most) = (7, -126, 0x1.FEp127)
    case .uint8, .int8, .uint16, .int16, .int32, .int64, .string, .bool, .double, .uint32, .uint64,
      .complex64, .complex128, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4,
      .float4e2m1, .float8e8m0, .uint2, .int2:
      return number
    }
    guard number.isFinite, number != 0 else { return number }
    let step = Double(sign: .plus, exponent: max(number.exponent, least) - digits, significand: 1)
    let result = (number / step).rounded(.toNearestOrEven) * step
    return abs(result) <= most ? result : number < 0 ? -.infinity : .infinity
  }

  /// An expression as this kind of numbers: that of integers loses its fraction.
  func whole(_ text: String) -> String { kind == .integer ? "truncate(\(text.unbracketed))" : text }

  /// The least and the most of integers so small that arithmetic may leave their range.
  var smallRange: ClosedRange<Int>? {
    switch self {
    case .uint8: 0...255
    case .int8: -128...127
    case .uint16: 0...65_535
    case .int16: -32_768...32_767
    case .uint4: 0...15
    case .int4: -8...7
    case .uint2: 0...3
    case .int2: -2...1
    case .float, .int32, .int64, .string, .bool, .float16, .double, .uint32, .uint64, .complex64, .complex128,
      .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float4e2m1, .float8e8m0:
      nil
    }
  }

  /// The least and the most of integers; nil where an `Int` may be beyond neither.
  var range: ClosedRange<Int>? {
    switch self {
    case .int32: Int(Int32.min)...Int(Int32.max)
    case .uint32: 0...Int(UInt32.max)
    case .uint64: 0...Int.max
    case .uint8, .int8, .uint16, .int16, .uint4, .int4, .uint2, .int2, .float, .int64, .string, .bool,
      .float16,
      .double, .complex64, .complex128, .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2,
      .float8e5m2fnuz, .float4e2m1, .float8e8m0:
      smallRange
    }
  }

  /// The integer of this kind that one beyond its range begins again as; of 64 bits all stay.
  func wrapping(_ number: Int64) -> Int64 {
    guard self != .uint64, let range else { return number }
    return Int64(range.wrapping(Int(number)))
  }

  var isUnsigned: Bool {
    switch self {
    case .uint8, .uint16, .uint32, .uint64, .uint4, .uint2: true
    case .float, .int8, .int16, .int32, .int64, .string, .bool, .float16, .double, .complex64, .complex128,
      .bfloat16,
      .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .int4, .float4e2m1, .float8e8m0, .int2:
      false
    }
  }

  /// Bytes of a number that is stored raw; nil where several share one.
  var width: Int? {
    switch self {
    case .uint8, .int8, .bool, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0: 1
    case .uint16, .int16, .float16, .bfloat16: 2
    case .float, .int32, .uint32: 4
    case .int64, .double, .uint64, .complex64: 8
    case .complex128: 16
    case .string, .uint4, .int4, .float4e2m1, .uint2, .int2: nil
    }
  }
}
