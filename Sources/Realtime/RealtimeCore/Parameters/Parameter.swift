// SPDX-License-Identifier: Apache-2.0

/// A handle on one parameter of one context: what a knob, an automation lane or a network message turns.
///
/// It may be used from any thread, the audio thread too, at any time, also after its context is gone. Setting neither
/// waits nor allocates; the context notices at the start of its next execute, and glides to the value over
/// `range.rampFrames` frames. A value that is set before the first execute, or before a `reset`, holds from frame 0.
@safe
public struct Parameter: Sendable {
  /// Name, minimum, maximum, initial value, unit, and the frames of a ramp.
  public let range: ProgramLayout.ParameterRange
  /// Keeps alive what `cells` points to.
  private let bank: ParameterBank
  private let cells: ParameterCells
  private let index: Int

  init(_ bank: ParameterBank, _ index: Int) {
    self.range = bank.ranges[index]
    self.bank = bank
    unsafe cells = bank.cells
    self.index = index
  }

  public var name: String { range.name }

  /// The value that was last set, within its range: where a ramp is going, not where it is.
  public var value: Float {
    @_noLocks get { unsafe cells.target(index) }
  }

  /// Asks for a value, in the parameter's unit; it is clamped to the range, and a NaN is ignored.
  @_noLocks public func set(_ value: Float) { unsafe cells.set(index, to: value) }
}
