// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// Speech at 16 kHz, one channel, full scale ±1.
package struct Speech: Hashable, Sendable {
  package static let rate = 16_000
  /// The longest, 20 minutes.
  private static let most = 20 * 60 * rate

  package var samples: [Float]

  package init(_ samples: [Float]) { self.samples = samples }

  /// Reads a sound file, whose channels are mixed and whose rate is changed.
  ///
  /// - Throws: `VoiceError.failed` where it is damaged, holds what is no finite number, or has no sound.
  package init(contentsOf path: String) throws(VoiceError) {
    var sound: [Float] = []
    do throws(AudioFileError) {
      var reader = try MonoReader(path: path, rate: Self.rate)
      while sound.count <= Self.most, let part = try reader.next() { sound += part }
    } catch {
      throw .failed(error.description)
    }
    guard sound.count <= Self.most else {
      throw .failed("\(path): is longer than \(Self.most / Self.rate / 60) minutes; cut it into parts")
    }
    guard !sound.isEmpty else { throw .failed("\(path): there is no sound in it") }
    samples = sound
  }

  package var seconds: Double { Double(samples.count) / Double(Self.rate) }
  package var peak: Float { samples.reduce(0) { max($0, abs($1)) } }
  package var decibels: Double { Self.decibels(samples[...]) }

  /// The mean power in decibels of full scale.
  package static func decibels(_ samples: ArraySlice<Float>) -> Double {
    let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    return 10 * log10(max(power, 1e-12))
  }

  /// The share of samples at full scale.
  package var clipped: Double {
    Double(samples.count { abs($0) >= 0.999 }) / Double(max(1, samples.count))
  }

  /// Below this level there is nobody who speaks, in decibels of full scale.
  package static let silence = -55.0
  /// The shortest speech that says whose it is, in seconds.
  package static let leastSeconds = 0.8

  /// Whether somebody can be known by this.
  ///
  /// - Throws: `VoiceError.failed` where it is silent or too short.
  package func check(_ name: String) throws(VoiceError) {
    guard seconds >= Self.leastSeconds else {
      // Rounded down, or it would be as long as what is enough.
      let length = String(format: "%.2f", (100 * seconds).rounded(.down) / 100)
      throw .failed("\(name): \(length) s are too short; \(Self.leastSeconds) s are the least")
    }
    guard decibels > Self.silence else {
      throw .failed(
        "\(name): silence (\(Self.figure(decibels)) dBFS); come nearer to the microphone, or turn its level up"
      )
    }
  }

  package static func figure(_ number: Double) -> String { String(format: "%.1f", number) }

  /// Writes a WAV file of floats, which appears in its place when it is whole.
  package func write(to path: String) throws(VoiceError) {
    var options = AudioFileWriter.Options()
    options.sampleFormat = .float
    do throws(AudioFileError) {
      let writer = try AudioFileWriter(path: path, channels: 1, sampleRate: Self.rate, options: options)
      let buffer = PlanarBuffer(channels: 1, capacity: max(1, samples.count))
      for (frame, sample) in samples.enumerated() { buffer[0, frame] = sample }
      unsafe try writer.write(buffer.rows, frames: samples.count)
      try writer.finish()
    } catch {
      throw .failed(error.description)
    }
  }
}
