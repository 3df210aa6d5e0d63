// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoundAnalysis

/// The delay between a sound and what came back of it, to less than a sample, and whether the return is reversed.
///
///     dry  ──╱╲──────────        the response of the way between both has its first peak at the latency
///     wet  ─────────╲╱──
///           ╰ 4.37 ╯
///
/// The response is what the spectra of pieces from all over say, Σ Y X* / (Σ |X|² + ε): a cross-correlation whose peak is as
/// narrow as the sound allows (the estimate H1; Bendat and Piersol 2010). Where a loudspeaker answers for long, its first
/// large peak counts, so that nothing comes back before it went out. Pieces come from where both sound: what went out and
/// was never recorded would make what came of the rest look like noise.
public struct SignalAlignment: Hashable, Sendable {
  /// Frames by which the return is late.
  public let latency: Double
  /// Whether the return goes down where the sound goes up.
  public let isReversed: Bool
  /// Another delay in frames, more than a hundredth of the largest one apart, at which the return follows at least half
  /// as clearly as it does anywhere; nil where there is none.
  public let rival: Int?

  /// The pieces that are looked at, and their frames.
  private static let (pieces, longest) = (12, 1 << 15)
  /// How far a peak stands out of the response where the return is one; noise comes to 5.
  private static let leastClarity = 8.0
  /// Frames beyond the largest latency that are looked at, so that what rises to a peak there is not taken for one.
  private static let edge = 64

  /// - Parameters:
  ///   - dry: what went out.
  ///   - wet: what came back.
  ///   - most: the largest latency in frames, in both directions.
  /// - Returns: nil where nothing in `wet` follows from `dry` within that.
  public init?(of dry: [Float], in wet: [Float], most: Int) {
    guard !dry.isEmpty, !wet.isEmpty else { return nil }
    let reach = most + Self.edge
    let count = min(Self.longest, dry.count)
    var size = 2
    while size < count + 2 * reach { size *= 2 }
    let transform = FourierTransform(count: size)
    let silence = [Double](repeating: 0, count: size)
    var (y, v, powers) = (silence, silence, silence)
    for start in Self.starts(of: count, in: max(count, min(dry.count, wet.count))) {
      var (a, b, c, d) = (silence, silence, silence, silence)
      for frame in 0..<count { a[frame] = Double(dry[start + frame]) }
      for frame in 0..<count + 2 * reach where wet.indices.contains(start - reach + frame) {
        c[frame] = Double(wet[start - reach + frame])
      }
      transform.forward(&a, &b)
      transform.forward(&c, &d)
      for bin in 0..<size {
        y[bin] += c[bin] * a[bin] + d[bin] * b[bin]
        v[bin] += d[bin] * a[bin] - c[bin] * b[bin]
        powers[bin] += a[bin] * a[bin] + b[bin] * b[bin]
      }
    }
    let power = powers.reduce(0, +) / Double(size)
    guard power > 0 else { return nil }
    for bin in 0..<size {
      y[bin] /= powers[bin] + 0.01 * power
      v[bin] /= powers[bin] + 0.01 * power
    }
    let spectrum = Spectrum(real: y, imaginary: v)
    transform.inverse(&y, &v)
    let lags = 0...2 * reach
    let largest = lags.reduce(0) { max($0, abs(y[$1])) }
    let rms = (lags.reduce(0) { $0 + y[$1] * y[$1] } / Double(lags.count)).squareRoot()
    guard largest > Self.leastClarity * rms, rms > 0 else { return nil }
    let peak = lags.dropFirst().dropLast().first { lag in
      abs(y[lag]) >= largest / 3 && abs(y[lag]) >= abs(y[lag - 1]) && abs(y[lag]) >= abs(y[lag + 1])
    }
    guard let peak else { return nil }
    isReversed = y[peak] < 0
    latency = spectrum.extremum(near: Double(peak)) - Double(reach)
    let other = lags.filter { abs($0 - peak) > most / 100 }.max { abs(y[$0]) < abs(y[$1]) }
    rival = other.flatMap { abs(y[$0]) >= largest / 2 ? $0 - reach : nil }
    guard abs(latency) < Double(most) + 0.5 else { return nil }
  }

  /// The beginnings of pieces, evenly from the first frame to the last.
  private static func starts(of count: Int, in frames: Int) -> [Int] {
    let number = min(pieces, (frames + count - 1) / count)
    guard number > 1 else { return [0] }
    return (0..<number).map { $0 * (frames - count) / (number - 1) }
  }

  /// A response by its spectrum, which tells it between samples, too.
  private struct Spectrum {
    let real, imaginary: [Double]

    /// Σ Re(G e^(2πi k t / n)) over the frequencies up to half of the rate.
    func value(at time: Double) -> Double {
      let angle = 2 * Double.pi * time / Double(real.count)
      let (c, s) = (cos(angle), sin(angle))
      var (re, im, sum) = (1.0, 0.0, 0.0)
      for bin in 0..<real.count / 2 {
        sum += real[bin] * re - imaginary[bin] * im
        (re, im) = (re * c - im * s, re * s + im * c)
      }
      return sum
    }

    /// The place of the extremum near one of the samples: the vertex of a parabola through three values, closer each time.
    func extremum(near time: Double) -> Double {
      var time = time
      for step in [0.5, 0.1, 0.02] {
        let (a, b, c) = (value(at: time - step), value(at: time), value(at: time + step))
        let curve = a - 2 * b + c
        guard curve != 0 else { return time }
        time += step * max(-1, min(1, (a - c) / (2 * curve)))
      }
      return time
    }
  }

  /// Both sounds without the delay, but for one frame: filters answer a little before their peak, and no network hears what
  /// is still to come. The return begins so many whole frames later, and what is left of less than one delays the sound that
  /// went out.
  public func applied(to dry: [Float], _ wet: [Float]) -> (dry: [Float], wet: [Float]) {
    let rest = latency - 1
    let whole = Int(rest.rounded())
    let delayed = Self.delayed(dry, by: rest - Double(whole))
    let (first, second) = (delayed.dropFirst(max(0, -whole)), wet.dropFirst(max(0, whole)))
    let count = min(first.count, second.count)
    return (Array(first.prefix(count)), Array(second.prefix(count)))
  }

  /// A sound that is late by a part of a frame, from -0.5 to 0.5: a sine cardinal of 64 frames in a window (Kaiser, β 8).
  private static func delayed(_ sound: [Float], by part: Double) -> [Float] {
    guard abs(part) > 0.001 else { return sound }
    let half = 32
    func bessel(_ x: Double) -> Double {
      var (sum, term) = (1.0, 1.0)
      for turn in 1..<40 {
        term *= (x / 2 / Double(turn)) * (x / 2 / Double(turn))
        sum += term
      }
      return sum
    }
    let taps = (-half...half).map { tap -> Float in
      let x = Double(tap) - part
      let edge = x / Double(half + 1)
      let window = bessel(8 * (1 - edge * edge).squareRoot()) / bessel(8)
      return Float(abs(x) < 1e-12 ? window : window * sin(.pi * x) / (.pi * x))
    }
    let padded = [Float](repeating: 0, count: half) + sound + [Float](repeating: 0, count: half)
    var result = [Float](repeating: 0, count: sound.count)
    // y(t) = Σ tap(m) x(t - m): a tap at a time, over all frames.
    for (row, tap) in taps.enumerated() {
      let shift = 2 * half - row
      for frame in result.indices { result[frame] += tap * padded[frame + shift] }
    }
    return result
  }
}
