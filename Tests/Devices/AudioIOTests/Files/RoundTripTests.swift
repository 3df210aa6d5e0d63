// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

struct Kind: CustomTestStringConvertible {
  let type: AudioFileType
  let format: SampleFormat

  static let all = AudioFileType.allCases.flatMap { type in
    type.sampleFormats.map { Kind(type: type, format: $0) }
  }

  var testDescription: String { "\(type.name) \(format.name)" }

  /// Half a step of the format; nothing for floats. Vorbis is only alike.
  var tolerance: Float {
    switch format {
    case .int8: 0x1p-8
    case .int16: 0x1p-16
    case .int24: 0x1p-24
    case .int32: 0x1p-32
    case .float, .double: 0
    case .vorbis, .speech, .music: 0.3
    }
  }
}

@Suite("Audio files: round trips")
struct RoundTripTests {
  @Test("every type and format, every shape", arguments: Kind.all)
  func everyKind(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    for (channels, frames) in [(1, 0), (2, 0), (1, 1), (2, 1), (2, 4097), (1, 9000), (8, 1234), (3, 333)] {
      // libsndfile counts the padding of an odd number of bytes as a frame.
      if kind.type == .aiff, kind.format == .int8, channels == 1, frames % 2 == 1 { continue }
      var sound = Sound.waves(channels: channels, frames: frames)
      if kind.format == .vorbis { sound = sound.softened() }
      let path = folder("\(channels)-\(frames).\(kind.type.extensions[0])")
      let writer = try sound.write(path, kind.format, block: 777)
      #expect(writer.notices == [])
      #expect(writer.framesWritten == frames)
      #expect(writer.clippedSamples == 0 && writer.nonFiniteSamples == 0)

      let description = try AudioFileReader(path: path).description
      #expect(description.type == kind.type)
      #expect(description.sampleFormat == kind.format)
      #expect(description.channels == channels)
      #expect(description.sampleRate == 48000)
      // A FLAC header says 0 where it does not know.
      #expect(description.frames ?? 0 == frames)
      let copy = try Sound.read(path, block: 512)
      #expect(copy.frames == frames)
      #expect(copy.distance(to: sound) <= kind.tolerance, "\(channels) channels, \(frames) frames")
    }
  }

  @Test("the block size changes no byte", arguments: [1, 5, 4096, 4097, 20000])
  func blocks(size: Int) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 10000)
    for format in [SampleFormat.float, .int16] {
      let dither = Dither.triangular(seed: 3)
      try sound.write(folder("a.wav"), format, dither: dither, block: 1000)
      try sound.write(folder("b.wav"), format, dither: dither, block: size)
      #expect(try folder.bytes("a.wav") == folder.bytes("b.wav"))
      #expect(try Sound.read(folder("a.wav"), block: size) == Sound.read(folder("b.wav"), block: 333))
      for name in ["a.wav", "b.wav"] { try folder.remove(name) }
    }
  }

  @Test("a WAV of unknown length is a plain WAV in the end")
  func unknownLength() throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 5000)
    let writer = try AudioFileWriter(path: folder("a.wav"), channels: 2, sampleRate: 48000)
    try sound.write(to: writer)
    try writer.finish()
    #expect(try folder.bytes("a.wav").prefix(4) == Array("RIFF".utf8)[...])
    #expect(try AudioFileReader(path: folder("a.wav")).description.type == .wav)
    #expect(try Sound.read(folder("a.wav")) == sound)
  }

  @Test("like the input: type by extension, samples and rate by the input")
  func likeTheInput() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 10).write(folder("in.wav"), .int16)
    let input = try AudioFileReader(path: folder("in.wav")).description
    for (name, format) in [
      ("a.wav", SampleFormat.int16), ("a.flac", .int16), ("a.caf", .int16), ("a.ogg", .vorbis),
    ] {
      let writer = try AudioFileWriter(path: folder(name), channels: 2, sampleRate: 48000, like: input)
      #expect(writer.sampleFormat == format)
    }
  }

  @Test("the nearest format that the type can hold is taken, and said")
  func notices() throws {
    let folder = try TemporaryFolder()
    func notices(_ name: String, _ format: SampleFormat) throws -> [String] {
      var options = AudioFileWriter.Options()
      options.sampleFormat = format
      return try AudioFileWriter(path: folder(name), channels: 1, sampleRate: 48000, options: options).notices
    }
    #expect(
      try notices("a.flac", .float) == ["\(folder("a.flac")): FLAC cannot hold 32 bit float; writing 24 bit"])
    #expect(try notices("a.flac", .int32) == ["\(folder("a.flac")): FLAC cannot hold 32 bit; writing 24 bit"])
    #expect(try notices("a.ogg", .int16) == ["\(folder("a.ogg")): Ogg cannot hold 16 bit; writing Vorbis"])
    #expect(try notices("a.wav", .vorbis) == [])
    #expect(try notices("a.ogg", .vorbis) == [])
    #expect(try notices("a.wav", .music) == [])
    #expect(try folder.names == [])
  }

  @Test("what a type cannot hold at all is refused")
  func refusals() throws {
    let folder = try TemporaryFolder()
    func message(_ name: String, channels: Int, frames: Int? = nil) -> String {
      var options = AudioFileWriter.Options()
      options.expectedFrames = frames
      do {
        _ = try AudioFileWriter(path: folder(name), channels: channels, sampleRate: 48000, options: options)
        return "opened"
      } catch {
        return "\(error)"
      }
    }
    #expect(message("a.flac", channels: 9) == "\(folder("a.flac")): FLAC holds at most 8 channels, not 9")
    #expect(
      message("a.mp3", channels: 1)
        == "\(folder("a.mp3")): unknown file type; use .wav, .rf64, .flac, .aiff, .aif, .ogg or .caf")
    #expect(message("wav", channels: 1).contains("unknown file type"))
    #expect(
      message("a.aif", channels: 2, frames: 1 << 30)
        == "\(folder("a.aif")): AIFF cannot hold more than 4 GiB; use .rf64, .caf or .flac")
    #expect(message("a.WAV", channels: 2, frames: 1 << 30) == "opened")
    #expect(try folder.names == [])
  }
}

extension Sound {
  /// A slow sine in each channel: what a lossy codec can follow.
  fileprivate func softened() -> Sound {
    Sound(
      samples: samples.indices.map { channel in
        samples[channel].indices.map { 0.4 * sine(Float($0) * 0.02 * Float(channel + 1)) }
      })
  }

  private func sine(_ phase: Float) -> Float {
    let x = (phase / 6.283_185_5).truncatingRemainder(dividingBy: 1) * 2 - 1
    return -4 * x * (1 - abs(x))
  }
}
