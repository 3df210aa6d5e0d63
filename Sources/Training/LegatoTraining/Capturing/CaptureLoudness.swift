// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import RealtimeCore

/// The loudness of a capture, as its file states it.
enum CaptureLoudness {
  /// The loudness in decibels: 20 lg of the RMS of what comes out for plucked strings with an RMS level of -15 dB.
  ///
  /// The formula and the level are those of Neural Amp Modeler (`_metadata_loudness` in `nam/models/base.py`); it has a
  /// recording of a guitar there, which belongs to it.
  ///
  /// - Parameter program: of one channel.
  static func measured(of program: Program, sampleRate: Int) throws(ContextError) -> Double {
    var sound = TestSignal.measure(sampleRate: sampleRate)
    var context = try Context(program)
    var samples = sound.mutableSpan
    context.execute(frames: samples.count, inPlace: &samples)
    let power = sound.reduce(0) { $0 + Double($1) * Double($1) } / Double(sound.count)
    return 10 * log10(power)
  }
}
