// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The loudest sample of the last while, in one channel.
///
///     peak   ▂▇▃▂▁▁▁▁▁▁
///     held   ▂▇▇▇▇▇▇▄▂▁      for two seconds, then it falls
struct PeakHold {
  private(set) var held: Float = 0
  /// Whether a sample was ever at full scale.
  private(set) var isClipped = false
  private var age = 0.0

  private static let seconds = 2.0
  /// Decibels by which it falls in a second.
  private static let fall: Float = 20

  /// - Parameter elapsed: seconds since the last one.
  mutating func note(_ peak: Float, after elapsed: Double) {
    isClipped = isClipped || peak >= 1
    age += elapsed
    // In decibels a straight fall; 20 of them are a factor of 10.
    if age > Self.seconds { held *= Self.power(Float(min(elapsed, age - Self.seconds)) * -Self.fall / 20) }
    guard peak >= held else { return }
    (held, age) = (peak, 0)
  }

  private static func power(_ exponent: Float) -> Float {
    Float(pow(10, Double(exponent)))
  }
}
