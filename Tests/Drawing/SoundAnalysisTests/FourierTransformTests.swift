// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoundAnalysis
import TestEquipment
import Testing

@Suite("Fourier transforms")
struct FourierTransformTests {
  private static func noise(_ count: Int, seed: UInt64) -> [Double] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in Double(random.below(2001)) / 1000 - 1 }
  }

  @Test("it is the sum that defines it", arguments: [1, 2, 4, 8, 64, 256])
  func definition(_ count: Int) {
    let (a, b) = (Self.noise(count, seed: 1), Self.noise(count, seed: 2))
    var (real, imaginary) = (a, b)
    FourierTransform(count: count).forward(&real, &imaginary)
    for bin in 0..<count {
      var (x, y) = (0.0, 0.0)
      for index in 0..<count {
        let angle = -2 * Double.pi * Double(bin * index % count) / Double(count)
        x += a[index] * cos(angle) - b[index] * sin(angle)
        y += a[index] * sin(angle) + b[index] * cos(angle)
      }
      #expect(abs(real[bin] - x) < 1e-10 && abs(imaginary[bin] - y) < 1e-10, "\(count), bin \(bin)")
    }
  }

  @Test("forward and back is the identity", arguments: [1, 2, 1024, 1 << 15])
  func identity(_ count: Int) {
    let (a, b) = (Self.noise(count, seed: 3), Self.noise(count, seed: 4))
    let transform = FourierTransform(count: count)
    var (real, imaginary) = (a, b)
    transform.forward(&real, &imaginary)
    transform.inverse(&real, &imaginary)
    let error = zip(real + imaginary, a + b).map { abs($0 - $1) }.max() ?? 0
    #expect(error < 1e-12)
  }
}
