// SPDX-License-Identifier: Apache-2.0

/// The target of a sound's frames, one after the other: a file, or a meter of the last audible frame.
package protocol SoundTarget: AnyObject {
  /// Takes `frames` frames of the rows, one row a channel; the rows are only read.
  func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError)
}

extension AudioFileWriter: SoundTarget {}
