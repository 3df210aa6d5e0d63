// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The copy of a pipe's sound in a file without a name, for types that cannot be read in one go.
///
///     flac … │ legato process … -    fLaC … ─▶ /tmp/(no name) ─▶ read as any file
///
/// The system removes it with the descriptor, however the process ends.
enum SpooledSound {
  /// The first bytes of the types that are read, so that what is no sound at all is not copied for ever.
  private static let marks: [[UInt8]] =
    [
      "fLaC", "OggS", "caff", "FORM", "RIFX", "riff", ".snd", "dns.", "ID3", "Creative Voice", "NIST",
      "MATLAB",
      "2BIT", "PVF1", " paf", "fap ", "Extended Instrument", "ALawSoundFile",
    ].map { Array($0.utf8) } + [
      [0xF0, 0x7E], [0x01, 0x04],
      // A matrix of MATLAB 4 with a single number, the sample rate, in either order of bytes.
      [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], [0, 0, 3, 0xE8, 0, 0, 0, 1, 0, 0, 0, 1],
    ]

  /// Whether a type can be read in one go: a WAV file, also where its header is damaged.
  static func isWave(_ beginning: [UInt8]) -> Bool {
    ["RIFF", "RF64", "BW64"].contains { beginning.starts(with: $0.utf8) }
  }

  private static func isSound(_ beginning: [UInt8]) -> Bool {
    if marks.contains(where: { beginning.starts(with: $0) }) { return true }
    guard beginning.count >= 4 else { return false }
    // The sync word of MPEG audio, and the marks of the IRCAM's sound files.
    return beginning[0] == 0xFF && beginning[1] & 0xE0 == 0xE0 || beginning.starts(with: [0x64, 0xA3])
      || beginning[2...3].elementsEqual([0xA3, 0x64])
      // HTK's samples of two bytes, and no parameters of speech.
      || beginning.dropFirst(8).starts(with: [0, 2, 0, 0])
  }

  /// Copies all of a pipe.
  static func copy(_ bytes: SoundBytes, path: String) throws(AudioFileError) -> SoundBytes {
    guard isSound(bytes.firstBytes(20)) else { throw AudioFileError(path, .notAudio) }
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    let copy = try open(in: folder)
    var failure: Int32 = 0
    var length = 0
    let isWhole = unsafe bytes.drain { part in
      var done = 0
      while done < part.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: part[done...])
        let count = unsafe write(copy, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          failure = errno
          return false
        }
        done += count
      }
      length += done
      return true
    }
    if !isWhole || bytes.failure != 0 {
      close(copy)
      throw isWhole ? AudioFileError(path, errno: bytes.failure) : AudioFileError(folder, errno: failure)
    }
    lseek(copy, 0, SEEK_SET)
    return SoundBytes(file: copy, length: length)
  }

  /// A file that has no name, or has none any more.
  private static func open(in folder: String) throws(AudioFileError) -> Int32 {
    let unnamed = unsafe folder.withPath {
      unsafe Glibc.open($0, O_RDWR | __O_TMPFILE | O_DIRECTORY | O_CLOEXEC, 0o600)
    }
    if unnamed >= 0 { return unnamed }
    // Not every file system has files without names.
    let path = PathText.path(folder, ".legato-" + OutputFile.randomLetters(OutputFile.markLength))
    let named = unsafe path.withPath { unsafe Glibc.open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard named >= 0 else { throw AudioFileError(folder, errno: errno) }
    _ = unsafe path.withPath { unsafe unlink($0) }
    return named
  }
}
