// SPDX-License-Identifier: Apache-2.0

/// Counts that execution keeps.
///
///     delay(x, by: late, maximum: 480)      late   12 … 480   what lies so far back
///                                                  500        the oldest frame that is kept: counted
extension Context {
  /// How many samples of a delay by a signal were asked for outside of its range, or by what is no number, since the
  /// beginning or the last `reset`. They were taken from the nearest end of the range.
  ///
  /// It belongs to the thread that executes, between executes.
  /// - Parameter index: The position among the layout's `signalDelays`.
  @_noLocks public func samplesOutside(ofDelay index: Int) -> Int {
    let isThere = unsafe index >= 0 && index < wiring.counts.count
    precondition(isThere, "a context has no delay by a signal at that position")
    return unsafe Int(wiring.counts[index])
  }

  /// The same of all delays by a signal together.
  public var samplesOutside: Int {
    @_noLocks get {
      var sum = 0
      for index in unsafe wiring.counts.indices { unsafe sum += Int(wiring.counts[index]) }
      return sum
    }
  }
}
