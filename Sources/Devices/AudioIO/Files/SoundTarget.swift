// SPDX-License-Identifier: Apache-2.0

/// What takes frames of a sound, one after the other: a file, or who only listens for the last that can be heard.
package protocol SoundTarget: AnyObject {
  /// Takes `frames` frames of the rows, one row a channel; the rows are only read.
  func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError)
}

extension AudioFileWriter: SoundTarget {}
