// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A sine that rises by as many octaves in each second, and what a system's answer to it says of the system.
///
///     sweep    ∿∿∿∿∿∿∿wwwwww────────    then silence, for what goes on sounding
///     answer ÷ sweep, in the spectrum   →   the response to an impulse, without what distortion adds
///
/// Harmonics of a rising sine come early: divided by the sweep they stand before the impulse, that is, at the end of
/// the transform, where they are cut off. Farina, "Simultaneous measurement of impulse response and distortion with a
/// swept-sine technique", 2000.
package struct ExponentialSweep {
  /// The sweep and the silence behind it, within ±1.
  package let samples: [Float]
  package let sampleRate: Double
  private let transform: FourierTransform
  private let sweep: Spectrum
  /// The power below which the sweep tells nothing of the system.
  private let floor: Double

  /// The transform of a signal with silence behind it.
  private struct Spectrum {
    var real, imaginary: [Double]

    init(_ signal: [Double], _ transform: FourierTransform) {
      real = signal + Array(repeating: 0, count: transform.count - signal.count)
      imaginary = Array(repeating: 0, count: transform.count)
      transform.forward(&real, &imaginary)
    }

    func power(_ bin: Int) -> Double { real[bin] * real[bin] + imaginary[bin] * imaginary[bin] }
  }

  /// - Parameter lowest: the frequency from which on a response is wanted, in hertz.
  package init(sampleRate: Double, lowest: Double) {
    var count = 4096
    while count < 1 << 19, Double(count) < 2.7 * sampleRate { count *= 2 }
    // It begins an octave early: where a sweep begins, its spectrum is thin.
    let (low, high) = (lowest / 2, sampleRate / 2)
    let rise = log(high / low)
    let turns = low * Double(count) / sampleRate / rise
    var samples = (0..<count).map { frame in
      let phase = turns * (exp(Double(frame) / Double(count) * rise) - 1)
      return Float(sin(2 * .pi * (phase - phase.rounded(.down))))
    }
    samples += Array(repeating: 0, count: count)
    self.samples = samples
    self.sampleRate = sampleRate
    transform = FourierTransform(count: samples.count)
    sweep = Spectrum(samples.map(Double.init), transform)
    floor = (samples.indices.map(sweep.power).max() ?? 0) * 1e-12
  }

  /// The impulse response of the system, as far as it is linear.
  ///
  /// - Parameter answer: its response to the sweep, as long as that.
  package func impulseResponse(of answer: [Double]) -> [Double] {
    precondition(answer.count == samples.count, "an answer to the whole sweep")
    var response = Spectrum(answer, transform)
    for bin in 0..<samples.count {
      let (a, b) = (response.real[bin], response.imaginary[bin])
      let (c, d) = (sweep.real[bin], sweep.imaginary[bin])
      let power = sweep.power(bin) + floor
      response.real[bin] = (a * c + b * d) / power
      response.imaginary[bin] = (b * c - a * d) / power
    }
    transform.inverse(&response.real, &response.imaginary)
    let kept = samples.count / 2
    let fade = kept / 16
    return (0..<kept).map { frame in
      let left = Double(min(fade, kept - frame)) / Double(fade)
      return response.real[frame] * pow(sin(.pi / 2 * left), 2)
    }
  }

  /// The power of a response at the frequencies of the transform, from 0 Hz to half the rate.
  package func power(of response: [Double]) -> [(hertz: Double, power: Double)] {
    let spectrum = Spectrum(response, transform)
    let width = sampleRate / Double(samples.count)
    return (0...samples.count / 2).map { (hertz: Double($0) * width, power: spectrum.power($0)) }
  }
}
