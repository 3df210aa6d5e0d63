// SPDX-License-Identifier: Apache-2.0

/// The kind of number that a tensor is declared to hold, by the word that NumPy has for it.
///
/// Whatever it is, the numbers are floats of 32 bits when a model runs: integers are exact below 2^24.
package enum DeclaredType: String, Hashable, Sendable {
  case float16, bfloat16, float32, float64
  case int2, int4, int8, int16, int32, int64
  case uint2, uint4, uint8, uint16, uint32, uint64
  case bool

  /// Whether a float is a number of this kind, and not what another one may have been rounded to; of kinds with fractions
  /// all are.
  package func holds(_ number: Float) -> Bool {
    guard let range else { return true }
    return range.contains(Double(number)) && number == number.rounded()
  }

  /// The least and the largest whole number as floats; nil where others than whole ones are held.
  private var range: ClosedRange<Double>? {
    switch self {
    case .float16, .bfloat16, .float32, .float64: nil
    case .int2: -2...1
    case .int4: -8...7
    case .int8: -128...127
    case .int16: -32768...32767
    case .int32, .int64: -0xFFFFFF...0xFFFFFF
    case .uint2: 0...3
    case .uint4: 0...15
    case .uint8: 0...255
    case .uint16: 0...65535
    case .uint32, .uint64: 0...0xFFFFFF
    case .bool: 0...1
    }
  }
}
