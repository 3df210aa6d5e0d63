// SPDX-License-Identifier: Apache-2.0

internal import CSndFile
internal import Glibc

/// A sound that libsndfile has opened, from wherever it comes.
///
///     file                      libsndfile reads it itself
///     WAV that does not know    through its bytes, with sizes that reach to the end
///     pipe, WAV                 through its bytes, as they come
///     FLAC                      through its bytes, with a frame more than it announces: it is asked for in the end
///     pipe, other types         copied to a file first, as they need to go back
struct OpenedSound {
  let file: SoundFile
  /// The header of a WAV file, where it was told to libsndfile in other words.
  let wave: WaveHeader?
  /// The end of all that a WAV header counts in; nil where it does not know, or there is none.
  let countedEnd: Int?
  /// The end of the sound of a WAV file that comes through a pipe; nil where it is not known.
  private var soundEnd: Int?
  /// Whether a file of MPEG audio counts its frames.
  private var isCounted = false
  /// The size of the file that holds all of it; nil where it comes through a pipe, in order.
  let size: Int?
  /// The frames that a FLAC file announces; nil of other types, or where nothing is announced.
  let announcedFrames: Int?
  let notices: [String]
  /// The parts of its header that libsndfile does not hand over.
  let extras: FileExtras
  let speakers: SpeakerLayout?

  /// Whether only its end will tell how long it is.
  var isEndless: Bool { size == nil && wave?.dataBytes == nil && wave != nil || file.info.frames == Int.max }

