// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A complex number in double precision.
struct Complex: Equatable {
  static let zero = Complex(0)
  static let one = Complex(1)

  var real: Double
  var imaginary: Double

  init(_ real: Double, _ imaginary: Double = 0) {
    self.real = real
    self.imaginary = imaginary
  }

  init(radius: Double, angle: Double) { self.init(radius * cos(angle), radius * sin(angle)) }

  var squaredMagnitude: Double { real * real + imaginary * imaginary }
  var magnitude: Double { squaredMagnitude.squareRoot() }
  var angle: Double { atan2(imaginary, real) }

  static func + (a: Self, b: Self) -> Self { Self(a.real + b.real, a.imaginary + b.imaginary) }
  static func - (a: Self, b: Self) -> Self { Self(a.real - b.real, a.imaginary - b.imaginary) }
  static func * (a: Self, b: Double) -> Self { Self(a.real * b, a.imaginary * b) }

  static func * (a: Self, b: Self) -> Self {
    Self(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
  }

  static func / (a: Self, b: Self) -> Self {
    a * Self(b.real, -b.imaginary) * (1 / b.squaredMagnitude)
  }
}
