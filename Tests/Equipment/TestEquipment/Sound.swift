// SPDX-License-Identifier: Apache-2.0

package import AudioIO

/// A whole sound in memory: `samples[channel][frame]`.
package struct Sound: Equatable {
  package var samples: [[Float]]
  package var sampleRate = 48000

  package init(samples: [[Float]], sampleRate: Int = 48000) {
    self.samples = samples
    self.sampleRate = sampleRate
  }

  package var frames: Int { samples[0].count }

  /// Another wave in each channel, within ±0.9 and far from periodic.
  package static func waves(channels: Int, frames: Int) -> Sound {
    Sound(
      samples: (0..<channels).map { channel in
        (0..<frames).map { frame in
          let turn = (frame &* (7919 &+ 104_729 &* channel) &+ 31 &* channel) % 65536
          return 0.9 * (Float(turn) / 32768 - 1)
        }
      })
  }

  /// Reads a whole file, `block` frames at a time.
  package static func read(_ path: String, block: Int = 1000) throws -> Sound {
    try read(AudioFileReader(path: path), block: block)
  }

  /// Reads what a reader has left.
  package static func read(_ reader: AudioFileReader, block: Int = 1000) throws -> Sound {
    let channels = reader.description.channels
    let buffer = PlanarBuffer(channels: channels, capacity: block)
    var sound = Sound(
      samples: Array(repeating: [], count: channels), sampleRate: reader.description.sampleRate)
    while true {
      let count = unsafe try reader.read(into: buffer.rows, frames: block)
      if count == 0 { return sound }
      for channel in 0..<channels {
        sound.samples[channel] += (0..<count).map { buffer[channel, $0] }
      }
    }
  }

  /// Appends the sound to a file, `block` frames at a time.
  package func write(to writer: AudioFileWriter, block: Int = 1000) throws {
    let buffer = PlanarBuffer(channels: samples.count, capacity: block)
    var start = 0
    while start < frames {
      let count = min(block, frames - start)
      for channel in 0..<samples.count {
        for frame in 0..<count {
          buffer[channel, frame] = samples[channel][start + frame]
        }
      }
      unsafe try writer.write(buffer.rows, frames: count)
      start += count
    }
  }

  /// Writes a whole file.
  @discardableResult
  package func write(
    _ path: String, _ format: SampleFormat = .float, dither: Dither = .none, block: Int = 1000
  ) throws -> AudioFileWriter {
    var options = AudioFileWriter.Options()
    options.sampleFormat = format
    options.dither = dither
    options.expectedFrames = frames
    let writer = try AudioFileWriter(
      path: path, channels: samples.count, sampleRate: sampleRate, options: options)
    try write(to: writer, block: block)
    try writer.finish()
    return writer
  }

  /// The same with every sample changed.
  package func map(_ change: (Float) -> Float) -> Sound {
    Sound(samples: samples.map { $0.map(change) }, sampleRate: sampleRate)
  }

  /// The largest difference to a sound of the same size.
  package func distance(to other: Sound) -> Float {
    zip(samples, other.samples).map { zip($0, $1).map { abs($0 - $1) }.max() ?? 0 }.max() ?? 0
  }
}

/// A WAV file of integers, made by hand.
package func waveFile(bits: Int, channels: Int, data: [UInt8]) -> [UInt8] {
  func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  let frameBytes = channels * bits / 8
  return Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    + little(1, 2)
    + little(channels, 2) + little(44100, 4) + little(44100 * frameBytes, 4) + little(frameBytes, 2)
    + little(bits, 2) + Array("data".utf8) + little(data.count, 4) + data
}
