// SPDX-License-Identifier: Apache-2.0

/// What takes frames of a sound, one after the other.
package protocol SoundTarget: AnyObject {
  /// Takes `frames` frames of the rows, one row a channel; the rows are only read.
  func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError)
}

extension AudioFileWriter: SoundTarget {}

/// Where a model's sound goes: into a file, until that is as long as it has to be.
///
///     frames of the model ─▶ writer, as many as are wanted
package final class SoundSink {
  /// Frames that were handed on.
  package private(set) var position: Int
  private let target: any SoundTarget
  /// How long the sound is to be, once that is known.
  private var end = Int.max

  package convenience init(_ target: any SoundTarget) { self.init(target, position: 0) }

  private init(_ target: any SoundTarget, position: Int) {
    self.target = target
    self.position = position
  }

  /// A sink that goes on as this one would, into another target; this one stays as it is.
  package func copy(into target: any SoundTarget) -> SoundSink { SoundSink(target, position: position) }

  /// Says how many frames there shall be in all; what comes after them is left out.
  package func end(after frames: Int) {
    precondition(frames >= position, "a sound does not end before what was written of it")
    end = frames
  }

  /// How many frames it takes, as far as can be said, until the sound is whole; 0 when it is.
  package var missing: Int { end - position }

  package func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) {
    let count = min(frames, end - position)
    guard count > 0 else { return }
    unsafe try target.write(rows, frames: count)
    position += count
  }
}
