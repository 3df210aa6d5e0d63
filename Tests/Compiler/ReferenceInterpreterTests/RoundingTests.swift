// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReferenceInterpreter

/// Runs in which each result is rounded to a float.
struct RoundingTests {
  private func estimate(_ value: Double, _ low: Double, _ high: Double) -> Estimate {
    Estimate(value: value, low: low, high: high, mayBeNaN: false, sitsOnJump: false)
  }

  /// Where a later op cuts one side off, or two errors cancel, the other run tells how far it goes.
  @Test func anApproximationIsOffToEitherSide() {
    let approximation = estimate(1, 0.5, 1.25)
    let sides = Rounding.allCases.map { estimate(1, 1, 1).off($0, as: approximation) }
    #expect(sides.map(\.value) == [0.9375, 1.03125])
  }

  @Test func twoRunsReachAsFarAsTheOneThatReachesFurther() {
    let both = estimate(1, 0.75, 1.125).united(with: estimate(1.0625, 0.875, 1.5))
    #expect(both.reach(from: 1) == 0.5)
    #expect(both.low == 0.75 && both.high == 1.5)
  }
}
