// SPDX-License-Identifier: Apache-2.0

// ALSA includes poll.h, too, and either may count as the place of what is in it.
internal import CALSA
internal import CDeviceCalls
internal import CSndFile
internal import Glibc

/// Reads an audio file from its beginning to its end, as planar floats.
///
/// Integers come out divided by half their range, so that full scale is ±1; 24 bits and fewer lose nothing.
/// Memory does not depend on the file's length. One thread at a time uses a reader.
@safe package final class AudioFileReader {
  package let description: AudioFileDescription
  /// The oddities of the file, a sentence each.
  package let notices: [String]
  /// The oddities of the sound that show once its end was reached.
  package private(set) var lastNotices: [String] = []
  /// Frames read until now.
  package private(set) var position = 0

  /// Whether its end was reached, and looked at.
  private var hasEnded = false
  private let source: Source
  /// Nil where there is no header.
  private let opened: OpenedSound?
  private let buffer: UnsafeMutableBufferPointer<Float>
  private let bufferFrames: Int

  private enum Source {
    case file(SoundFile)
    case raw(RawSound)
  }

  /// The name of the input that the process was started with; it is read from where it stands.
  package static let standardInput = "/dev/stdin"

  /// Opens a file, a device or a pipe.
  ///
  /// - Parameter raw: what the sound is, where no header says it.
  package convenience init(path: String, raw: RawFormat? = nil) throws(AudioFileError) {
    guard !path.utf8.contains(0) else { throw AudioFileError(path, .missing) }
    let descriptor =
      path == Self.standardInput
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      : unsafe path.withPath { unsafe open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw AudioFileError(path, errno: errno) }
    if let raw {
      try self.init(raw, descriptor: descriptor, path: path)
    } else {
      try self.init(descriptor: descriptor, path: path)
    }
  }

  /// Reads sound without a header from an open file, which the reader closes in the end, also where this throws.
  private init(_ raw: RawFormat, descriptor: Int32, path: String) throws(AudioFileError) {
    let sound = RawSound(raw, descriptor: descriptor, path: path)
    let status = try FileStatus(descriptor: descriptor, path: path)
    guard !status.isFolder else { throw AudioFileError(path, .isFolder) }
    (source, opened) = (.raw(sound), nil)
    description = AudioFileDescription(raw: raw, path: path, status: status)
    notices = []
    bufferFrames = Self.bufferFrames(channels: raw.channels)
    unsafe buffer = Self.buffer(bufferFrames * raw.channels)
  }

  /// Reads from an open file, which the reader closes in the end, also where this throws.
  ///
  /// - Parameter path: what messages call the file.
  package init(descriptor: Int32, path: String) throws(AudioFileError) {
    let status: FileStatus
    do throws(AudioFileError) {
      status = try FileStatus(descriptor: descriptor, path: path)
      guard !status.isFolder else { throw AudioFileError(path, .isFolder) }
      let isEmpty =
        status.isFile ? status.size == 0 : status.isPipe && Self.endsAtOnce(descriptor)
      guard !isEmpty else { throw AudioFileError(path, .empty) }
    } catch {
      close(descriptor)
      throw error
    }
    // The descriptor belongs to the sound from then on.
    let opened = try OpenedSound(descriptor: descriptor, path: path, status: status)
    let file = opened.file
    (source, self.opened) = (.file(file), opened)
    description = try AudioFileDescription(of: opened, path: path, status: status)
    if opened.size != nil, opened.wave == nil || opened.wave?.dataBytes != nil {
      try Self.checkWhole(file, description)
    }
    notices = opened.notices
    bufferFrames = Self.bufferFrames(channels: description.channels)
    unsafe buffer = Self.buffer(bufferFrames * description.channels)
  }

  /// Whether a pipe ends before its first byte, for which this waits. What should have written has failed, mostly.
  private static func endsAtOnce(_ pipe: Int32) -> Bool {
    var place = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&place, 1, -1) < 0, errno == EINTR {}
    var bytes: Int32 = 0
    return unsafe ioctl(pipe, UInt(FIONREAD), &bytes) == 0 && bytes == 0
  }

  private static func bufferFrames(channels: Int) -> Int { max(256, min(4096, 65536 / channels)) }

  private static func buffer(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    unsafe buffer.initialize(repeating: 0)
    return unsafe buffer
  }

  deinit {
    switch source {
    case .file(let file): file.close()
    case .raw: break
    }
    unsafe buffer.deallocate()
  }

  /// Reads up to `frames` frames into the rows and returns how many; 0 at the end of the file.
  ///
  /// Throws where the file is damaged, or ends before the frames that it announced. What stands in the rows
  /// after the returned frames is left alone.
  package func read(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) -> Int {
    precondition(rows.count == description.channels, "a row for each channel")
    var done = 0
    while done < frames {
      let wanted = min(frames - done, bufferFrames)
      let got: Int
      switch source {
      case .file(let file):
        let rest = opened?.announcedFrames.map { $0 - position } ?? wanted
        got = rest > 0 ? unsafe file.read(min(wanted, rest), into: buffer.baseAddress!) : 0
        try checkRead(file)
        if got <= 0, done == 0, !hasEnded {
          try checkEnd(file)
          hasEnded = true
          lastNotices = opened?.lastNotices(description.path, after: position) ?? []
        }
      case .raw(let sound):
        got = unsafe try sound.read(into: buffer.baseAddress!, frames: wanted)
        if got == 0, done == 0 { try sound.checkEnd() }
      }
      if got <= 0 { break }
      unsafe Interleaving<Float>.deinterleave(buffer.baseAddress!, into: rows, at: done, count: got)
      done += got
      position += got
    }
    return done
  }

  /// Whether the last of so many frames is there, and none that is not announced; the reader is of no further use.
  func canReadLast(of frames: Int) -> Bool {
    guard case .file(let file) = source, frames > 0 else { return true }
    guard file.seek(to: frames - 1), unsafe file.read(1, into: buffer.baseAddress!) == 1 else { return false }
    return opened?.announcedFrames == nil
      || opened?.lastNotices(description.path, after: frames).isEmpty == true
  }

  /// Whether the file can be read again from its beginning; not so a pipe.
  package var canRewind: Bool {
    switch source {
    case .file(let file): file.info.seekable != 0 && file.bytes?.isPipe != true
    case .raw: false
    }
  }

  /// Goes back to the beginning of a file that can be rewound.
  func rewind() throws(AudioFileError) {
    guard case .file(let file) = source, file.seek(to: 0) else {
      throw AudioFileError(description.path, .system("cannot be read again from its beginning"))
    }
    (position, hasEnded) = (0, false)
  }

  /// Refuses what a decoder could not read: it may have put silence in its place, and the next reading forgets it.
  private func checkRead(_ file: SoundFile) throws(AudioFileError) {
    if let code = file.bytes?.failure, code != 0 { throw AudioFileError(description.path, errno: code) }
    if let failure = file.failure {
      throw AudioFileError(description.path, .damaged("near frame \(position): \(failure)"))
    }
  }

  private func checkEnd(_ file: SoundFile) throws(AudioFileError) {
    // The frames of an MPEG stream are an estimate.
    if let announced = description.frames, description.sampleFormat != .music, position < announced {
      throw AudioFileError(description.path, .damaged("it ends after \(position) of \(announced) frames"))
    }
  }

  /// Refuses a file that was cut off: what is left of it would pass for the whole.
  private static func checkWhole(
    _ file: SoundFile, _ description: AudioFileDescription
  ) throws(AudioFileError) {
    guard !AnnouncedSize.isCut(in: file) else {
      throw AudioFileError(description.path, .damaged("it ends before the sound that it announces"))
    }
    guard let size = AnnouncedSize(of: file), let frames = description.frames else { return }
    guard let announced = size.frames(description.sampleFormat, channels: description.channels) else {
      throw AudioFileError(description.path, .damaged("it ends before the sound that it announces"))
    }
    guard frames >= announced else {
      throw AudioFileError(description.path, .damaged("it ends after \(frames) of \(announced) frames"))
    }
  }

  /// How many frames a file holds, where it holds all that it announces; nil where it does not, or is no audio file.
  ///
  /// The sizes in its header and its last frame say it. Between these, only Ogg is read: its pages are summed when it is
  /// opened.
  package static func wholeFrames(path: String) -> Int? {
    guard let reader = try? AudioFileReader(path: path), reader.notices.isEmpty,
      let frames = reader.description.frames, reader.canReadLast(of: frames),
      !ContainerSize.isCut(path: path)
    else { return nil }
    return frames
  }
}
