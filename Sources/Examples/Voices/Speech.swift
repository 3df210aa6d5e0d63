// SPDX-License-Identifier: Apache-2.0

package import AudioIO
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
  /// - Throws: `VoiceError.failed` where it is damaged, or has no sound.
  package init(contentsOf path: String) throws(VoiceError) {
    var sound: Downmix
    do throws(AudioFileError) {
      let reader = try AudioFileReader(path: path)
      let description = reader.description
      sound = try Downmix(channels: description.channels, rate: description.sampleRate, path: path)
      let buffer = PlanarBuffer(channels: description.channels, capacity: 8192)
      while true {
        let count = unsafe try reader.read(into: buffer.rows, frames: 8192)
        guard count > 0 else { break }
        unsafe sound.add(buffer.rows, frames: count)
        guard sound.samples.count <= Self.most else { break }
      }
    } catch {
      throw .failed(error.description)
    }
    guard sound.samples.count <= Self.most else {
      throw .failed("\(path): is longer than \(Self.most / Self.rate / 60) minutes; cut it into parts")
    }
    samples = sound.finish()
    guard !samples.isEmpty else { throw .failed("\(path): there is no sound in it") }
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
  /// - Throws: `VoiceError.failed` where it is silent, too short, or holds what is no finite number.
  package func check(_ name: String) throws(VoiceError) {
    guard seconds >= Self.leastSeconds else {
      throw .failed("\(name): \(Self.figure(seconds)) s are too short; \(Self.leastSeconds) s are the least")
    }
    guard samples.allSatisfy(\.isFinite) else { throw .failed("\(name): a sample is no finite number") }
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

/// Sound of any channels and rate on its way to one channel at 16 kHz.
package struct Downmix {
  private let channels: Int
  private let resampler: Resampler?
  private let mixed = PlanarBuffer(channels: 1, capacity: 1 << 16)
  private let made = PlanarBuffer(channels: 1, capacity: 1 << 16)
  private var taken = 0
  private let ratio: RateRatio
  package private(set) var samples: [Float] = []

  /// - Throws: `AudioFileError` where no resampler goes so far.
  package init(channels: Int, rate: Int, path: String) throws(AudioFileError) {
    self.channels = channels
    ratio = RateRatio(from: rate, to: Speech.rate)
    do throws(ResamplerError) {
      resampler =
        rate == Speech.rate
        ? nil : try Resampler(channels: [0], from: rate, to: Speech.rate, quality: .medium)
    } catch {
      throw AudioFileError(path, .cannotHold("cannot be brought to \(Speech.rate) Hz: \(error)"))
    }
  }

  /// Takes frames of the rows; at most 65,536.
  package mutating func add(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    let share = 1 / Float(channels)
    for frame in 0..<frames {
      var sum: Float = 0
      for channel in 0..<channels { unsafe sum += rows[channel][frame] }
      unsafe mixed.rows[0][frame] = sum * share
    }
    taken += frames
    guard let resampler else {
      unsafe samples += UnsafeBufferPointer(start: mixed.rows[0], count: frames)
      return
    }
    var start = 0
    while start < frames {
      let count = min(resampler.room, frames - start)
      unsafe resampler.push(mixed.rows, from: start, frames: count)
      start += count
      pull(from: resampler, atMost: .max)
    }
  }

  /// All of it, once nothing more comes.
  package mutating func finish() -> [Float] {
    guard let resampler else { return samples }
    let whole = ratio.frames(taken)
    while samples.count < whole {
      resampler.pushSilence()
      pull(from: resampler, atMost: whole)
    }
    return samples
  }

  /// Forgets what came earlier than the last so many samples.
  package mutating func keep(last count: Int) { samples.removeFirst(max(0, samples.count - count)) }

  private mutating func pull(from resampler: Resampler, atMost whole: Int) {
    while samples.count < whole {
      let count = unsafe resampler.pull(made.rows, from: 0, frames: min(1 << 16, whole - samples.count))
      guard count > 0 else { return }
      unsafe samples += UnsafeBufferPointer(start: made.rows[0], count: count)
    }
  }
}
