// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The types of audio file that are written; each is chosen by a path's extension.
package enum AudioFileType: String, Sendable {
  case wav, rf64, flac, aiff, ogg, caf
  /// Floats without a header, for pipes; no extension chooses it.
  case raw

  /// The types that a path's extension chooses.
  package static let allCases: [AudioFileType] = [.wav, .rf64, .flac, .aiff, .ogg, .caf]

  /// The extensions that choose the type, the usual one first, without their dot.
  package var extensions: [String] {
    switch self {
    case .wav: ["wav"]
    case .rf64: ["rf64"]
    case .flac: ["flac"]
    case .aiff: ["aiff", "aif"]
    case .ogg: ["ogg"]
    case .caf: ["caf"]
    case .raw: []
    }
  }

  /// The type as a sentence names it.
  package var name: String {
    switch self {
    case .wav: "WAV"
    case .rf64: "RF64"
    case .flac: "FLAC"
    case .aiff: "AIFF"
    case .ogg: "Ogg"
    case .caf: "CAF"
    case .raw: "raw sound"
    }
  }

  /// Every extension, for messages: ".wav, .rf64, … or .caf".
  package static var extensionList: String {
    let all = allCases.flatMap(\.extensions).map { "." + $0 }
    return all.dropLast().joined(separator: ", ") + " or " + all.last!
  }

  /// The type that a path's extension chooses, in capitals or not; nil where it chooses none.
  package init?(path: String) {
    guard let ending = Self.ending(of: path)?.lowercased(),
      let type = Self.allCases.first(where: { $0.extensions.contains(ending) })
    else { return nil }
    self = type
  }

  /// The formats that samples can have in a file of this type, the finest last.
  package var sampleFormats: [SampleFormat] {
    switch self {
    case .wav, .rf64, .aiff, .caf: [.int8, .int16, .int24, .int32, .float, .double]
    case .flac: [.int8, .int16, .int24]
    case .ogg: [.vorbis]
    case .raw: [.float]
    }
  }

  /// The most channels that a file of this type holds.
  package var maximumChannels: Int {
    switch self {
    case .wav, .rf64, .aiff, .caf, .raw: 1024
    case .flac: 8
    case .ogg: 255
    }
  }

  /// Whether a reader can make sense of the file when its first bytes are never corrected afterwards.
  var canBeStreamed: Bool {
    switch self {
    case .wav, .flac, .ogg, .raw: true
    case .rf64, .aiff, .caf: false
    }
  }

  /// The most bytes of samples that the type's 32-bit sizes can say, with room for the other chunks.
  var maximumDataBytes: Int? {
    switch self {
    case .wav, .aiff: 0xFFFF_FFFF - 0x1_0000
    case .rf64, .flac, .ogg, .caf, .raw: nil
    }
  }

  /// libsndfile's number for the type.
  var majorFormat: Int32 {
    switch self {
    case .wav: Int32(SF_FORMAT_WAV)
    case .rf64: Int32(SF_FORMAT_RF64)
    case .flac: Int32(SF_FORMAT_FLAC)
    case .aiff: Int32(SF_FORMAT_AIFF)
    case .ogg: Int32(SF_FORMAT_OGG)
    case .caf: Int32(SF_FORMAT_CAF)
    case .raw: Int32(SF_FORMAT_RAW)
    }
  }

  /// The type of a file that libsndfile has opened; nil where it is one that is only read.
  init?(format: Int32) {
    let major = format & Int32(SF_FORMAT_TYPEMASK)
    if major == Int32(SF_FORMAT_WAVEX) {
      self = .wav
    } else if let type = Self.allCases.first(where: { $0.majorFormat == major }) {
      self = type
    } else {
      return nil
    }
  }
}
