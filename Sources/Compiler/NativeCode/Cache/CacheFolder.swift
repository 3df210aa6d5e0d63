// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An open folder that is the user's own, to which nobody else writes: what stands in it is executed.
///
/// No call fails aloud: what cannot be read is not there, and what cannot be written is not kept.
@safe final class CacheFolder {
  private let descriptor: Int32

  /// - Parameter making: which folders are made where they are missing.
  init?(path: String, making: Making? = nil) {
    if let making { making.make(path) }
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    guard let status = Self.status(of: folder), Self.isOwn(status) else {
      close(folder)
      return nil
    }
    descriptor = folder
  }

  deinit { close(descriptor) }

  fileprivate static func status(of descriptor: Int32) -> stat? {
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

  /// Writes a file that appears when it is whole, and says whether it did.
  func write(_ name: String, _ bytes: [UInt8]) -> Bool {
    let unfinished = "\(name).\(UInt64.random(in: .min ... .max))"
    let file = unsafe openat(
      descriptor, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
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
    if isWhole, unsafe renameat(descriptor, unfinished, descriptor, name) == 0 { return true }
    unsafe unlinkat(descriptor, unfinished, 0)
    return false
  }

  /// Removes those of some files that have no room in so many bytes beside all that were used later.
  ///
  /// A use in the future counts as none: a clock that was wrong once keeps nothing for good.
  func shrink(to most: Int, _ isMeant: (String) -> Bool) {
    typealias File = (name: String, size: Int, used: (Int, Int))
    var files = names.filter(isMeant).compactMap { name -> File? in
      var status = stat()
      guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return (name, Int(status.st_size), (status.st_mtim.tv_sec, status.st_mtim.tv_nsec))
    }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    func use(_ file: File) -> (Int, Int) { file.used > (now.tv_sec, now.tv_nsec) ? (.min, 0) : file.used }
    files.sort { use($0) > use($1) }
    var room = most
    for file in files {
      if file.size <= room { room -= file.size } else { unsafe unlinkat(descriptor, file.name, 0) }
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

extension CacheFolder {
  /// The folders at the end of a path that are made where they are missing.
  ///
  /// Each is made in an open folder that is the user's own: who runs the command as root, with the home of another,
  /// finds no folder there afterwards that only root writes to.
  enum Making: Hashable {
    /// The last ones, so many.
    case last(Int)
    /// The last, which somebody has named; also in a folder where everybody makes what only its owner removes.
    case named

    fileprivate func make(_ path: String) {
      switch self {
      case .last(let count): Self.make(path, count) { $0.st_uid == geteuid() }
      case .named: Self.make(path, 1) { $0.st_uid == geteuid() || $0.st_mode & S_ISVTX != 0 }
      }
    }

    private static func make(_ path: String, _ count: Int, within isAllowed: (stat) -> Bool) {
      guard count > 0 else { return }
      let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
      let parent = start == path.startIndex ? "." : String(Substring(path.utf8[..<start]))
      make(CacheFolder.withoutSlashes(parent), count - 1, within: isAllowed)
      let folder = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { return }
      defer { close(folder) }
      guard let status = CacheFolder.status(of: folder), isAllowed(status) else { return }
      unsafe mkdirat(folder, String(Substring(path.utf8[start...])), 0o700)
    }
  }

  /// A path that ends in a name: behind a slash, a link would be followed.
  static func withoutSlashes(_ path: String) -> String {
    let slash = UInt8(ascii: "/")
    guard let last = path.utf8.lastIndex(where: { $0 != slash }) else { return path }
    return String(Substring(path.utf8[...last]))
  }
}
