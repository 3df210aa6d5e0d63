// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file without a name, for what is too much to remember: it is gone with the process, however that ends.
///
/// It lies in the folder for temporary files, which `TMPDIR` names. Any thread may use it.
package final class ScratchFile: Sendable {
  private let descriptor: Int32
  /// What messages call it: the folder that it lies in.
  private let folder: String

  /// Nil where there is no place for one.
  package convenience init?() {
    let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    let folder = variable.isEmpty ? "/tmp" : variable
    var descriptor = unsafe open(folder, O_RDWR | Self.withoutName | O_CLOEXEC, 0o600)
    if descriptor < 0 { descriptor = Self.makeAndUnlink(in: folder) }
    guard descriptor >= 0 else { return nil }
    self.init(taking: descriptor, in: folder)
  }

  /// Takes an open file, and closes it in the end.
  package init(taking descriptor: Int32, in folder: String) {
    self.descriptor = descriptor
    self.folder = folder
  }

  /// O_TMPFILE, which is no plain number in C.
  private static let withoutName = 0o20_000_000 | O_DIRECTORY

  /// Not every file system makes files without a name.
  static func makeAndUnlink(in folder: String) -> Int32 {
    while true {
      let path = "\(folder)/.legato-" + OutputFile.randomLetters(OutputFile.markLength)
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { _ = unsafe unlink(path) }
      if descriptor >= 0 || errno != EEXIST { return descriptor }
    }
  }

  deinit { close(descriptor) }

  /// Writes all bytes; false where there is no room for them, or the device fails.
  package func write(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe pwrite(descriptor, rest.baseAddress!, rest.count, off_t(place + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Reads as many bytes as there are, up to a number.
  package func read(_ most: Int, at place: Int) throws(AudioFileError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = 0
      while count < most {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count..<most])
        let taken = unsafe pread(descriptor, rest.baseAddress!, rest.count, off_t(place + count))
        if taken < 0, errno == EINTR { continue }
        if taken < 0 { failure = errno }
        if taken <= 0 { break }
        count += taken
      }
    }
    guard failure == 0 else { throw unreadable(AudioFileError.Problem(errno: failure).sentence) }
    return bytes
  }

  /// Reads bytes that were written.
  package func readAll(_ count: Int, at place: Int) throws(AudioFileError) -> [UInt8] {
    let bytes = try read(count, at: place)
    guard bytes.count == count else { throw unreadable("it has become shorter") }
    return bytes
  }

  private func unreadable(_ reason: String) -> AudioFileError {
    AudioFileError(folder, .system("a temporary file in it cannot be read: \(reason)"))
  }
}
