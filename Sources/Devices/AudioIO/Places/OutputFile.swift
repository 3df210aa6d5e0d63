// SPDX-License-Identifier: Apache-2.0

internal import CSndFile
internal import Glibc

/// The bytes of an output on their way to their place.
///
///     file:    .NAME.legato-XXXXXX ─▶ NAME, renamed when it is whole; removed when it is abandoned
///              where it is asked for, all bytes are on the disk before, and the name afterwards
///     stream:  written directly, in order; what would change bytes that have gone is dropped
///
/// Where bytes of a file are gathered, it may be a while until a write fails.
/// A failed write is remembered in `failure`: libsndfile forgets the reason, and closes without a word.
final class OutputFile {
  let path: String
  /// The error number of the first failed write; 0 where none failed.
  private(set) var failure: Int32 = 0

  private var descriptor: Int32
  private let temporary: Temporary?
  private let syncs: Bool
  private var position = 0
  private var length = 0
  /// The length to which a failure goes back; nil for that of all writes that did not fail.
  private var whole: Int?
  /// The beginning of a stream, while its header may still change, and of a file whose header is changed.
  private var held: [UInt8]?
  /// The beginning as it was before it was changed; empty where it was not. What follows it has moved by some bytes.
  private var header: [UInt8] = []
  private var shift = 0
  private var isCorrected = false
  /// Changes the beginning as it is written by the first frames; nil where it stays as it is.
  private let headerChange: (([UInt8]) -> [UInt8])?
  /// Of a file, what has not been handed to the system.
  private var gathered = GatheredBytes()
  private let gathers: Bool

  private struct Temporary {
    let path: String
    let target: String
    let replaces: FileStatus?
    let pending: PendingFiles?
    let slot: Int?
  }

