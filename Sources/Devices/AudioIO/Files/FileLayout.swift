// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// How a file is written: its type, its samples and what libsndfile has to be told.
struct FileLayout {
  let type: AudioFileType
  let sampleFormat: SampleFormat
  let notices: [String]
  /// The speakers that the channels are meant for; nil where nobody knows, or the type has no place for it.
  let speakers: SpeakerLayout?
  /// The parts of the input's header that are taken over as they stand.
  let extras: FileExtras
  /// The description that is given to libsndfile.
  let info: SF_INFO
  /// The most frames that the sizes in the file can say; nil where that is no matter.
  let maximumFrames: Int?

  init(
    path: String, place: OutputPlace, channels: Int, sampleRate: Int, like input: AudioFileDescription?,
    options: AudioFileWriter.Options
  ) throws(AudioFileError) {
    let isStream = if case .stream = place { true } else { false }
    type = try Self.type(path: path, place: place, options: options)
    try Self.check(channels, path: path, type)
    let wanted = options.sampleFormat ?? input?.sampleFormat ?? .float
    sampleFormat = wanted.nearest(in: type)
    // Compressed sound that is not compressed again needs no notice.
    let isDecoded = sampleFormat != .vorbis && [.vorbis, .speech, .music].contains(wanted)
    var notices: [String] =
      wanted == sampleFormat || isDecoded
      ? [] : ["\(path): \(type.name) cannot hold \(wanted.name); writing \(sampleFormat.name)"]
    extras = input?.extras ?? FileExtras()
    speakers = Self.speakers(input, in: type, channels: channels, options)
    let unkept =
      extras.unkept(in: type) + (input?.speakers != nil && speakers == nil ? ["the speakers' layout"] : [])
    if !unkept.isEmpty, type != .raw {
      notices.append(Self.unkept(path, unkept))
    }
    self.notices = notices

    let frameBytes = sampleFormat.bytes.map { $0 * channels } ?? 0
    let limit = type.maximumDataBytes.map { frameBytes > 0 ? $0 / frameBytes : .max }
    let mayBeLong = limit.map { (options.expectedFrames ?? .max) > $0 } ?? false
    var major = type.majorFormat
    if isStream, type == .wav {
      maximumFrames = nil
    } else if type == .wav, mayBeLong {
      major = AudioFileType.rf64.majorFormat
      maximumFrames = nil
    } else if let limit, let frames = options.expectedFrames, frames > limit {
      throw AudioFileError(path, .cannotHold(Self.tooLong(type)))
    } else {
      maximumFrames = limit
    }

    if major == AudioFileType.wav.majorFormat, speakers != nil { major = Int32(SF_FORMAT_WAVEX) }

    var info = SF_INFO()
    info.channels = Int32(channels)
    info.samplerate = Int32(clamping: sampleRate)
    info.format = major | (sampleFormat.minorFormat(in: type) ?? 0)
    self.info = info
  }

  /// Throws where a file of the type has no room for so many channels.
  static func check(_ channels: Int, path: String, _ type: AudioFileType) throws(AudioFileError) {
    guard channels <= type.maximumChannels else {
      throw AudioFileError(
        path, .cannotHold("\(type.name) holds at most \(type.maximumChannels) channels, not \(channels)"))
    }
  }

  /// Settings that have to stand before the first frame; returns a line where the type has no place for the speakers.
  func configure(_ file: SoundFile, path: String) -> [String] {
    // The peak chunk carries the time of day: the same sound would not give the same file. Where there is none, as in
    // RF64, this would add one.
    if !isLong { unsafe sf_command(file.handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE)) }
    // FLAC has its own way.
    let isSet = type == .flac || speakers?.set(in: file) != false
    if type == .wav || type == .rf64 { WaveChunks.set(extras.chunks, in: file) }
    if type == .wav, isLong {
      // A file that stayed below 4 GiB becomes a plain WAV when it is closed.
      unsafe sf_command(file.handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
    }
    return isSet ? [] : [Self.unkept(path, ["the speakers' layout"])]
  }

  /// Whether libsndfile writes sizes of 64 bits, at least until the end.
  private var isLong: Bool { info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_RF64) }

  private static func unkept(_ path: String, _ names: [String]) -> String {
    "\(path): not kept of the input's header: \(names.joined(separator: ", "))"
  }

  /// The speakers of the input's channels, where these are the same and the type has a place for it.
  private static func speakers(
    _ input: AudioFileDescription?, in type: AudioFileType, channels: Int, _ options: AudioFileWriter.Options
  ) -> SpeakerLayout? {
    guard let speakers = input?.speakers, channels == input?.channels, options.keepsChannels else {
      return nil
    }
    switch type {
    case .wav, .rf64, .flac: return speakers.mask == nil ? nil : speakers
    case .caf, .aiff: return speakers
    case .ogg, .raw: return nil
    }
  }

  /// Changes the first bytes, once they are all there; nil where they stay as libsndfile writes them.
  var headerChange: (([UInt8]) -> [UInt8])? {
    if isLong, speakers == nil { return WaveFormatChunk.withoutSpeakers }
    if type == .wav, !isLong, [.float, .double].contains(sampleFormat) { return WaveFormatChunk.extended }
    guard type == .flac else { return nil }
    let (extras, mask) = (extras, speakers?.mask)
    guard mask != nil || !extras.comments.isEmpty || !extras.blocks.isEmpty else { return nil }
    return { FLACBlocks.added(extras, mask: mask, to: $0) }
  }

  /// The error where libsndfile does not open the file.
  func refusal(_ error: SoundFile.Refusal) -> String {
    let what =
      "\(type.name) cannot hold \(info.channels) channels of \(sampleFormat.name) at \(info.samplerate) Hz"
    switch error {
    case .unknownFormat, .unsupportedEncoding: return what
    case .other(let reason): return "\(what): \(reason)"
    }
  }

  static func tooLong(_ type: AudioFileType) -> String {
    "\(type.name) cannot hold more than 4 GiB; use .rf64, .caf or .flac"
  }

  /// The type that the options or a path's extension choose; WAV for a pipe or a device, whatever the input is.
  static func type(
    path: String, place: OutputPlace, options: AudioFileWriter.Options
  ) throws(AudioFileError) -> AudioFileType {
    let isStream = if case .stream = place { true } else { false }
    if let type = options.type ?? AudioFileType(path: path) {
      guard type.canBeStreamed || !isStream else {
        throw AudioFileError(
          path, .cannotHold("\(type.name) cannot be written to a device or a pipe; use WAV or FLAC"))
      }
      return type
    }
    // "/dev/null" and pipes have no extension.
    guard isStream else { throw AudioFileError(path, .unknownType) }
    return .wav
  }
}
