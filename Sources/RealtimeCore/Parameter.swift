// SPDX-License-Identifier: Apache-2.0

/// A handle on one parameter of one context: what a knob, an automation lane or a network message turns.
///
/// It may be used from any thread, at any time, also after its context is gone. Setting neither waits nor
/// allocates; the context notices at the start of its next execute, and glides to the value over
/// `range.rampFrames` frames. A value that is set before the first execute, or before a `reset`, holds from frame 0.
public struct Parameter: Sendable {
  /// Name, minimum, maximum, initial value, unit, and the frames of a ramp.
  public let range: ProgramLayout.ParameterRange
  private let bank: ParameterBank
  private let index: Int

  init(_ bank: ParameterBank, _ index: Int) {
    self.range = bank.ranges[index]
    self.bank = bank
    self.index = index
  }

  public var name: String { range.name }

  /// The value that was last set, within its range: where a ramp is going, not where it is.
  public var value: Float { bank.target(index) }

  /// Asks for a value, in the parameter's unit; it is clamped to the range, and a NaN is ignored.
  public func set(_ value: Float) { bank.set(index, to: value) }
}