  /// - Parameters:
  ///   - path: what messages call the output.
  ///   - hasHeader: whether the beginning of a stream may change until the first frames have been written.
  ///   - pending: where the temporary file is noted while it is not whole.
  ///   - syncs: whether a file is on the disk, power cut or not, when it is in its place.
  ///   - gathers: whether bytes of a file are handed to the system in few large calls.
  ///   - headerChange: makes the beginning of the file of what is written as such; nil where that stays as it is.
  init(
    path: String, place: OutputPlace, hasHeader: Bool = true, pending: PendingFiles?, syncs: Bool = false,
    gathers: Bool = false, headerChange: (([UInt8]) -> [UInt8])? = nil
  ) throws(AudioFileError) {
    self.path = path
    self.headerChange = headerChange
    self.syncs = syncs
    self.gathers = gathers
    switch place {
    case .stream:
      temporary = nil
      held = hasHeader ? [] : nil
      descriptor =
        path == OutputPlace.standardOutput
        ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
        : unsafe path.withPath { unsafe open($0, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw AudioFileError(path, errno: errno) }
    case .file(let target, let replaces):
      held = headerChange == nil ? nil : []
      (temporary, descriptor) = try Self.makeTemporary(target, replaces, pending, path)
    }
  }

  deinit {
    abandon()
  }

  /// Whether earlier bytes can be corrected.
  var isStream: Bool { temporary == nil }

  /// The problem of the first failure.
  var problem: AudioFileError.Problem { isInterrupted ? .interrupted : .init(errno: failure) }

  private var isInterrupted: Bool { temporary?.pending?.isClosed ?? false }

  /// Forgets what lies behind the header that was written last, which may be shorter than one before.
  func discardTail() {
    guard position < length else { return }
    if held != nil {
      held!.removeLast(length - position)
    } else {
      writeGathered()
      if ftruncate(descriptor, off_t(moved(position))) != 0, failure == 0 { failure = errno }
    }
    length = position
  }

  /// Goes back to the bytes that were written whole, and takes more, or others in their place; false for a stream.
  func discardFailure() -> Bool {
    if let whole { (position, length) = (whole, whole) }
    guard !isStream, descriptor >= 0, ftruncate(descriptor, off_t(moved(length))) == 0 else { return false }
    failure = 0
    return true
  }

  /// Notes that what was written is of use as it is: there a failure goes back to.
  func markWhole() { whole = length }

  /// Lets it flow: its header stands, as the first frames have been written.
  func releaseHeader() {
    guard let header = held else { return }
    held = nil
    var bytes = isStream ? StreamedWaveHeader.opened(header) : header
    if let headerChange { bytes = headerChange(bytes) }
    if headerChange != nil { (self.header, shift) = (header, bytes.count - header.count) }
    _ = unsafe bytes.withUnsafeBytes { unsafe put($0, at: 0) }
  }

  /// Puts the whole file into its place.
  func commit() throws(AudioFileError) {
    guard descriptor >= 0 else { return }
    releaseHeader()
    if isCorrected, !isStream, let headerChange {
      let bytes = headerChange(header)
      precondition(bytes.count == header.count + shift, "a changed header keeps its length")
      _ = unsafe bytes.withUnsafeBytes { unsafe put($0, at: 0) }
    }
    writeGathered()
    guard let temporary else {
      closeDescriptor()
      if failure != 0 { throw AudioFileError(path, errno: failure) }
      return
    }
    if let replaced = temporary.replaces {
      // Only root can give files away; the file keeps its maker then.
      _ = fchown(descriptor, replaced.owner, replaced.group)
      _ = fchmod(descriptor, replaced.permissions)
    }
    if syncs, failure == 0, fdatasync(descriptor) != 0 { failure = errno }
    // The same open file: while it is held, the lock says that somebody is at work.
    let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    closeDescriptor()
    defer {
      close(lock)
      forget(temporary)
    }
    if failure == 0 { failure = Self.rename(temporary) }
    if failure != 0 {
      Self.remove(temporary.path, lock)
      throw AudioFileError(path, problem)
    }
    if syncs { Self.syncFolder(of: temporary.target) }
  }

  /// Brings the names in a folder to the disk. Not every file system does so on demand: the file itself is there.
  private static func syncFolder(of path: String) {
    let folder = unsafe PathText.folder(of: path).withPath {
      unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard folder >= 0 else { return }
    _ = fsync(folder)
    close(folder)
  }

  /// Removes what was written; does nothing after `commit`.
  func abandon() {
    guard descriptor >= 0 else { return }
    if let temporary {
      Self.remove(temporary.path, descriptor)
      forget(temporary)
    }
    close(descriptor)
    descriptor = -1
  }

  private func forget(_ temporary: Temporary) {
    if let slot = temporary.slot { temporary.pending?.remove(slot) }
  }

  /// Some file systems report a full disk only here.
  private func closeDescriptor() {
    if close(descriptor) != 0, failure == 0, errno != EINTR { failure = errno }
    descriptor = -1
  }

  private static func rename(_ temporary: Temporary) -> Int32 {
    if temporary.replaces == nil {
      // A file that has come into the place in the meantime is somebody else's.
      let linked = unsafe temporary.path.withPath { path in
        unsafe temporary.target.withPath { unsafe link(path, $0) }
      }
      if linked == 0 {
        unlink(temporary.path)
        return 0
      }
      // Not every file system has links.
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return errno }
    }
    let renamed = unsafe temporary.path.withPath { path in
      unsafe temporary.target.withPath { unsafe Glibc.rename(path, $0) }
    }
    return renamed == 0 ? 0 : errno
  }

  private static func makeTemporary(
    _ target: String, _ replaces: FileStatus?, _ pending: PendingFiles?, _ path: String
  ) throws(AudioFileError) -> (Temporary, Int32) {
    let folder = PathText.folder(of: target)
    while true {
      let name = hiddenName(of: PathText.name(of: target), randomLetters(markLength))
      let temporary = target.utf8.contains(UInt8(ascii: "/")) ? PathText.path(folder, name) : name
      // A file that replaces a private one is not for everybody's eyes while it is being made.
      let mode: mode_t = replaces == nil ? 0o666 : 0o600
      func make() -> Int32 {
        unsafe temporary.withPath { unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
      }
      var slot: Int?
      let descriptor: Int32
      if let pending {
        guard let made = pending.make(temporary, make) else { throw AudioFileError(path, .interrupted) }
        (slot, descriptor) = (made.slot, made.descriptor)
      } else {
        descriptor = make()
      }
      let code = errno
      if descriptor >= 0 {
        if hold(descriptor) {
          return (
            Temporary(path: temporary, target: target, replaces: replaces, pending: pending, slot: slot),
            descriptor
          )
        }
        close(descriptor)
        unlink(temporary)
        if let slot { pending?.remove(slot) }
      }
      if descriptor < 0, code != EEXIST {
        // The folder refuses, not the file: it is not there yet.
        let refusedByFolder = code == EACCES || code == EPERM || code == EROFS
        throw AudioFileError(refusedByFolder ? folder : path, errno: code)
      }
    }
  }

  /// Locks a file that was just made: an unlocked one is a killed run's.
  ///
  /// False where somebody removed it in between, or is about to. Not every file system has locks.
  private static func hold(_ descriptor: Int32) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    var status = stat()
    return unsafe fstat(descriptor, &status) != 0 || status.st_nlink > 0
  }

  /// The name of a file while it is being made: `.NAME.legato-` and a mark that tells it from others.
  ///
  /// A name has at most 255 bytes.
  static func hiddenName(of name: String, _ mark: String) -> String {
    "." + PathText.text(of: PathText.bytes(of: name).prefix(200)) + beforeMark + mark
  }

  /// The beginning of a name like those, up to the mark; nil where it is none.
  static func beginning(ofHiddenName name: String) -> String? {
    let beginning = name.utf8.dropLast(markLength)
    guard beginning.first == UInt8(ascii: "."),
      beginning.suffix(beforeMark.utf8.count).elementsEqual(beforeMark.utf8)
    else { return nil }
    return String(beginning)
  }

  private static let beforeMark = ".legato-"

  /// Letters that tell files of the same name apart.
  static let markLength = 6

  /// Removes an unfinished file that is still open, also where its folder was moved: the system knows its path. What
  /// was renamed by itself, or is gone already ("NAME (deleted)"), has another name, and is left alone.
  private static func remove(_ path: String, _ descriptor: Int32) {
    guard unlink(path) != 0, let moved = PathText.target(ofLink: "/proc/self/fd/\(descriptor)"),
      PathText.name(of: moved) == PathText.name(of: path)
    else { return }
    unlink(moved)
  }

  @discardableResult
  private static func unlink(_ path: String) -> Int32 { unsafe path.withPath { unsafe Glibc.unlink($0) } }

  /// All from one number, as the system is asked for each random number.
  static func randomLetters(_ count: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var number = UInt64.random(in: 0...UInt64.max)
    return String(
      decoding: (0..<count).map { _ in
        let (rest, letter) = number.quotientAndRemainder(dividingBy: UInt64(letters.count))
        number = rest
        return letters[Int(letter)]
      }, as: UTF8.self)
  }
}

extension OutputFile {
  /// The functions that libsndfile calls; their user data is the output, which outlives the sound file.
  static var functions: SF_VIRTUAL_IO {
    unsafe SF_VIRTUAL_IO(
      get_filelen: { sf_count_t(unsafe OutputFile.from($0).length) },
      seek: { offset, whence, target in
        sf_count_t(unsafe OutputFile.from(target).seek(Int(offset), whence))
      },
      read: { _, _, _ in 0 },
      write: { bytes, count, target in
        guard let bytes = unsafe bytes else { return 0 }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
        return sf_count_t(unsafe OutputFile.from(target).write(buffer))
      },
      tell: { sf_count_t(unsafe OutputFile.from($0).position) })
  }

