// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The autopan against angles whose sine and cosine are the gains.
@Suite struct AutopanTests {
  private static let loud = [Float](repeating: 0.5, count: 48_000)

  private func sides(_ settings: [String: Float], sampleRate: Double = 48_000) throws -> [[Float]] {
    try ShippedEffect("autopan", sampleRate: sampleRate, settings)([Self.loud, Self.loud])
  }

  @Test(arguments: [8000.0, 48_000, 192_000]) func theSumOfPowersStands(sampleRate: Double) throws {
    for shape in [Float(0), 0.5, 1] {
      let found = try sides(["rate": 3, "depth": 1, "shape": shape], sampleRate: sampleRate)
      for (left, right) in zip(found[0], found[1]) {
        #expect(Swift.abs(left * left + right * right - 0.5) < 1e-5)
      }
      // It goes all the way, nearly so as a square: tanh(6).
      #expect(found[1].min()! < 1e-3 && found[0].min()! < 1e-3)
    }
  }

  @Test func eachSideIsASineOfASway() throws {
    let found = try sides(["rate": 3, "depth": 0.6, "phase": 90])
    for (side, row) in found.enumerated() {
      for frame in stride(from: 0, to: row.count, by: 7) {
        let sway = sin(2 * .pi * (3 * Double(frame) / 48_000 - Double(side) / 4))
        let expected = 0.5 * 2.squareRoot() * sin(.pi / 4 * (1 + 0.6 * sway))
        #expect(Swift.abs(Double(row[frame]) - expected) < 1e-5)
      }
    }
  }

  @Test func atRestItChangesNothing() throws {
    let found = try sides(["depth": 0])
    #expect(found.joined().allSatisfy { Swift.abs($0 - 0.5) < 1e-6 })
    let together = try sides(["depth": 1, "phase": 0])
    #expect(together[0] == together[1])
  }
}
