// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import GraphIR

/// The impulse response of a cabinet, a room or a filter, for a model of any rate.
///
///     sound at 44100 Hz ─▶ at the model's rate, times 44100 / rate ─▶ without what is below -90 dB at its end
///
/// A tap for each frame: at twice the rate there are twice as many, of half the size, so that each frequency is as loud
/// as it was. Nothing is cut off at the beginning, its level stays what the file says, and it comes as early as there.
package final class ImpulseResponse: Sendable {
  package let sound: WaveFile

  /// Below its peak the end is silence.
  static let floor = -90.0
  /// A file that states a low rate could ask for more taps than its bytes can pay for.
  private static let mostTaps = WaveFile.mostSamples
  /// The most of the model's frames that last as long as one of the file's.
  private static let largestRatio = 32.0

  /// - Throws: `TensorFileError` where a sample is not finite, or there is nothing but silence.
  package init(_ sound: WaveFile) throws(TensorFileError) {
    for (channel, samples) in sound.channels.enumerated() {
      guard let frame = samples.firstIndex(where: { !$0.isFinite }) else { continue }
      throw TensorFileError(
        sound.file,
        "holds \(written(samples[frame])) at frame \(frame) of channel \(channel + 1); each number must be finite"
      )
    }
    guard sound.channels.contains(where: { $0.contains { $0.magnitude >= .leastNormalMagnitude } }) else {
      throw TensorFileError(sound.file, "is silent; an impulse response has some number that is not 0")
    }
    self.sound = sound
  }

  /// The taps at a rate: one row, or one for each of two channels.
  ///
  /// - Throws: `TensorFileError` where they would be too many.
  package func taps(at rate: Double) throws(TensorFileError) -> (shape: [Int], numbers: Numbers) {
    let ratio = rate / Double(sound.sampleRate)
    guard rate >= 1, ratio <= Self.largestRatio else {
      throw TensorFileError(
        sound.file,
        "is at \(sound.sampleRate) Hz, and the model at \(written(rate)) Hz; an impulse response is brought to 1 Hz "
          + "at least, and to \(Int(Self.largestRatio)) times its rate at most")
    }
    let count = sound.channels.count
    let frames = Double(sound.channels[0].count) * ratio
    guard frames <= Double(Self.mostTaps / count) else {
      throw TensorFileError(
        sound.file,
        "has \(written(frames.rounded(.up))) taps at \(written(rate)) Hz; an impulse response has at most "
          + "\(Self.mostTaps / count), so cut off its end")
    }
    let resampling = SincResampling(from: Double(sound.sampleRate), to: rate)
    let rows = sound.channels.map { resampling.scaled($0) }
    let peak = rows.joined().reduce(0) { max($0, $1.magnitude) }
    let least = peak * Float(pow(10, Self.floor / 20))
    let last = rows.compactMap { row in row.lastIndex { $0.magnitude >= least } }.max() ?? 0
    return ((count == 1 ? [] : [count]) + [last + 1], Numbers(rows.flatMap { $0[...last] }))
  }
}
