// SPDX-License-Identifier: Apache-2.0

/// The parts of a file's header that libsndfile does not hand over, as they stand in the file.
///
///     WAV    bext, cue, smpl, …         to WAV and RF64
///     FLAC   comments of any name, pictures, a cue sheet   to FLAC
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

  private static let mostNames = 8
  private static let longestName = 40

  /// The parts that a type has no place for, as a sentence names them, each once, and not more than a reader wants.
  func unkept(in type: AudioFileType) -> [String] {
    var names = lost
    if type != .wav && type != .rf64 { names += chunks.map { $0.name.filter { $0 != " " } } }
    if type != .flac {
      names += comments.map { String($0.prefix { $0 != "=" }) } + blocks.map(\.name)
    }
    var seen: Set<String> = []
    names = names.filter { !$0.isEmpty }.map { String($0.prefix(Self.longestName)) }
    names = names.filter { seen.insert($0).inserted }
    let others = names.count - Self.mostNames
    return others > 0 ? names.prefix(Self.mostNames) + ["\(others) more"] : names
  }
}
