// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// The bytes of a file, each part of which is read when it is asked for, into memory of whoever asks.
///
/// It is never mapped: whoever shortens a mapped file ends the process that looks at it, and whoever writes into it
/// changes numbers that were checked and that play. What was read stays as it is, whatever becomes of the file, and what was
/// let go is read again from the same file only.
package final class FileReader: Sendable {
  /// The descriptor of a file, or bytes in its place.
  private enum Source {
    case file(Int32)
    case bytes([UInt8])
  }

  /// The reason why bytes are not read, as it follows the file's name.
  struct Failure: Error {
    let message: String
  }

  /// The bytes of the file when it was opened.
  package let count: Int
  private let source: Source
  /// The last change of its content when it was opened; nil for bytes.
  private let changed: timespec?

  /// Takes over the descriptor of an open file, which is closed at the end, in any case; nil where the system says
  /// nothing about it, and `errno` why.
  package init?(taking descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    (source, count, changed) = (.file(descriptor), Int(status.st_size), status.st_mtim)
  }

  package init(_ bytes: [UInt8]) { (source, count, changed) = (.bytes(bytes), bytes.count, nil) }

  /// The bytes that stand in the place of a file; nil for a file.
  package var given: [UInt8]? {
    switch source {
    case .bytes(let bytes): bytes
    case .file: nil
    }
  }

  deinit {
    switch source {
    case .file(let descriptor): close(descriptor)
    case .bytes: break
    }
  }

  /// Fills memory with the bytes that begin at a place.
  ///
  /// Precondition: the file had as many when it was opened.
  func read(from place: Int, into memory: UnsafeMutableRawBufferPointer) throws(Failure) {
    try unsafe fill(memory, from: place)
    try checkIsUnchanged()
  }

  /// The same for those who know by the bytes whether they are others now.
  func fill(_ memory: UnsafeMutableRawBufferPointer, from place: Int) throws(Failure) {
    precondition(place >= 0 && place + memory.count <= count, "bytes of the file")
    switch source {
    case .bytes(let bytes): unsafe memory.copyBytes(from: bytes[place..<place + memory.count])
    case .file(let descriptor):
      var done = 0
      while done < memory.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[done...])
        let part = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(place + done))
        if part < 0, errno == EINTR { continue }
        guard part >= 0 else {
          throw Failure(message: "cannot be read (\(unsafe String(cString: strerror(errno))))")
        }
        if part == 0 { break }
        done += part
      }
      guard done == memory.count else { throw Self.wasChanged }
    }
  }

  private static var wasChanged: Failure { Failure(message: "was changed while it was read") }

  /// Refuses a file into which somebody has written since it was opened, as far as its size and its time tell.
  func checkIsUnchanged() throws(Failure) {
    guard case .file(let descriptor) = source else { return }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, let changed, Int(status.st_size) == count,
      status.st_mtim.tv_sec == changed.tv_sec, status.st_mtim.tv_nsec == changed.tv_nsec
    else { throw Self.wasChanged }
  }
}
