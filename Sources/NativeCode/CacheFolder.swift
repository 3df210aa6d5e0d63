// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An open folder that is the user's own, to which nobody else writes: what stands in it is executed.
///
/// No call fails aloud: what cannot be read is not there, and what cannot be written is not kept.
@safe final class CacheFolder {
  private let descriptor: Int32

  /// - Parameter makes: whether it is made where it is missing, with those that it stands in.
  init?(path: String, makes: Bool = false) {
    if makes { Self.make(path) }
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    guard let status = Self.status(of: folder), Self.isOwn(status) else {
      close(folder)
      return nil
    }
    descriptor = folder
  }

  deinit { close(descriptor) }

  private static func make(_ path: String) {
    var places = path.utf8.indices.dropFirst().filter { path.utf8[$0] == UInt8(ascii: "/") }
    places.append(path.endIndex)
    for place in places { unsafe mkdir(String(path[..<place]), 0o700) }
  }

  private static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }

  private static func isOwn(_ status: stat) -> Bool {
    status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// The bytes of a file, whose time becomes that of this use; nil where there is none that is the user's own.
  ///
  /// - Parameter most: the most bytes that it may have.
  func read(_ name: String, most: Int) -> [UInt8]? {
    // Without waiting: somebody may have put a pipe there.
    let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard let status = Self.status(of: file), Self.isOwn(status), status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= most
    else { return nil }
    let size = Int(status.st_size)
    var filled = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while filled < size, let start = buffer.baseAddress {
        let part = unsafe Glibc.read(file, start + filled, size - filled)
        guard part > 0 else { break }
        filled += part
      }
      count = filled
    }
    futimens(file, nil)
    return bytes
  }

  /// Writes a file that appears when it is whole.
  func write(_ name: String, _ bytes: [UInt8]) {
    let unfinished = "\(name).\(UInt64.random(in: .min ... .max))"
    let file = unsafe openat(
      descriptor, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    var isWhole = unsafe bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count, let start = buffer.baseAddress {
        let part = unsafe Glibc.write(file, start + written, buffer.count - written)
        guard part > 0 else { return false }
        written += part
      }
      return true
    }
    if close(file) != 0 { isWhole = false }
    if isWhole, unsafe renameat(descriptor, unfinished, descriptor, name) == 0 { return }
    unsafe unlinkat(descriptor, unfinished, 0)
  }

  /// Removes those of some files that were used longest ago, until all of them have so many bytes at most.
  func shrink(to most: Int, _ isMeant: (String) -> Bool) {
    var files = names.filter(isMeant).compactMap { name -> (name: String, size: Int, used: timespec)? in
      var status = stat()
      guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
      return (name, Int(status.st_size), status.st_mtim)
    }
    files.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
    var sum = files.reduce(0) { $0 + $1.size }
    for file in files where sum > most {
      unsafe unlinkat(descriptor, file.name, 0)
      sum -= file.size
    }
  }

  private var names: [String] {
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard let listing = unsafe fdopendir(copy) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        })
    }
    return names
  }
}
