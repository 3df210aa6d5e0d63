// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The bytes of a file, whatever its name is made of.
package enum FileBytes {
  /// Reads the beginning of a file, or all of it where it has no more bytes than that.
  ///
  /// Whoever takes a number of bytes asks for one more: it says that the file has too many.
  ///
  /// - Parameter waits: whether a pipe is read, too: to open it is to wait for who writes to it.
  /// - Throws: `AudioFileError`, also where a folder stands in the place.
  package static func read(
    _ path: String, most: Int, waits: Bool = true
  ) throws(AudioFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: path, most: most, waits: waits) { bytes += $0 }
    return bytes
  }

  /// Hands out the beginning of a file in pieces of a megabyte at most.
  ///
  /// - Parameters:
  ///   - most: where it ends; all of the file is the default.
  ///   - waits: whether a pipe is read, too: to open it is to wait for who writes to it.
  /// - Throws: `AudioFileError`, also where a folder stands in the place.
  package static func forEachPiece(
    of path: String, most: Int = .max, waits: Bool = true, _ body: ([UInt8]) -> Void
  ) throws(AudioFileError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw AudioFileError(path, .missing) }
    let flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)
    let descriptor = unsafe path.withPath { unsafe open($0, flags) }
    guard descriptor >= 0 else { throw AudioFileError(path, errno: errno) }
    defer { close(descriptor) }
    let status = try FileStatus(descriptor: descriptor, path: path)
    guard !status.isFolder else { throw AudioFileError(path, .isFolder) }
    guard waits || status.isFile else { throw AudioFileError(path, .system("is no ordinary file")) }

    // The bytes in a pipe are not known beforehand.
    let room = min(max(status.size + 1, 1 << 16), 1 << 20)
    var left = most
    while left > 0 {
      var failure: Int32 = 0
      let part = unsafe [UInt8](unsafeUninitializedCapacity: min(room, left)) { buffer, count in
        let taken = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        failure = taken < 0 ? errno : 0
        count = max(0, taken)
      }
      if failure == EINTR { continue }
      guard failure == 0 else { throw AudioFileError(path, errno: failure) }
      if part.isEmpty { break }
      body(part)
      left -= part.count
    }
  }
}
