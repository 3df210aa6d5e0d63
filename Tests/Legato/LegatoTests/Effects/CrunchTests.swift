// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The shipped capture beside the circuit that it was made of, with a sound that it never saw: `circuit/make.py`.
@Suite struct CrunchTests {
  private struct Reference: Decodable {
    let sound: [Float]
    let circuit: [Double]
    /// The energy of what is wrong, of the energy of what is right, over all that was held back.
    let errorToSignal: Double
  }

  private static let reference: Reference? = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("circuit/crunch.json")
    return try? JSONDecoder().decode(Reference.self, from: Data(contentsOf: file))
  }()

  @Test func theNetworkSoundsAsTheCircuitDoes() throws {
    let reference = try #require(Self.reference)
    #expect(reference.errorToSignal < 0.01)
    let found = try ShippedEffect("captures/crunch.nam")(reference.sound)
    // The sound begins in its middle, and the network looks 510 frames back.
    var (wrong, right) = (0.0, 0.0)
    for (own, circuit) in zip(found, reference.circuit).dropFirst(511) {
      wrong += (Double(own) - circuit) * (Double(own) - circuit)
      right += circuit * circuit
    }
    #expect(wrong / right < 0.01, "\(wrong / right)")
  }

  @Test func silenceHasSettledBeforeTheFirstFrame() throws {
    let silence = try ShippedEffect("captures/crunch.nam")([Float](repeating: 0, count: 2000))
    #expect(silence.allSatisfy { Swift.abs($0) < 0.002 && $0 == silence[0] })
  }

  @Test func nothingStandsStill() throws {
    let found = try ShippedEffect("crunch", ["level": 0])(
      (0..<48_000).map { 0.25 * sin(2 * .pi * 220 * Float($0) / 48_000) })
    let mean = found.dropFirst(24_000).reduce(0, +) / 24_000
    #expect(Swift.abs(mean) < 1e-3, "\(mean)")
    #expect(found.dropFirst(24_000).contains { $0 > 0.2 })
  }
}
