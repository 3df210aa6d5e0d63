// SPDX-License-Identifier: Apache-2.0

internal import CRealtime

/// A context that is not executed for a while, and begins anew when it is wanted again.
///
///     executed  ▓▓▓▓▓▓▓▓                    ▓▓▓▓▓▓▓▓▓     position 0, as a fresh context
///     forgets           ░ ░ ░ ░ ░                         a bounded number of bytes for each block
///     rests             ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
///
/// It is `reset` in parts: clearing all of a long reverberation at once may take longer than a block lasts.
extension Context {
  /// Whether a parameter rests at a value, which is its target, too.
  @_noLocks package func rests(_ parameter: Int, at value: Float) -> Bool {
    guard unsafe wiring.cells.target(parameter) == value else { return false }
    // Before the first frame it is where it was set to.
    if position == 0 { return true }
    let ramp = unsafe wiring.ramps[parameter]
    return ramp.length == 0 && ramp.target == value
  }

  /// The target of a parameter.
  @_noLocks package func target(_ parameter: Int) -> Float { unsafe wiring.cells.target(parameter) }

  /// Clears a part of what is remembered; true where all of it is cleared. Nothing may be executed until `beginAnew`.
  ///
  /// - Parameters:
  ///   - cleared: bytes that are cleared already; it moves on.
  ///   - bytes: the most that are cleared; what is left of them is told.
  @_noLocks package mutating func forget(_ cleared: inout Int, most bytes: inout Int) -> Bool {
    let all = unsafe wiring.stateBytes
    let count = min(all - cleared, max(bytes, 0))
    unsafe wiring.forget(from: cleared, count)
    cleared += count
    bytes -= count
    return cleared == all
  }

  /// Returns to position 0 once all is forgotten: what follows has the same bits as after `reset`.
  @_noLocks package mutating func beginAnew() {
    noticePresentParameters()
    unsafe wiring.begin()
  }
}
