// SPDX-License-Identifier: Apache-2.0

/// The sink of a model's sound: a file, until it is as long as it has to be.
///
///     frames of the model ─▶ writer
///     frames of the model ─▶ resampler ─▶ writer
///
/// A frame of the file can be made only when some of the model's are there that come after it. Before the end is known,
/// no frames are made that lie behind it, as a `SoundSource` needs those of its file first.
package final class SoundSink {
  /// Frames that were handed on to the target.
  package private(set) var position: Int
  /// Samples of the model that were not finite, and became silent before they were resampled.
  package private(set) var nonFiniteSamples = 0
  private let target: any SoundTarget
  /// Nil where the model has the file's rate.
  private let resampler: Resampler?
  /// The output of the resampler; nothing where there is none.
  private let chunk: PlanarBuffer
  /// Frames of the model that were taken.
  private var received = 0
  /// How long the sound is to be, in frames of the file, once that is known.
  private var end = Int.max

  package convenience init(
    _ target: any SoundTarget, channels: Int, through conversion: RateConversion? = nil
  ) {
    self.init(target, channels: channels, position: 0, conversion?.sink)
  }

  private init(_ target: any SoundTarget, channels: Int, position: Int, _ resampler: Resampler?) {
    self.target = target
    self.position = position
    self.resampler = resampler
    chunk = PlanarBuffer(channels: channels, capacity: resampler == nil ? 1 : 512)
  }

  /// A sink that goes on as this one would, into another target, while this one stays as it is.
  package func copy(into target: any SoundTarget) -> SoundSink {
    let copy = SoundSink(
      target, channels: chunk.channels, position: position, resampler.map { Resampler(copying: $0) })
    copy.received = received
    return copy
  }

  /// The frames of silence after which its output is silent.
  package var memory: Int { resampler?.memory ?? 0 }

  /// Says how many frames of the file there shall be in all; what comes after them is left out.
  package func end(after frames: Int) {
    precondition(frames >= position, "a sound does not end before what was written of it")
    end = frames
  }

  /// The length of the file in the model's frames; without end before that is known.
  package var modelFrames: Int {
    guard end < .max, let resampler else { return end }
    return resampler.ratio.inverse.frames(end)
  }

  /// How many frames of the model it takes, as far as can be said, until the sound is whole; 0 when it is.
  package var missing: Int {
    guard let resampler, position < end else { return end - position }
    return max(resampler.room, modelFrames - received)
  }

  package func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) {
    guard let resampler else { return unsafe try pass(rows, frames: frames) }
    let modelFrames = modelFrames
    var done = 0
    while done < frames {
      var count = min(frames - done, resampler.room)
      // Frames that come later are needed to make the last ones, but are not in the file.
      if received < modelFrames { count = min(count, modelFrames - received) }
      unsafe resampler.push(rows, from: done, frames: count)
      if received < modelFrames { nonFiniteSamples = resampler.nonFinite }
      done += count
      received += count
      while true {
        let made = unsafe resampler.pull(chunk.rows, from: 0, frames: chunk.capacity)
        if made == 0 { break }
        unsafe try pass(chunk.rows, frames: made)
      }
    }
  }

  private func pass(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) {
    let count = min(frames, end - position)
    guard count > 0 else { return }
    unsafe try target.write(rows, frames: count)
    position += count
  }
}
