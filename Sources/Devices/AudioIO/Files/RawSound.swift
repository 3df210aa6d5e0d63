// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The format of sound without a header: interleaved little-endian 32-bit floats.
package struct RawFormat: Hashable, Sendable {
  /// Frames per second.
  package let sampleRate: Int
  package let channels: Int

  package init(sampleRate: Int, channels: Int) {
    precondition(sampleRate > 0 && channels > 0, "raw sound has a rate and channels")
    self.sampleRate = sampleRate
    self.channels = channels
  }
}

/// Sound without a header that is being read, from wherever its descriptor stands.
///
/// A pipe hands over bytes as they come: a read goes on until it has whole frames.
final class RawSound {
  let format: RawFormat
  private let descriptor: Int32
  private let path: String
  private var bytesRead = 0

  /// The descriptor is closed with it.
  init(_ format: RawFormat, descriptor: Int32, path: String) {
    self.format = format
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Reads up to `frames` frames; 0 at the end.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(AudioFileError) -> Int {
    let frameBytes = format.channels * MemoryLayout<Float>.size
    let wanted = frames * frameBytes
    var done = 0
    while done < wanted {
      let count = unsafe Glibc.read(descriptor, UnsafeMutableRawPointer(samples) + done, wanted - done)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw AudioFileError(path, errno: errno) }
      if count == 0 { break }
      done += count
      bytesRead += count
    }
    return done / frameBytes
  }

  /// Throws where the sound ended within a frame.
  func checkEnd() throws(AudioFileError) {
    guard bytesRead % (format.channels * MemoryLayout<Float>.size) != 0 else { return }
    throw AudioFileError(
      path, .damaged("\(bytesRead) bytes are no whole number of frames of \(format.channels) floats"))
  }
}
