// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import GraphIR

/// The impulse response of a cabinet, a room or a filter, for a model of any rate.
///
///     sound at 44100 Hz ─▶ at the model's rate, times 44100 / rate ─▶ without what is below -90 dB at its end
///
/// A tap for each frame: at twice the rate there are twice as many, of half the size, so that each frequency is as loud
/// as it was. Nothing is cut off at the beginning, and its level stays what the file says.
package struct ImpulseResponse: Sendable {
  package let sound: WaveFile

  /// Below its peak the end is silence.
  static let floor = -90.0
  /// A file that states a low rate could ask for more taps than its bytes can pay for.
  private static let mostSeconds = 30

  /// - Throws: `TensorFileError` where a sample is not finite, or there is nothing but silence.
  package init(_ sound: WaveFile) throws(TensorFileError) {
    for (channel, samples) in sound.channels.enumerated() {
      guard let frame = samples.firstIndex(where: { !$0.isFinite }) else { continue }
      throw TensorFileError(
        sound.file,
        "holds \(written(samples[frame])) at frame \(frame) of channel \(channel + 1); each number must be finite"
      )
    }
    guard sound.channels[0].count <= Self.mostSeconds * sound.sampleRate else {
      throw TensorFileError(
        sound.file,
        "lasts \(sound.channels[0].count / sound.sampleRate) s at \(sound.sampleRate) Hz; an impulse response lasts at most "
          + "\(Self.mostSeconds) s")
    }
    guard sound.channels.contains(where: { $0.contains { $0.magnitude >= .leastNormalMagnitude } }) else {
      throw TensorFileError(sound.file, "is silent; an impulse response has some number that is not 0")
    }
    self.sound = sound
  }

  /// The shape of its taps, before anything is done to them: one row, or one for each of two channels.
  package var shape: [Int] { shape(frames: sound.channels[0].count) }

  private func shape(frames: Int) -> [Int] {
    (sound.channels.count == 1 ? [] : [sound.channels.count]) + [frames]
  }

  /// The taps at a rate.
  package func taps(at rate: Double) -> (shape: [Int], numbers: Numbers) {
    let resampling = SincResampling(from: sound.sampleRate, to: rate)
    let rows = sound.channels.map { resampling.scaled($0) }
    let peak = rows.joined().reduce(0) { max($0, $1.magnitude) }
    let least = peak * Float(pow(10, Self.floor / 20))
    let last = rows.compactMap { row in row.lastIndex { $0.magnitude >= least } }.max() ?? 0
    return (shape(frames: last + 1), Numbers(rows.flatMap { $0[...last] }))
  }
}

/// Brings an array of samples from one rate to another at once, in double precision: a sinc with a Kaiser window.
///
/// A function of our own, though AudioIO has libsamplerate: the compiler needs no library of sound, and the taps of a
/// model have the same bits whichever version of one is installed.
struct SincResampling {
  /// Frames of the one rate that last as long as `to` of the other.
  private let from, to: Int
  /// What passes, of the frames' own band: the window's transition ends where the narrower of both bands does.
  private let band: Double

  /// Zeros of the sinc on each side, and the shape of the window: -100 dB of what does not pass.
  private static let (zeros, beta) = (96.0, 10.06)

  init(from: Int, to: Double) {
    // Of rates that are not whole, a thousandth decides.
    let scale = to == to.rounded() ? 1.0 : 1000.0
    var (a, b) = (from * Int(scale), Int((to * scale).rounded()))
    while b != 0 { (a, b) = (b, a % b) }
    (self.from, self.to) = (from * Int(scale) / a, Int((to * scale).rounded()) / a)
    band = 0.967 * min(1, Double(self.to) / Double(self.from))
  }

  /// The samples at the other rate, times the ratio of both.
  func scaled(_ samples: [Float]) -> [Float] {
    guard from != to else { return samples }
    let count = (samples.count * to + from - 1) / from
    // Rates that share little have a phase for each frame: they are read between two of fewer, -118 dB off.
    let phases = to <= 4096 ? to : 1024
    var kernels: [Int: [Double]] = [:]
    return (0..<count).map { frame in
      let (first, phase) = (frame * from / to, frame * from % to)
      func sum(_ phase: Int) -> Double {
        let kernel = kernels[phase] ?? self.kernel(Double(phase) / Double(phases))
        kernels[phase] = kernel
        // The middle of the kernel is at `first`.
        let begin = first - (kernel.count / 2 - 1)
        var sum = 0.0
        for index in max(0, -begin)..<max(max(0, -begin), min(kernel.count, samples.count - begin)) {
          sum += kernel[index] * Double(samples[begin + index])
        }
        return sum
      }
      let (below, share) = (phase * phases).quotientAndRemainder(dividingBy: to)
      var result = sum(below)
      if share > 0 { result += Double(share) / Double(to) * (sum(below + 1) - result) }
      return Float(result * Double(from) / Double(to))
    }
  }

  /// The shares of the samples around a place between two of them.
  private func kernel(_ share: Double) -> [Double] {
    let reach = Self.zeros / band
    let half = Int(reach.rounded(.up)) + 1
    return (1 - half...half).map { offset in
      let x = Double(offset) - share
      guard abs(x) < reach else { return 0 }
      let sinc = x == 0 ? band : sin(.pi * band * x) / (.pi * x)
      let edge = x / reach
      return sinc * Self.bessel(Self.beta * (1 - edge * edge).squareRoot()) / Self.bessel(Self.beta)
    }
  }

  /// The modified Bessel function of order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > 1e-18 * sum {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }
}