  /// The pointer that comes back to `functions`.
  var target: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ target: UnsafeMutableRawPointer?) -> OutputFile {
    unsafe Unmanaged<OutputFile>.fromOpaque(target!).takeUnretainedValue()
  }

  private func seek(_ offset: Int, _ whence: Int32) -> Int {
    switch whence {
    case SEEK_SET: position = offset
    case SEEK_CUR: position += offset
    default: position = length + offset
    }
    return position
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    // A run that was interrupted has no use for the rest.
    if failure == 0, isInterrupted { failure = ECANCELED }
    guard failure == 0, descriptor >= 0 else { return 0 }
    let end = position + bytes.count
    if held != nil {
      if held!.count < end { held!.append(contentsOf: repeatElement(0, count: end - held!.count)) }
      unsafe held!.replaceSubrange(position..<end, with: bytes)
    } else if position < header.count {
      // A header that is corrected in the end; it is changed, and written, as a whole.
      precondition(end <= header.count, "a header keeps its length")
      unsafe header.replaceSubrange(position..<end, with: bytes)
      isCorrected = true
    } else if !isStream, gathers {
      if unsafe !gathered.take(bytes, at: position) {
        writeGathered()
        // A part that is larger than the room for it goes by itself.
        guard failure == 0, unsafe gathered.take(bytes, at: position) || put(bytes, at: position) else {
          return 0
        }
      }
    } else if !isStream || position == length {
      guard unsafe put(bytes, at: position) else { return 0 }
    }
    position = end
    length = max(length, end)
    return bytes.count
  }

  private func writeGathered() {
    guard !gathered.bytes.isEmpty else { return }
    if failure == 0 { _ = unsafe gathered.bytes.withUnsafeBytes { unsafe put($0, at: gathered.place) } }
    gathered.removeAll()
  }

  /// Where a byte stands in a file whose header has grown since.
  private func moved(_ place: Int) -> Int { place < header.count ? place : place + shift }

  /// Writes all of the bytes; a stream takes them where it stands.
  private func put(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count =
        isStream
        ? unsafe Glibc.write(descriptor, rest.baseAddress!, rest.count)
        : unsafe pwrite(descriptor, rest.baseAddress!, rest.count, off_t(moved(place) + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        failure = count < 0 ? errno : ENOSPC
        return false
      }
      done += count
    }
    return true
  }
}
