// SPDX-License-Identifier: Apache-2.0

/// Brings a stream of planar sound from one sample rate to another, with libsamplerate.
///
///     push ─▶ chunk ─▶ libsamplerate ─▶ made frames ─▶ pull
///
/// Frame n of what comes out is the sound at the time n / `to`, where frame 0 of what goes in is at 0; before and after
/// it there is silence. What makes frames late in libsamplerate is trimmed: silence goes in first, so that the delay
/// is a whole number of frames on both sides.
///
///     44100 ─▶ 48000, one frame late   146 frames of silence go in, 160 frames are left out
///
/// Chunks are of one size, however the sound is cut: it changes no bit. Memory does not depend on its length. What is
/// not finite becomes silent before it can reach its neighbours.
package final class Resampler {
  let ratio: RateRatio
  /// The rows that it takes and makes, of those that it is given.
  let channels: [Int]
  /// Samples that were not finite, and became silent.
  package private(set) var nonFinite = 0

  private let groups: [ResamplerGroup]
  /// Frames that it takes at a time.
  let chunk: Int
  /// Frames of the chunk that is being filled.
  private var staged = 0
  /// Frames that were made, and how many of them are gone.
  private var made = 0
  private var taken = 0
  /// Frames that are still to be left out.
  private var late: Int

  package init(
    channels: [Int], from: Int, to: Int, quality: ResamplingQuality
  ) throws(ResamplerError) {
    guard max(from, to) <= ResamplerError.largestRatio * min(from, to) else {
      throw .ratio(from: from, to: to)
    }
    ratio = RateRatio(from: from, to: to)
    self.channels = channels
    // Of large ratios, so much comes out of a few frames.
    chunk = max(16, min(512, 4096 * ratio.from / ratio.to))
    var groups: [ResamplerGroup] = []
    for part in ResamplerGroup.parts(of: channels) {
      groups.append(
        try ResamplerGroup(
          channels: part, quality: quality, inputFrames: chunk, outputFrames: ratio.frames(chunk) + 8))
    }
    self.groups = groups
    late = quality.delay * ratio.to
    pushSilence(quality.delay * (ratio.from - 1))
  }

  /// A resampler that goes on as another one would, which stays as it is.
  init(copying other: Resampler) {
    ratio = other.ratio
    channels = other.channels
    nonFinite = other.nonFinite
    groups = other.groups.map { ResamplerGroup(copying: $0) }
    (chunk, staged, made, taken) = (other.chunk, other.staged, other.made, other.taken)
    late = other.late
  }

  /// After so many frames of silence, nothing comes out but silence.
  var memory: Int { 2 * chunk + ResamplingQuality.reach * max(1, (ratio.from + ratio.to - 1) / ratio.to) }

  /// How many frames it takes before it makes more; there are none left to pull then.
  package var room: Int { chunk - staged }

  /// Takes frames of the rows, from `start` on; at most as many as there is room for.
  package func push(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, frames: Int) {
    precondition(taken == made && frames <= room, "there is room for what is pushed")
    for group in groups {
      nonFinite += unsafe group.stage(rows, from: start, count: frames, at: staged)
    }
    advance(frames)
  }

  /// Takes silence until frames come out of it.
  package func pushSilence() {
    precondition(taken == made, "there is room for what is pushed")
    for group in groups { group.stageSilence(room, at: staged) }
    advance(room)
  }

  /// Hands over up to `frames` frames, into the rows from `start` on, and returns how many; 0 where it needs more.
  package func pull(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, frames: Int)
    -> Int
  {
    let count = min(frames, made - taken)
    for group in groups { unsafe group.take(count, at: taken, into: rows, from: start) }
    taken += count
    return count
  }

  /// Silence at the beginning, of which nothing is to come out.
  private func pushSilence(_ frames: Int) {
    var left = frames
    while left > 0 {
      let count = min(left, room)
      for group in groups { group.stageSilence(count, at: staged) }
      advance(count)
      precondition(taken == made, "the silence at the beginning is left out")
      left -= count
    }
  }

  private func advance(_ frames: Int) {
    staged += frames
    guard staged == chunk else { return }
    let counts = groups.map { $0.process(ratio: Double(ratio.to) / Double(ratio.from)) }
    precondition(counts.allSatisfy { $0 == counts[0] }, "all channels are equally long")
    made = counts[0]
    taken = min(late, made)
    late -= taken
    staged = 0
  }
}
