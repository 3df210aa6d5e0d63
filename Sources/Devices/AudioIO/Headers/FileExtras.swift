// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The parts of a file's header that libsndfile does not hand over, as they stand in the file.
///
///     WAV    bext, cue, smpl, …         to WAV and RF64
///     FLAC   comments of any name, pictures, a cue sheet   to FLAC
///     Ogg    comments of any name      to FLAC
///     MP3, CAF, AIFF   their names are told
///
/// Positions in them stay true: what is written begins where the input does, and has its rate. What was measured of the
/// input, such as ReplayGain and the loudness in `bext`, would not be true of another sound, and is left out.
struct FileExtras: Equatable, Sendable {
  /// A chunk of a WAV file.
  struct Chunk: Equatable, Sendable {
    let name: String
    let bytes: [UInt8]
  }

  /// A block of a FLAC file's metadata, and its kind.
  struct Block: Equatable, Sendable {
    let kind: UInt8
    let bytes: [UInt8]

    var name: String { kind == 6 ? "pictures" : kind == 5 ? "the cue sheet" : "application data" }
  }

  var chunks: [Chunk] = []
  /// Comments such as COMPOSER=…, other than the texts that every type knows.
  var comments: [String] = []
  var blocks: [Block] = []
  /// Names of what is true of the input only, or stands in no place that can be copied.
  var lost: [String] = []

  var isEmpty: Bool { self == FileExtras() }

  /// The parts of an open file, and the mask of its speakers where a FLAC file says one.
  ///
  /// - Parameter isWave: whether it begins with a header of WAV.
  static func of(
    _ file: SoundFile, descriptor: Int32, size: Int, isWave: Bool
  ) throws(SoundFile.Refusal) -> (extras: FileExtras, mask: UInt32?) {
    func named(_ lost: [String]) -> (FileExtras, UInt32?) {
      var extras = FileExtras()
      extras.lost = lost
      return (extras, nil)
    }
    switch Int(file.info.format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_FLAC: return try FLACBlocks.extras { FilePart(descriptor, at: $0, count: $1) }
    case SF_FORMAT_OGG: return (OggComments.extras(descriptor: descriptor), nil)
    case SF_FORMAT_MPEG: return named(try ID3Tag.unknown(descriptor: descriptor))
    case SF_FORMAT_CAF: return named(try OtherChunks.ofCAF(descriptor: descriptor, size: size))
    case SF_FORMAT_AIFF: return named(try OtherChunks.ofAIFF(descriptor: descriptor, size: size))
    case _:
      guard isWave else { return (FileExtras(), nil) }
      return (WaveChunks.extras(size: size) { FilePart(descriptor, at: $0, count: $1) }, nil)
    }
  }

  private static let mostNames = 8
  private static let longestName = 40

  /// The parts that a type has no place for, as a sentence names them, each once, and not more than a reader wants.
  func unkept(in type: AudioFileType) -> [String] {
    var names = lost
    if type != .wav && type != .rf64 { names += chunks.map { $0.name.filter { $0 != " " } } }
    if type != .flac {
      names += comments.map { String($0.prefix { $0 != "=" }) } + blocks.map(\.name)
    }
    return Self.few(names)
  }

  /// Names, each once, and not more than a reader wants.
  static func few(_ all: [String]) -> [String] {
    var seen: Set<String> = []
    var names = all.filter { !$0.isEmpty }.map { String($0.prefix(Self.longestName)) }
    names = names.filter { seen.insert($0).inserted }
    let others = names.count - Self.mostNames
    return others > 0 ? names.prefix(Self.mostNames) + ["\(others) more"] : names
  }
}
