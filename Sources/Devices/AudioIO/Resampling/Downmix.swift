// SPDX-License-Identifier: Apache-2.0

/// Sound of any channels and rate on its way to one channel at another rate: the mean of the channels, resampled.
///
///     add ─▶ mean of the channels ─▶ resampler ─▶ take
package struct Downmix {
  private let channels: Int
  private let resampler: Resampler?
  private let mixed = PlanarBuffer(channels: 1, capacity: Self.most)
  private let made = PlanarBuffer(channels: 1, capacity: Self.most)
  private let ratio: RateRatio
  /// Frames that came, and that were made of them.
  private var (came, went) = (0, 0)
  private var samples: [Float] = []

  /// The most frames that it is given at a time.
  package static let most = 1 << 16

  /// - Throws: `ResamplerError` where no resampler goes from the one rate to the other.
  package init(channels: Int, from rate: Int, to target: Int) throws(ResamplerError) {
    self.channels = channels
    ratio = RateRatio(from: rate, to: target)
    resampler =
      rate == target ? nil : try Resampler(channels: [0], from: rate, to: target, quality: .medium)
  }

  /// Takes frames of the rows; at most `most`.
  package mutating func add(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    let share = 1 / Float(channels)
    for frame in 0..<frames {
      var sum: Float = 0
      for channel in 0..<channels { unsafe sum += rows[channel][frame] }
      unsafe mixed.rows[0][frame] = sum * share
    }
    came += frames
    guard let resampler else {
      went += frames
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

  /// Makes the rest, once nothing more comes.
  package mutating func finish() {
    guard let resampler else { return }
    let whole = ratio.frames(came)
    while went < whole {
      resampler.pushSilence()
      pull(from: resampler, atMost: whole)
    }
  }

  /// Hands over what was made since the last time.
  package mutating func take() -> [Float] {
    defer { samples = [] }
    return samples
  }

  private mutating func pull(from resampler: Resampler, atMost whole: Int) {
    while went < whole {
      let count = unsafe resampler.pull(made.rows, from: 0, frames: min(Self.most, whole - went))
      guard count > 0 else { return }
      went += count
      unsafe samples += UnsafeBufferPointer(start: made.rows[0], count: count)
    }
  }
}
