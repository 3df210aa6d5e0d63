// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// How a file stores its samples.
public enum SampleFormat: Hashable, Sendable {
  /// 8 bits, signed or not as the file's type has it.
  case int8
  case int16, int24, int32
  case float, double
  case vorbis
  /// Codecs made for speech: µ-law, ADPCM, GSM and their kin. Read only.
  case speech
  /// Codecs made for music: MPEG layers, Opus. Read only.
  case music

  /// The format as a sentence names it.
  package var name: String {
    switch self {
    case .int8: "8 bit"
    case .int16: "16 bit"
    case .int24: "24 bit"
    case .int32: "32 bit"
    case .float: "32 bit float"
    case .double: "64 bit float"
    case .vorbis: "Vorbis"
    case .speech: "compressed speech"
    case .music: "compressed music"
    }
  }

  /// The number of bits of a format of integers; nil for the others.
  package var integerBits: Int? {
    switch self {
    case .int8: 8
    case .int16: 16
    case .int24: 24
    case .int32: 32
    case .float, .double, .vorbis, .speech, .music: nil
    }
  }

  /// The format nearest to this one in which a file of a type can store samples.
  ///
  /// Nothing is lost where the type allows it: float becomes 24 bit in FLAC. What was compressed with loss
  /// becomes 24 bit, which needs no dither, and speech 16 bit.
  package func nearest(in type: AudioFileType) -> SampleFormat {
    let held = type.sampleFormats
    if held.contains(self) { return self }
    if held.count == 1 { return held[0] }
    switch self {
    case .int8, .int16, .speech: return .int16
    case .int24, .int32, .float, .double, .vorbis, .music: return .int24
    }
  }

  /// Bytes of one sample in a file; nil where a codec decides.
  var bytes: Int? {
    switch self {
    case .int8: 1
    case .int16: 2
    case .int24: 3
    case .int32, .float: 4
    case .double: 8
    case .vorbis, .speech, .music: nil
    }
  }

  /// libsndfile's number for the format in a file of a type; nil for what is only read.
  func minorFormat(in type: AudioFileType) -> Int32? {
    switch self {
    case .int8: Int32(type == .wav || type == .rf64 ? SF_FORMAT_PCM_U8 : SF_FORMAT_PCM_S8)
    case .int16: Int32(SF_FORMAT_PCM_16)
    case .int24: Int32(SF_FORMAT_PCM_24)
    case .int32: Int32(SF_FORMAT_PCM_32)
    case .float: Int32(SF_FORMAT_FLOAT)
    case .double: Int32(SF_FORMAT_DOUBLE)
    case .vorbis: Int32(SF_FORMAT_VORBIS)
    case .speech, .music: nil
    }
  }

  /// The format of a file that libsndfile has opened.
  init(format: Int32) {
    switch Int(format & Int32(SF_FORMAT_SUBMASK)) {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_DPCM_8: self = .int8
    case SF_FORMAT_PCM_16, SF_FORMAT_ALAC_16, SF_FORMAT_DPCM_16, SF_FORMAT_DWVW_12, SF_FORMAT_DWVW_16:
      self = .int16
    case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_DWVW_24, SF_FORMAT_DWVW_N:
      self = .int24
    case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32: self = .int32
    case SF_FORMAT_FLOAT: self = .float
    case SF_FORMAT_DOUBLE: self = .double
    case SF_FORMAT_VORBIS: self = .vorbis
    case SF_FORMAT_OPUS, SF_FORMAT_MPEG_LAYER_I, SF_FORMAT_MPEG_LAYER_II, SF_FORMAT_MPEG_LAYER_III:
      self = .music
    default: self = .speech
    }
  }
}
