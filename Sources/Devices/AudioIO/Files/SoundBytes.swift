// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CSndFile
internal import Glibc

/// The bytes of a sound on their way to libsndfile, some of which may be told in other words.
///
///     file   │ header │ samples …      pread, anywhere
///     pipe   │ header │ samples … ─▶   in order; what is read before the sound is open can be read again
///
/// Closes its descriptor when it goes.
final class SoundBytes {
  /// The size of the whole, as libsndfile is told.
  private(set) var length: Int
  /// The error number of the first failed read; 0 where none failed.
  private(set) var failure: Int32 = 0
  /// Whether what was read is gone.
  let isPipe: Bool

  private(set) var descriptor: Int32
  private var position = 0
  /// Of a pipe, what was read of it; of a file, nothing, until its header is told in other words.
  private var beginning: [UInt8] = []
  /// The byte of the file that follows the beginning.
  private var origin = 0
  /// Bytes of the pipe that were read behind the beginning.
  private var passed = 0
  private var keeps = true

  /// The size of what may never end.
  static let endless = 1 << 60

  init(descriptor: Int32, status: FileStatus) {
    self.descriptor = descriptor
    isPipe = !status.isFile
    length = status.isFile ? status.size : Self.endless
  }

  /// The bytes of a file, all of which are there.
  init(file descriptor: Int32, length: Int) {
    (self.descriptor, self.length, isPipe) = (descriptor, length, false)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Hands the descriptor over; nothing more is read here.
  func release() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }

  /// The first bytes of a pipe.
  func firstBytes(_ count: Int) -> [UInt8] {
    position = 0
    return read(count)
  }

  /// Reads what follows; fewer bytes at the end.
  func read(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = unsafe read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Goes to a byte of a file.
  func go(to place: Int) { position = place }

  func skip(_ count: Int) {
    if isPipe { _ = read(count) } else { position += count }
  }

  /// Reads other bytes in place of the first ones; from the beginning.
  func replace(_ count: Int, with header: [UInt8], length: Int) {
    beginning.replaceSubrange(0..<(isPipe ? count : 0), with: header)
    origin = isPipe ? 0 : count
    restart(length: length)
  }

  /// The bytes of a pipe between two places, none of which was handed on; fewer at its end, or where they do not come
  /// within a second.
  func rest(from begin: Int, to end: Int) -> [UInt8] {
    position = min(begin, beginning.count + passed)
    var bytes: [UInt8] = []
    let late = MonotonicClock.nanoseconds + 1_000_000_000
    while position < end {
      if position >= beginning.count, !isReady(before: late) { break }
      let before = max(0, begin - position)
      let part = read(min(end - position, 1 << 12))
      if part.isEmpty { break }
      bytes += part.dropFirst(before)
    }
    return bytes
  }

  /// Waits until the pipe has something to read, or has ended; false where it takes too long.
  private func isReady(before end: Int64) -> Bool {
    var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, end - MonotonicClock.nanoseconds) / 1_000_000)
    guard milliseconds > 0 else { return false }
    return unsafe poll(&place, 1, milliseconds) == 1
  }

  /// The bytes that a pipe may bring, until it is not read on.
  private static let mostBehind = 1 << 24

  /// Whether a pipe brings more than so many bytes in all; they are gone then.
  ///
  /// One that takes longer than a second does not, nor one that had to bring very many: it may never end.
  func bringsMore(than most: Int) -> Bool {
    guard most - beginning.count - passed < Self.mostBehind else { return false }
    let end = MonotonicClock.nanoseconds + 1_000_000_000
    while beginning.count + passed <= most {
      position = beginning.count + passed
      guard isReady(before: end), !read(1 << 12).isEmpty else { return false }
    }
    return true
  }

  /// Reads from the beginning again, of what is so long.
  func restart(length: Int) {
    self.length = length
    position = 0
  }

  /// Keeps nothing more of a pipe: from now on it is read in order.
  func pass() { keeps = false }

  /// Hands on all of a pipe, from its first byte on; false where `take` does not take it.
  func drain(_ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    position = 0
    pass()
    return unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
      while true {
        let count = unsafe read(into: buffer)
        if count == 0 { return true }
        guard unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
      }
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let kept = max(0, min(buffer.count, beginning.count - position))
    if kept > 0 { unsafe buffer.copyBytes(from: beginning[position..<position + kept]) }
    position += kept
    var done = kept
    // A pipe does not go back.
    if isPipe, done < buffer.count, position != beginning.count + passed { return done }
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count =
        isPipe
        ? unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        : unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(position - beginning.count + origin))
      if count < 0, errno == EINTR { continue }
      if count < 0, failure == 0 { failure = errno }
      if count <= 0 { break }
      if isPipe, keeps { unsafe beginning += rest[..<count] } else { passed += count }
      done += count
      position += count
    }
    return done
  }

  private func seek(_ offset: Int, _ whence: Int32) -> Int {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length
    position = max(0, base &+ offset)
    return position
  }
}

extension SoundBytes {
  /// The functions that libsndfile calls; their user data are the bytes, which outlive the sound file.
  static var functions: SF_VIRTUAL_IO {
    unsafe SF_VIRTUAL_IO(
      get_filelen: { sf_count_t(unsafe SoundBytes.from($0).length) },
      seek: { offset, whence, target in
        sf_count_t(unsafe SoundBytes.from(target).seek(Int(offset), whence))
      },
      read: { bytes, count, target in
        let source = unsafe SoundBytes.from(target)
        // It asks for whole blocks of samples, whatever stands behind them.
        let rest = max(0, min(Int(count), source.length - source.position))
        return sf_count_t(unsafe source.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: rest)))
      },
      write: { _, _, _ in 0 },
      tell: { sf_count_t(unsafe SoundBytes.from($0).position) })
  }

  /// The pointer that comes back to `functions`.
  var target: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ target: UnsafeMutableRawPointer?) -> SoundBytes {
    unsafe Unmanaged<SoundBytes>.fromOpaque(target!).takeUnretainedValue()
  }
}
