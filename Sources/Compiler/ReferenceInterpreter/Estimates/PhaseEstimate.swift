// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How far a phasor has come, whole turns included: its phase in double precision's place, and what it may be.
///
/// Steps are whole numbers made by one multiplication, which every machine rounds alike: a frequency that is certain
/// gives a phase that is certain.
struct PhaseEstimate {
  private var value: Int64 = 0
  private var low: Int64 = 0
  private var high: Int64 = 0

  /// The number that the phasor shows; where a turn may have ended or not, anything.
  var shown: Estimate {
    if low == high { return Estimate(certain: Phase.shown(low)) }
    guard low >> 32 == high >> 32 else {
      return Estimate(value: Phase.shown(value), low: 0, high: 1, sitsOnJump: true)
    }
    return Estimate(value: Phase.shown(value), low: Phase.shown(low), high: Phase.shown(high))
  }

  func advanced(by frequency: Estimate, sampleRate: Double) -> PhaseEstimate {
    func step(_ number: Double) -> Int64 { Phase.step(Float(number), sampleRate: sampleRate) }
    var result = self
    result.value += step(frequency.value)
    var (first, last) = frequency.isNaN ? (0, 0) : (step(frequency.low), step(frequency.high))
    if frequency.mayBeNaN { (first, last) = (Swift.min(first, 0), Swift.max(last, 0)) }
    result.low += first
    result.high += last
    return result
  }
}
