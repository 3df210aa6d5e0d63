// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Filters: frequencies are in hertz, gains in decibels, and each may be a signal. At run time a frequency is kept
/// between 0 and 0.49 of the sample rate; one that is a number must lie below half of it.
extension Signal {
  /// Passes what lies below the frequency; 12 dB an octave.
  public func lowpass(_ frequency: Signal, q: Signal? = nil) -> Signal { filter("lowpass", frequency, q) }

  /// Passes what lies above the frequency; 12 dB an octave.
  public func highpass(_ frequency: Signal, q: Signal? = nil) -> Signal { filter("highpass", frequency, q) }

  /// Passes what lies around the frequency, at 0 dB there.
  public func bandpass(_ frequency: Signal, q: Signal? = nil) -> Signal { filter("bandpass", frequency, q) }

  /// Removes what lies at the frequency.
  public func notch(_ frequency: Signal, q: Signal? = nil) -> Signal { filter("notch", frequency, q) }

  /// An allpass: the phase is shifted by half a turn at the frequency.
  public func allpass(_ frequency: Signal, q: Signal? = nil) -> Signal { filter("allpass", frequency, q) }

  /// A bell: boosts or cuts around the frequency.
  public func peak(_ frequency: Signal, gain: Signal, q: Signal? = nil) -> Signal {
    filter("peak", frequency, q, [("gain", gain)])
  }

  /// Boosts or cuts below the frequency, by half of the decibels there.
  public func lowShelf(_ frequency: Signal, gain: Signal, q: Signal? = nil) -> Signal {
    filter("lowShelf", frequency, q, [("gain", gain)])
  }

  /// Boosts or cuts above the frequency, by half of the decibels there.
  public func highShelf(_ frequency: Signal, gain: Signal, q: Signal? = nil) -> Signal {
    filter("highShelf", frequency, q, [("gain", gain)])
  }

  /// A weighted sum of what lies below, around and above the frequency; low 1, band 1 / q and high 1 make the signal.
  public func svf(
    _ frequency: Signal, q: Signal, low: Signal? = nil, band: Signal? = nil, high: Signal? = nil
  ) -> Signal {
    let shares = [("low", low), ("band", band), ("high", high)]
    return filter("svf", frequency, q, shares.compactMap { name, share in share.map { (name, $0) } })
  }

  /// Passes what lies below the frequency; 6 dB an octave.
  public func onePole(_ frequency: Signal) -> Signal { filter("onePole", frequency, nil) }

  /// Removes DC: passes what lies above the frequency; 6 dB an octave.
  public func dcBlock(_ frequency: Signal? = nil) -> Signal {
    call("dcBlock", frequency.map { [("frequency", $0)] } ?? [])
  }

  /// b0 x + b1 x₁ + b2 x₂ - a1 y₁ - a2 y₂; the poles are the caller's to keep within the unit circle.
  public func biquad(b0: Signal, b1: Signal, b2: Signal, a1: Signal, a2: Signal) -> Signal {
    call("biquad", [("b0", b0), ("b1", b1), ("b2", b2), ("a1", a1), ("a2", a2)])
  }

  /// t₀ x + t₁ x₁ + t₂ x₂ + …, each channel by itself; the taps are weights, an impulse response.
  public func fir(_ taps: Signal) -> Signal { call("fir", [("taps", taps)]) }

  private func filter(
    _ name: String, _ frequency: Signal, _ q: Signal?, _ others: [(String, Signal)] = []
  ) -> Signal {
    call(name, [("frequency", frequency)] + others + (q.map { [("q", $0)] } ?? []))
  }
}

/// Followers of a signal; times are in seconds.
extension Signal {
  /// The level: rises to the magnitude with a time constant of attack, falls with one of release.
  public func envelope(attack: Signal, release: Signal) -> Signal {
    call("envelope", [("attack", attack), ("release", release)])
  }

  /// The signal, which rises by at most `up` and falls by at most `down` in a second; it begins at 0.
  public func slew(up: Signal, down: Signal) -> Signal { call("slew", [("up", up), ("down", down)]) }

  /// The signal where the trigger is not 0, else what it was there last; 0 before that.
  public func sampleAndHold(_ trigger: Signal) -> Signal { call("sampleAndHold", [("trigger", trigger)]) }
}
