// SPDX-License-Identifier: Apache-2.0

import AudioIO

/// A whole sound in memory: `channels[channel][frame]`.
struct Sound: Equatable {
  var channels: [[Float]]
  var sampleRate = 8000

  /// Another wave in each channel, within ±0.9 and far from periodic.
  static func waves(channels: Int, frames: Int) -> Sound {
    Sound(
      channels: (0..<channels).map { channel in
        (0..<frames).map { frame in
          let turn = (frame &* (7919 &+ 104_729 &* channel) &+ 31 &* channel) % 65536
          return 0.9 * (Float(turn) / 32768 - 1)
        }
      })
  }

  static func read(_ path: String) throws -> Sound {
    let reader = try AudioFileReader(path: path)
    let count = reader.description.channels
    let buffer = PlanarBuffer(channels: count, capacity: 4096)
    var sound = Sound(channels: Array(repeating: [], count: count), sampleRate: reader.description.sampleRate)
    while true {
      let frames = unsafe try reader.read(into: buffer.rows, frames: 4096)
      if frames == 0 { return sound }
      for channel in 0..<count { sound.channels[channel] += (0..<frames).map { buffer[channel, $0] } }
    }
  }

  /// Writes a file, of floats unless told otherwise, without dither.
  func write(_ path: String, _ format: SampleFormat = .float) throws {
    var options = AudioFileWriter.Options()
    options.sampleFormat = format
    options.dither = .none
    let writer = try AudioFileWriter(
      path: path, channels: channels.count, sampleRate: sampleRate, options: options)
    let frames = channels[0].count
    let buffer = PlanarBuffer(channels: channels.count, capacity: max(frames, 1))
    for (channel, samples) in channels.enumerated() {
      for (frame, sample) in samples.enumerated() { buffer[channel, frame] = sample }
    }
    unsafe try writer.write(buffer.rows, frames: frames)
    try writer.finish()
  }

  /// The same with every sample changed.
  func map(_ change: (Float) -> Float) -> Sound {
    Sound(channels: channels.map { $0.map(change) }, sampleRate: sampleRate)
  }
}
