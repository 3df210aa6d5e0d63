// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Oscillators; the signal is the frequency in hertz, at most half the sample rate.
extension Signal {
  /// From 0 up to below 1, and again; a negative frequency falls.
  public func phasor() -> Signal { call("phasor", as: "frequency") }

  /// A sine that begins at 0.
  public func sine() -> Signal { call("sine", as: "frequency") }

  /// A saw that rises from -1 to 1, band-limited.
  public func saw() -> Signal { call("saw", as: "frequency") }

  /// A square, 1 and then -1, band-limited.
  public func square() -> Signal { call("square", as: "frequency") }
}

extension GraphBuilder {
  /// White noise from -1 to 1, the same at the same place of a stream.
  public func noise(seed: Int = 1) -> Signal { call("noise", ["seed": .integer(seed)], []) }
}

extension Signal {
  /// The interpolation between two frames of a delay by a signal.
  ///
  /// An allpass keeps the level of all frequencies; its minimum is at least 1, and to close a cycle at least 2.
  public enum Interpolation: String, Sendable {
    case linear, cubic, none, allpass
  }

  /// The signal delayed by another one in frames, which is clamped to the minimum and the maximum.
  public func delay(
    by amount: Signal, minimum: Int = 0, maximum: Int, interpolation: Interpolation = .linear
  ) -> Signal {
    call(
      "delay", [("by", amount)],
      [
        "minimum": .integer(minimum), "maximum": .integer(maximum),
        "interpolation": .choice(interpolation.rawValue),
      ])
  }
}
