// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The discrete Fourier transform of a power of two complex numbers, in place, in double precision.
///
/// Radix 2, decimation in time: numbers in bit-reversed order, then butterflies of 2, 4, 8, … numbers.
package struct FourierTransform: Sendable {
  package let count: Int
  /// e^(-2πik / count) for the first half of k.
  private let cosines, sines: [Double]
  private let reversed: [Int]

  package init(count: Int) {
    precondition(count > 0 && count & (count - 1) == 0, "the transform is of a power of two numbers")
    self.count = count
    let angles = (0..<max(1, count / 2)).map { -2 * Double.pi * Double($0) / Double(count) }
    cosines = angles.map { cos($0) }
    sines = angles.map { sin($0) }
    // One bit more: [0], [0, 1], [0, 2, 1, 3] …, each twice as far, and then the same behind it.
    var reversed = [0]
    while reversed.count < count { reversed = reversed.map { 2 * $0 } + reversed.map { 2 * $0 + 1 } }
    self.reversed = reversed
  }

  /// Transforms `real + i imaginary`.
  package func forward(_ real: inout [Double], _ imaginary: inout [Double]) {
    precondition(real.count == count && imaginary.count == count, "as many numbers as the transform is of")
    for (index, other) in reversed.enumerated() where index < other {
      real.swapAt(index, other)
      imaginary.swapAt(index, other)
    }
    var re = real.mutableSpan
    var im = imaginary.mutableSpan
    var size = 2
    while size <= count {
      let (half, stride) = (size / 2, count / size)
      var start = 0
      while start < count {
        for index in 0..<half {
          let (c, s) = (cosines[index * stride], sines[index * stride])
          let (low, high) = (start + index, start + index + half)
          let (a, b, u, v) = (re[low], im[low], re[high], im[high])
          let (x, y) = (u * c - v * s, u * s + v * c)
          (re[high], im[high]) = (a - x, b - y)
          (re[low], im[low]) = (a + x, b + y)
        }
        start += size
      }
      size *= 2
    }
  }

  /// The inverse, divided by the count: `forward`, then `inverse` gives what there was.
  package func inverse(_ real: inout [Double], _ imaginary: inout [Double]) {
    // The conjugate of the transform of the conjugate.
    forward(&imaginary, &real)
    let scale = 1 / Double(count)
    for index in 0..<count {
      real[index] *= scale
      imaginary[index] *= scale
    }
  }
}
