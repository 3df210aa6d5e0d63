// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Voices

/// How near voices are, beside what NumPy makes of the same ones by another way; `reference/make-nearness.py` made them.
@Suite struct NearnessTests {
  private struct Reference: Decodable {
    let people: [[[[Float]]]]
    let others: [[[Float]]]
    let probe: [Float]
    let nearness: [Double]
    let bounds: [Double]
  }

  @Test func theWhiteningAndTheBoundsAreThoseOfTheFormula() throws {
    let folder = try #require(Bundle.module.path(forResource: "reference", ofType: nil))
    let reference = try JSONDecoder().decode(
      Reference.self, from: Data(contentsOf: URL(filePath: folder + "/nearness.json")))
    let nearness = Nearness(reference.people.map { ($0, true) } + [(reference.others, false)])
    for (found, wanted) in zip(nearness.bounds, reference.bounds) {
      #expect(abs(found - wanted) < 1e-5, "\(nearness.bounds) \(reference.bounds)")
    }
    // Others are nobody in particular: how near they are is no bound.
    #expect(nearness.bounds.count == 4 && nearness.bounds[3] == -1)
    func product(_ one: [Float], _ other: [Float]) -> Float { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
    let whitened = nearness.whitening.map { product($0, reference.probe) }
    let length = product(whitened, whitened).squareRoot()
    for (centre, wanted) in zip(nearness.centres, reference.nearness) {
      #expect(abs(Double(product(centre, whitened) / length) - wanted) < 1e-5)
    }
    #expect(nearness.centres.count == 4)
  }

  @Test func voicesThatNeverChangeAreNear() {
    let nearness = Nearness([([[[1, 0], [1, 0]], [[1, 0]]], true), ([[[0, 1], [0, 1]]], true)])
    #expect(nearness.bounds.allSatisfy { abs($0 - 1) < 1e-9 })
    #expect(nearness.whitening.allSatisfy { $0.allSatisfy(\.isFinite) })
  }
}
