// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The coefficients of a filter as R. Bristow-Johnson's Audio EQ Cookbook gives them, in double precision, and what
/// they do: what filters are compared with, which are made in another way.
struct CookbookFilter {
  var b: [Double]
  var a: [Double]

  /// - Parameter kind: as the functions of model files are called.
  init(_ kind: String, frequency: Double, q: Double, gain: Double = 0, sampleRate: Double) {
    let w = 2 * Double.pi * frequency / sampleRate
    let (c, alpha) = (cos(w), sin(w) / (2 * q))
    let root = pow(10, gain / 40)
    let bend = 2 * root.squareRoot() * alpha
    let (up, down) = (root + 1, root - 1)
    switch kind {
    case "lowpass": (b, a) = ([(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case "highpass": (b, a) = ([(1 + c) / 2, -1 - c, (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case "bandpass": (b, a) = ([alpha, 0, -alpha], [1 + alpha, -2 * c, 1 - alpha])
    case "notch": (b, a) = ([1, -2 * c, 1], [1 + alpha, -2 * c, 1 - alpha])
    case "allpass": (b, a) = ([1 - alpha, -2 * c, 1 + alpha], [1 + alpha, -2 * c, 1 - alpha])
    case "peak":
      b = [1 + alpha * root, -2 * c, 1 - alpha * root]
      a = [1 + alpha / root, -2 * c, 1 - alpha / root]
    case "lowShelf":
      b = [root * (up - down * c + bend), 2 * root * (down - up * c), root * (up - down * c - bend)]
      a = [up + down * c + bend, -2 * (down + up * c), up + down * c - bend]
    case "highShelf":
      b = [root * (up + down * c + bend), -2 * root * (down + up * c), root * (up + down * c - bend)]
      a = [up - down * c + bend, 2 * (down - up * c), up - down * c - bend]
    default: preconditionFailure("the cookbook has no \(kind)")
    }
  }

  /// The gain and the phase at a frequency, as the real and the imaginary part.
  func response(at frequency: Double, sampleRate: Double) -> SIMD2<Double> {
    let w = 2 * Double.pi * frequency / sampleRate
    func sum(_ k: [Double]) -> SIMD2<Double> {
      k.enumerated().reduce(.zero) { $0 + $1.1 * SIMD2(cos(w * Double($1.0)), -sin(w * Double($1.0))) }
    }
    let (top, bottom) = (sum(b), sum(a))
    let size = (bottom * bottom).sum()
    return SIMD2((top * bottom).sum(), top.y * bottom.x - top.x * bottom.y) / size
  }

  /// The output, in the direct form I.
  func output(of x: [Double]) -> [Double] {
    var y = x
    let (b0, b1, b2, a0, a1, a2) = (b[0], b[1], b[2], a[0], a[1], a[2])
    var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
    // Bare memory and numbers are quick in a debug build, too.
    unsafe y.withUnsafeMutableBufferPointer { samples in
      for n in 0..<samples.count {
        let now = unsafe samples[n]
        let output = (b0 * now + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) / a0
        (x1, x2, y1, y2) = (now, x1, output, y1)
        unsafe samples[n] = output
      }
    }
    return y
  }
}

/// The gain and the phase of an impulse response at a frequency.
func response(of impulse: [Float], at frequency: Double, sampleRate: Double) -> SIMD2<Double> {
  let w = 2 * Double.pi * frequency / sampleRate
  var (real, imaginary) = (0.0, 0.0)
  // Bare memory and numbers are quick in a debug build, too.
  unsafe impulse.withUnsafeBufferPointer { samples in
    for index in 0..<samples.count {
      let (angle, sample) = (w * Double(index), Double(unsafe samples[index]))
      real += sample * cos(angle)
      imaginary -= sample * sin(angle)
    }
  }
  return SIMD2(real, imaginary)
}

extension SIMD2<Double> {
  /// The length, as a gain is one.
  var gain: Double { (self * self).sum().squareRoot() }
}
