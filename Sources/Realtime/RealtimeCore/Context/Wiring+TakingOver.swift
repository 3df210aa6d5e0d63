// SPDX-License-Identifier: Apache-2.0

internal import CRealtime

extension Wiring {
  /// Goes to where another context is in the stream, with ramps that count from where its ramps do.
  @_noLocks func takeOver(from old: Wiring) {
    unsafe position.pointee = old.position.pointee
    unsafe span.pointee.beginning = old.span.pointee.beginning
    unsafe blockStale.pointee = 1
    unsafe settledStale.pointee = 1
  }

  /// Lets a parameter be where another context's is, and on the same way, as far as this one's range allows; otherwise,
  /// and where `other` is -1, it rests at its target.
  @_noLocks func takeOver(_ index: Int, from old: Wiring, _ other: Int) {
    unsafe ramps[index] = RampState(settledAt: cells.target(index))
    guard other >= 0, unsafe cells.first[index].rampFrames > 0 else { return }
    let ramp = unsafe old.ramps[other]
    let (minimum, maximum) = unsafe (cells.first[index].minimum, cells.first[index].maximum)
    let isWithin =
      ramp.start >= minimum && ramp.start <= maximum && ramp.target >= minimum && ramp.target <= maximum
    guard isWithin else { return }
    unsafe ramps[index] = ramp
  }
}
