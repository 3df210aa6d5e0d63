// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A text on its way to a file, which appears in its place when it is whole; a device or a pipe is written directly.
/// And one on its way from a file.
package enum TextFile {
  /// The bytes of a file or a pipe; of one that is longer, as many as asked for.
  package static func read(_ path: String, most: Int) throws(AudioFileError) -> [UInt8] {
    let descriptor = unsafe path.withPath { unsafe open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw AudioFileError(path, errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(most, 1 << 16))
    while bytes.count < most {
      let wanted = min(part.count, most - bytes.count)
      let count = unsafe part.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, wanted) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw AudioFileError(path, errno: errno) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    return bytes
  }

  /// Throws what would be in the way of a text at this place.
  package static func check(_ path: String, replaceExisting: Bool) throws(AudioFileError) {
    _ = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
  }

  /// - Parameters:
  ///   - replaceExisting: whether a file that stands in the place is replaced.
  ///   - pending: where the unfinished file is noted, for an interrupted run.
  ///   - syncs: whether it is on the disk when it is in its place.
  package static func write(
    _ text: String, to path: String, replaceExisting: Bool, pending: PendingFiles? = nil, syncs: Bool = false
  ) throws(AudioFileError) {
    try write([.success(text)], to: path, replaceExisting: replaceExisting, pending: pending, syncs: syncs)
  }

  /// The same for a long text that comes in parts. Where one cannot be had, there is no file.
  package static func write(
    _ parts: some Sequence<Result<String, AudioFileError>>, to path: String, replaceExisting: Bool,
    pending: PendingFiles? = nil,
    syncs: Bool = false
  ) throws(AudioFileError) {
    let place = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
    let output = try OutputFile(path: path, place: place, pending: pending, syncs: syncs)
    for part in parts {
      let bytes = Array(try part.get().utf8)
      _ = unsafe bytes.withUnsafeBytes { unsafe output.write($0) }
    }
    try output.commit()
  }
}