  /// The descriptor is closed with the file, or at once where this throws.
  init(descriptor: Int32, path: String, status: FileStatus) throws(AudioFileError) {
    let bytes = SoundBytes(descriptor: descriptor, status: status)
    // A file that stands in its middle begins there.
    let isWithin = status.isFile && lseek(descriptor, 0, SEEK_CUR) != 0
    let header = try Self.attempt(path) { () throws(SoundFile.Refusal) in
      isWithin ? nil : try WaveHeader(bytes)
    }
    if let header, header.canBeLong, header.dataBytes == nil || !header.isKnown {
      let rest = bytes.isPipe ? SoundBytes.endless : max(0, bytes.length - header.count)
      if let said = header.dataBytes, !bytes.isPipe, said > rest {
        throw AudioFileError(path, .damaged("it ends before the sound that it announces"))
      }
      let told = header.told(dataBytes: header.dataBytes ?? rest)
      bytes.replace(header.count, with: told, length: told.count + (header.dataBytes ?? rest))
      let isLeft = header.isUnfinished && !bytes.isPipe && rest > 0
      notices = isLeft ? ["\(path): its header says no length; read to the end of the file"] : []
      (wave, extras, countedEnd, announcedFrames) = (header, header.extras, nil, nil)
      size = bytes.isPipe ? nil : status.size
      file = try Self.attempt(path) { () throws(SoundFile.Refusal) in try SoundFile(reading: bytes) }
      speakers = SpeakerLayout(of: file)
      return
    }
    (wave, countedEnd) = (nil, header?.end)
    if bytes.isPipe, SpooledSound.isWave(bytes.firstBytes(4)) {
      let soundEnd = header.flatMap { header in header.dataBytes.map { header.count + $0 } }
      self.soundEnd = soundEnd
      bytes.restart(length: soundEnd ?? bytes.length)
      (size, announcedFrames, notices, extras) = (nil, nil, [], header?.extras ?? FileExtras())
      file = try Self.attempt(path) { () throws(SoundFile.Refusal) in try SoundFile(reading: bytes) }
      speakers = SpeakerLayout(of: file)
      return
    }
    let whole = bytes.isPipe ? try SpooledSound.copy(bytes, path: path) : bytes
    // It stays open as long as the file.
    let (source, size) = (whole.descriptor, whole.length)
    let told = isWithin ? nil : FLACBlocks.told(FilePart(source, at: 0, count: 26).bytes)
    if let told { whole.replace(told.bytes.count, with: told.bytes, length: size) }
    let sound = try Self.attempt(path) { () throws(SoundFile.Refusal) in
      try told == nil ? SoundFile(reading: whole.release()) : SoundFile(reading: whole)
    }
    (file, self.size, announcedFrames) = (sound, size, told?.frames)
    let grown = header?.isFollowedBySound == true || countedEnd.map { size - $0 > Self.mostBehind } ?? false
    let end = try Self.attempt(path) { () throws(SoundFile.Refusal) in
      try AnnouncedEnd(of: sound, descriptor: source, size: size)
    }
    isCounted = end == .counted
    notices =
      try Self.check(end, of: sound, descriptor: source, size: size, path)
      + (grown ? [Self.outgrown(path)] : [])
    let (found, mask) = try Self.attempt(path) { () throws(SoundFile.Refusal) in
      try FileExtras.of(sound, descriptor: source, size: size, isWave: header != nil)
    }
    extras = found
    let isFLAC = Int(sound.info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
    speakers =
      isFLAC ? SpeakerLayout(ofFLACWith: Int(sound.info.channels), mask: mask) : SpeakerLayout(of: sound)
  }

  /// Bytes behind the end, such as a tag, that are no sound.
  private static let mostBehind = 0x1_0000

  private static func outgrown(_ path: String) -> String {
    "\(path): more follows what its header announces, and is not read; its size may be wrong"
  }

  /// The notices of a file, or of a pipe, of which so many frames were read, and no more are there.
  func lastNotices(_ path: String, after frames: Int) -> [String] {
    if announcedFrames != nil {
      var frame = [Float](repeating: 0, count: Int(file.info.channels))
      let count = unsafe frame.withUnsafeMutableBufferPointer { unsafe file.read(1, into: $0.baseAddress!) }
      return count == 1 ? [Self.outgrown(path)] : []
    }
    if isCounted, frames < file.info.frames {
      return [
        "\(path): \(frames) of \(file.info.frames) frames could be read; parts of it are missing or damaged"
      ]
    }
    guard let bytes = file.bytes, bytes.isPipe, let countedEnd else { return [] }
    var behind: [String] = []
    if let soundEnd, countedEnd > soundEnd {
      let part = bytes.rest(from: soundEnd + soundEnd % 2, to: min(countedEnd, soundEnd + Self.mostBehind))
      behind = FileExtras.few(WaveChunks.names(behind: part))
    }
    return
      (behind.isEmpty
      ? [] : ["\(path): not kept of what follows its sound: " + behind.joined(separator: ", ")])
      + (bytes.bringsMore(than: countedEnd + Self.mostBehind) ? [Self.outgrown(path)] : [])
  }

  /// Refuses a file that ends before what it says of itself, or was changed since; returns what is odd about it.
  private static func check(
    _ end: AnnouncedEnd, of file: SoundFile, descriptor: Int32, size: Int, _ path: String
  ) throws(AudioFileError) -> [String] {
    if file.isOgg {
      let pages = OggPages(descriptor: descriptor, size: size)
      if let damage = pages.damage { throw AudioFileError(path, .damaged(damage)) }
      return (pages.gap.map { ["\(path): pages of it are missing before byte \($0)"] } ?? [])
        + (pages.isEnded
          ? [] : ["\(path): no page of it is marked as the last one; the end of the sound may be missing"])
    }
    switch end {
    case .at(let end):
      guard size < end else { return [] }
      throw AudioFileError(path, .damaged("it ends before the sound that it announces"))
    case .unsaid(let samples):
      let format = SampleFormat(format: file.info.format)
      // Ten samples of 24 bits in a Paris file take 32 bytes.
      let isPacked = Int(file.info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_PAF && format == .int24
      let frame = isPacked ? 32 * Int(file.info.channels) : (format.bytes ?? 1) * Int(file.info.channels)
      guard size >= samples, samples == 0 || (size - samples).isMultiple(of: frame) else {
        throw AudioFileError(path, .damaged("it ends within a frame"))
      }
      return ["\(path): its type does not say how long the sound is; what is cut off would not be missed"]
    case .unmarked:
      return ["\(path): no block of it is marked as the last one; the end of the sound may be missing"]
    case .short:
      return ["\(path): frames at its end are missing or cut; the end of the sound may be missing"]
    case .counted, .elsewhere: return []
    }
  }

  /// Names the file where what is done with it is refused.
  private static func attempt<Result>(
    _ path: String, _ body: () throws(SoundFile.Refusal) -> Result
  ) throws(AudioFileError) -> Result {
    do throws(SoundFile.Refusal) {
      return try body()
    } catch {
      switch error {
      case .unknownFormat: throw AudioFileError(path, .notAudio)
      case .unsupportedEncoding: throw AudioFileError(path, .unknownEncoding)
      case .other(let what): throw AudioFileError(path, .damaged(what))
      }
    }
  }
}
