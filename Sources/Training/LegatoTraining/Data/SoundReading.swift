// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Whole sound files in memory.
enum SoundReading {
  /// The channels of a file.
  ///
  /// - Parameter other: what messages call that which has the rate.
  /// - Throws: `TrainingError.data` where it is damaged, empty, at another rate, or has a number that is not finite.
  static func channels(
    of path: String, sampleRate: Int, as other: String = "the model, or the first sound,"
  ) throws(TrainingError) -> [[Float]] {
    let (channels, rate): ([[Float]], Int)
    do throws(AudioFileError) {
      (channels, rate) = try all(of: AudioFileReader(path: path))
    } catch {
      throw .data(error.description)
    }
    guard rate == sampleRate else {
      throw .data("\(path) is at \(rate) Hz, and \(other) at \(sampleRate): resample it first")
    }
    guard channels.first?.isEmpty == false else { throw .data("\(path) has no sound") }
    for (channel, numbers) in channels.enumerated() {
      guard let frame = numbers.firstIndex(where: { !$0.isFinite }) else { continue }
      throw .data("\(path): frame \(frame) of channel \(channel + 1) is no finite number")
    }
    return channels
  }

  /// Some frames of all channels, one channel after the other; silence before the first frame and behind the last one.
  static func frames(_ range: Range<Int>, of channels: [[Float]]) -> [Float] {
    var result: [Float] = []
    result.reserveCapacity(range.count * channels.count)
    for channel in channels {
      let own = channel[range.clamped(to: channel.indices)]
      let before = min(range.count, max(0, -range.lowerBound))
      result.append(contentsOf: repeatElement(0, count: before))
      result.append(contentsOf: own)
      result.append(contentsOf: repeatElement(0, count: range.count - before - own.count))
    }
    return result
  }

  private static func all(
    of reader: AudioFileReader
  ) throws(AudioFileError) -> (channels: [[Float]], sampleRate: Int) {
    let description = reader.description
    let buffer = PlanarBuffer(channels: description.channels, capacity: 8192)
    var channels = [[Float]](repeating: [], count: description.channels)
    while true {
      let count = unsafe try reader.read(into: buffer.rows, frames: 8192)
      guard count > 0 else { return (channels, description.sampleRate) }
      for channel in channels.indices {
        let row = unsafe UnsafeBufferPointer(start: buffer.rows[channel], count: count)
        unsafe channels[channel] += row
      }
    }
  }
}
