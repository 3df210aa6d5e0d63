// SPDX-License-Identifier: Apache-2.0

import CSndFile
import Foundation
import TestEquipment
import Testing

@testable import AudioIO

@Suite("Audio files: speakers, chunks and comments")
struct FileExtrasTests {
  private func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A WAV file of 16 bits with an extensible header, and other chunks.
  private func wave(channels: Int, mask: Int, frames: Int, chunks: [(name: String, bytes: [UInt8])] = [])
    -> [UInt8]
  {
    let frame = channels * 2
    let format =
      little(0xFFFE, 2) + little(channels, 2) + little(48000, 4) + little(48000 * frame, 4) + little(frame, 2)
      + little(16, 2) + little(22, 2) + little(16, 2) + little(mask, 4)
      + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(bytes.count, 4) + bytes + (bytes.count % 2 == 1 ? [0] : [])
    }
    let samples = (0..<frames * frame).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let body =
      Array("WAVE".utf8) + chunk("fmt ", format) + chunk("data", samples)
      + chunks.flatMap { chunk($0.name, $0.bytes) }
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  /// Copies a file as rendering does; returns what the copy's writer had to say.
  @discardableResult
  private func copy(
    _ input: String, _ output: String, channels: Int? = nil,
    _ change: (inout AudioFileWriter.Options) -> Void = { _ in }
  ) throws -> [String] {
    let reader = try AudioFileReader(path: input)
    var sound = try Sound.read(reader)
    sound.samples = Array(sound.samples.prefix(channels ?? .max))
    var options = AudioFileWriter.Options()
    options.expectedFrames = sound.frames
    (options.dither, options.replaceExisting) = (.none, true)
    change(&options)
    let writer = try AudioFileWriter(
      path: output, channels: sound.samples.count, sampleRate: sound.sampleRate, like: reader.description,
      options: options)
    try sound.write(to: writer)
    try writer.finish()
    return writer.notices
  }

  @Test("chunks for which a header has no room are left out, and said; the sound stays")
  func largeChunks() throws {
    let folder = try TemporaryFolder()
    let chunks = [("bext", 20_000), ("iXML", 60_000), ("cue ", 10_000), ("cart", 3_000)].map {
      (name: $0.0, bytes: [UInt8](repeating: 0x41, count: $0.1))
    }
    let input = try folder.make("in.wav", wave(channels: 2, mask: 3, frames: 500, chunks: chunks))
    let sound = try Sound.read(input)
    // In its own place, too.
    for output in [folder("out.wav"), input] {
      #expect(try copy(input, output) == ["\(output): not kept of the input's header: iXML, cart"])
      let kept = try AudioFileReader(path: output).description.extras.chunks
      #expect(try Sound.read(output) == sound)
      #expect(kept.map(\.name) == ["bext", "cue "])
    }
  }

  @Test("a line names some of what is not kept, however much that is")
  func manyNames() {
    var extras = FileExtras()
    extras.comments = (0..<1000).map { "\($0)" + String(repeating: "x", count: 1000) } + ["=empty"]
    let names = extras.unkept(in: .wav)
    #expect(names.count == 9 && names.last == "992 more" && names.allSatisfy { $0.count <= 40 })
  }

  @Test("compressed sound in a WAV file that does not know its length is read")
  func compressed() throws {
    let folder = try TemporaryFolder()
    var info = SF_INFO()
    (info.samplerate, info.channels) = (48000, 1)
    info.format = Int32(SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM)
    let file = unsafe try #require(sf_open(folder("in.wav"), Int32(SFM_WRITE), &info))
    let samples = (0..<3000).map { Float($0 % 100) / 200 }
    #expect(unsafe sf_writef_float(file, samples, 3000) == 3000)
    unsafe sf_close(file)
    let whole = try Sound.read(folder("in.wav"))
    var bytes = try folder.bytes("in.wav")
    let data = try #require(bytes.indices.first { bytes[$0...].starts(with: "data".utf8) })
    for place in [4, data + 4] { bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
    let open = try folder.make("open.wav", bytes)
    #expect(try Sound.read(open) == whole)
  }

  @Test("channels stay with their speakers", arguments: [0x3F, 0x60F, 0x37, 0x107])
  func speakers(_ mask: Int) throws {
    let folder = try TemporaryFolder()
    let channels = mask.nonzeroBitCount
    let input = try folder.make("in.wav", wave(channels: channels, mask: mask, frames: 100))
    let layout = try #require(try AudioFileReader(path: input).description.speakers)
    #expect(layout.mask == UInt32(mask))
    for (name, format) in [
      ("a.wav", SampleFormat.int16), ("b.wav", .float), ("c.rf64", .int24), ("d.flac", .int16),
      ("e.caf", .int16),
      ("f.aiff", .int16),
    ] {
      let notices = try copy(input, folder(name)) { $0.sampleFormat = format }
      // libsndfile knows some layouts of these types only.
      if name.hasSuffix("caf") || name.hasSuffix("aiff"), !notices.isEmpty {
        #expect(
          mask == 0x60F
            && notices == ["\(folder(name)): not kept of the input's header: the speakers' layout"])
        continue
      }
      #expect(notices.isEmpty, "\(name)")
      #expect(try AudioFileReader(path: folder(name)).description.speakers == layout, "\(name)")
      #expect(try Sound.read(folder(name)).samples == Sound.read(input).samples, "\(name)")
      // And from there to WAV.
      #expect(try copy(folder(name), folder("x.wav")) { $0.sampleFormat = .int16 }.isEmpty)
      #expect(try AudioFileReader(path: folder("x.wav")).description.speakers == layout, "\(name)")
    }
    #expect(
      try copy(input, folder("g.ogg")).last
        == "\(folder("g.ogg")): not kept of the input's header: the speakers' layout")
    #expect(try copy(input, folder("h.wav")) { $0.keepsChannels = false }.count == 1)
    #expect(try copy(input, folder("i.wav"), channels: 2).count == 1)
  }

  @Test("floats have the longer form of a WAV header, and nobody makes up speakers", arguments: 1...9)
  func floats(_ channels: Int) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: channels, frames: 5000)
    try sound.write(folder("a.wav"))
    let bytes = try folder.bytes("a.wav")
    #expect(bytes[16] == 18 && bytes[36...].starts(with: [0, 0] + Array("fact".utf8)))
    #expect(ContainerSize.bytes(bytes) == bytes.count)
    #expect(try Sound.read(folder("a.wav")) == sound)
    #expect(try AudioFileReader(path: folder("a.wav")).description.speakers == nil)
    try Sound.waves(channels: channels, frames: 10).write(folder("b.wav"), .int16)
    #expect(try folder.bytes("b.wav")[16] == 16)
  }

  @Test(
    "of a length that nobody knows, nobody makes up speakers either, nor says when it was", arguments: 1...9)
  func unknownLength(_ channels: Int) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: channels, frames: 5000)
    for (name, format) in [
      ("a.wav", SampleFormat.float), ("b.wav", .int16), ("c.rf64", .float), ("d.wav", .double),
    ] {
      var options = AudioFileWriter.Options()
      (options.sampleFormat, options.dither) = (format, .none)
      let writer = try AudioFileWriter(
        path: folder(name), channels: channels, sampleRate: 48000, options: options)
      try sound.write(to: writer)
      try writer.finish()
      let bytes = try folder.bytes(name)
      #expect(!bytes.indices.contains { bytes[$0...].starts(with: "PEAK".utf8) }, "\(name)")
      #expect(ContainerSize.bytes(bytes) == bytes.count, "\(name)")
      let reader = try AudioFileReader(path: folder(name))
      #expect(reader.description.speakers == nil && reader.notices.isEmpty, "\(name)")
      if format != .int16 { #expect(try Sound.read(reader) == sound, "\(name)") }
    }
  }

  @Test("the loudness in a bext chunk is not kept: it was measured of the input", arguments: [1, 2])
  func loudness(_ version: Int) throws {
    let folder = try TemporaryFolder()
    func bext(_ loudness: [UInt8]) -> [UInt8] {
      Array(repeating: 65, count: 346) + little(version, 2) + Array(repeating: 7, count: 64) + loudness
        + Array(repeating: 0, count: 180) + Array("A=PCM".utf8)
    }
    let unmeasured = (0..<5).flatMap { _ in [0xFF, 0x7F] as [UInt8] }
    let measured: [UInt8] = [0x05, 0xF7, 0xE8, 0x03, 0x9C, 0xFF, 0x0C, 0xFE, 0x0C, 0xFE]
    for (said, isLost) in [(measured, version == 2), (unmeasured, false)] {
      let input = try folder.make(
        "in.wav", wave(channels: 2, mask: 3, frames: 100, chunks: [("bext", bext(said))]))
      let output = folder("out.wav")
      let notices = try copy(input, output)
      #expect(notices == (isLost ? ["\(output): not kept of the input's header: loudness"] : []))
      let kept = try #require(try AudioFileReader(path: output).description.extras.chunks.first)
      #expect(kept.bytes.starts(with: bext(isLost ? unmeasured : said)))
    }
  }

  private let chunks: [(name: String, bytes: [UInt8])] = [
    ("bext", Array(repeating: 65, count: 602)), ("cue ", [1, 0, 0, 0] + Array(repeating: 7, count: 24)),
    ("smpl", Array(repeating: 0, count: 36)),
    ("LIST", Array("adtllabl".utf8) + [8, 0, 0, 0, 1, 0, 0, 0, 65, 66, 67, 0]),
    ("axml", [1, 2, 3]), ("LIST", Array("INFOINAM".utf8) + [4, 0, 0, 0, 65, 66, 67, 0]),
  ]

  @Test(
    "chunks of a WAV file are kept, or one line says which are not", arguments: ["a.wav", "a.rf64", "a.flac"])
  func chunks(_ name: String) throws {
    let folder = try TemporaryFolder()
    let input = try folder.make("in.wav", wave(channels: 2, mask: 3, frames: 100, chunks: chunks))
    let notices = try copy(input, folder(name))
    let lost = name == "a.flac" ? "axml, bext, cue, smpl, LIST" : "axml"
    #expect(notices == ["\(folder(name)): not kept of the input's header: \(lost)"])
    let output = try AudioFileReader(path: folder(name)).description
    #expect(output.metadata[.title] == "ABC")
    let kept = output.extras.chunks.filter { $0.name != "LIST" || $0.bytes.starts(with: "adtl".utf8) }
    // libsndfile fills up with zeros to four bytes.
    let expected = chunks.prefix(name == "a.flac" ? 0 : 4)
    #expect(kept.map(\.name) == expected.map(\.name))
    for (one, other) in zip(kept, expected) { #expect(one.bytes.starts(with: other.bytes)) }
    #expect(try Sound.read(folder(name)) == Sound.read(input))
  }

  @Test("comments of any name and pictures stay from FLAC to FLAC, but for what was measured of the input")
  func comments() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 6, frames: 5000).write(folder("plain.flac"), .int16)
    var extras = FileExtras()
    extras.comments = [
      "COMPOSER=Étienne", "description=a line\nand another", "REPLAYGAIN_TRACK_GAIN=-3 dB", "TITLE=T",
    ]
    // A cover of 70,000 bytes, said to be PNG.
    let picture =
      [0, 0, 0, 3, 0, 0, 0, 9] + Array("image/png".utf8) + [UInt8](repeating: 0, count: 20)
      + [0, 1, 0x11, 0x70] + [UInt8](repeating: 9, count: 70_000)
    extras.blocks = [FileExtras.Block(kind: 6, bytes: picture)]
    let plain = try folder.bytes("plain.flac")
    let input = try folder.make("in.flac", FLACBlocks.added(extras, mask: 0x60F, to: plain))
    #expect(try Sound.read(input) == Sound.read(folder("plain.flac")))
    let before = try AudioFileReader(path: input).description
    #expect(before.metadata[.title] == "T" && before.speakers?.mask == 0x60F)
    #expect(
      try copy(input, folder("out.flac")) == [
        "\(folder("out.flac")): not kept of the input's header: ReplayGain"
      ])
    let after = try AudioFileReader(path: folder("out.flac")).description
    #expect(after.extras.comments == Array(extras.comments.prefix(2)) && after.extras.blocks == extras.blocks)
    #expect(after.metadata[.title] == "T" && after.speakers == before.speakers)
    #expect(try Sound.read(folder("out.flac")) == Sound.read(input))
    #expect(
      try copy(input, folder("out.wav")).last
        == "\(folder("out.wav")): not kept of the input's header: ReplayGain, COMPOSER, description, pictures"
    )
    // Without a frame there is a header as well.
    try Sound(samples: Array(repeating: [], count: 6)).write(folder("none.flac"), .int16)
    let none = try folder.make(
      "none-in.flac", FLACBlocks.added(extras, mask: nil, to: folder.bytes("none.flac")))
    try copy(none, folder("none-out.flac"))
    #expect(try AudioFileReader(path: folder("none-out.flac")).description.extras.blocks == extras.blocks)
  }

  @Test("what stands behind the sound of a pipe is named, as it comes when the output has its header")
  func behindPipe() throws {
    let bytes = wave(channels: 2, mask: 3, frames: 100, chunks: chunks)
    let reader = try PipedSound(bytes).reader
    #expect(
      reader.lastNotices == ["pipe: not kept of what follows its sound: bext, cue, smpl, LIST, axml, INFO"])
    #expect(reader.position == 100)
    // Before the sound, all of it is known.
    let data = try #require(bytes.indices.first { bytes[$0...].starts(with: "data".utf8) })
    let behind = data + 8 + 400
    let before = try PipedSound(Array(bytes[..<data] + bytes[behind...] + bytes[data..<behind])).reader
    #expect(before.lastNotices.isEmpty && before.description.extras.chunks.count == 4)
  }

  @Test("texts of a WAV file that have no place elsewhere are named")
  func texts() throws {
    let folder = try TemporaryFolder()
    let texts = ["INAM", "IENG", "IMUS", "ITCH", "ISBJ", "IKEY", "IGNR"].flatMap { name -> [UInt8] in
      Array(name.utf8) + little(5, 4) + [65, 66, 67, 68, 0, 0]
    }
    let input = try folder.make(
      "in.wav", wave(channels: 1, mask: 4, frames: 100, chunks: [("LIST", Array("INFO".utf8) + texts)]))
    for name in ["a.wav", "a.flac"] {
      #expect(
        try copy(input, folder(name)) == [
          "\(folder(name)): not kept of the input's header: IENG, IMUS, ITCH, ISBJ, IKEY"
        ])
      #expect(try AudioFileReader(path: folder(name)).description.metadata[.genre] == "ABCD")
    }
  }

  @Test(
    "comments of Ogg files stay in FLAC, and are named elsewhere",
    arguments: [SF_FORMAT_VORBIS, SF_FORMAT_OPUS])
  func ogg(_ codec: Int) throws {
    let folder = try TemporaryFolder()
    var info = SF_INFO()
    (info.samplerate, info.channels, info.format) = (48000, 1, Int32(SF_FORMAT_OGG | codec))
    let file = unsafe try #require(sf_open(folder("plain.ogg"), Int32(SFM_WRITE), &info))
    // A text as long as the names that take its place.
    let names = ["TITLE=T", "COMPOSER=C", "DESCRIPTION=K", "foo=F", "REPLAYGAIN_TRACK_GAIN=-3 dB"]
    let block =
      little(1, 4) + [65] + little(names.count, 4)
      + names.flatMap { little($0.utf8.count, 4) + Array($0.utf8) }
    let samples = (0..<3000).map { Float($0 % 100) / 200 }
    #expect(unsafe sf_writef_float(file, samples, 3000) == 3000)
    unsafe sf_close(file)
    let input = try folder.make("in.ogg", retold(folder.bytes("plain.ogg"), comments: block))
    #expect(
      try copy(input, folder("a.flac")) == [
        "\(folder("a.flac")): not kept of the input's header: ReplayGain"
      ])
    #expect(
      try AudioFileReader(path: folder("a.flac")).description.extras.comments == [
        "COMPOSER=C", "DESCRIPTION=K", "foo=F",
      ])
    for name in ["b.wav", "c.ogg"] {
      let line = "not kept of the input's header: ReplayGain, COMPOSER, DESCRIPTION, foo"
      #expect(try copy(input, folder(name)).last == "\(folder(name)): \(line)")
      #expect(try AudioFileReader(path: folder(name)).description.metadata[.title] == "T")
    }
  }

  @Test("frames of an MP3 file's tag, texts of CAF and chunks of AIFF are named")
  func others() throws {
    let folder = try TemporaryFolder()
    func big(_ value: Int, _ bytes: Int) -> [UInt8] { little(value, bytes).reversed() }
    try Sound.waves(channels: 1, frames: 400).write(folder("plain.caf"), .int16)
    try Sound.waves(channels: 1, frames: 400).write(folder("plain.aiff"), .int16)
    let pairs: [UInt8] = ["title", "T", "composer", "C", "foo", "F"].flatMap { Array($0.utf8) + [0] }
    let caf = try folder.bytes("plain.caf")
    let data = try #require(caf.indices.first { caf[$0...].starts(with: "data".utf8) })
    let info = Array("info".utf8) + big(4 + pairs.count, 8) + big(3, 4) + pairs
    var aiff = try folder.bytes("plain.aiff") + Array("MARK".utf8) + big(2, 4) + [0, 0]
    aiff.replaceSubrange(4..<8, with: big(aiff.count - 8, 4))
    var inputs = [
      (try folder.make("in.caf", caf[..<data] + info + caf[data...]), "composer, foo"),
      (try folder.make("in.aiff", aiff), "MARK"),
    ]
    var mp3 = SF_INFO()
    (mp3.samplerate, mp3.channels) = (44100, 1)
    mp3.format = Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
    // Not every libsndfile writes it.
    if let file = unsafe sf_open(folder("plain.mp3"), Int32(SFM_WRITE), &mp3) {
      let samples = (0..<4000).map { Float($0 % 100) / 200 }
      #expect(unsafe sf_writef_float(file, samples, 4000) == 4000)
      unsafe sf_close(file)
      let frames = [("TIT2", "\u{3}T"), ("TCOM", "\u{3}C"), ("TXXX", "\u{3}foo\0F"), ("TBPM", "\u{3}120")]
      let tag = frames.flatMap { name, text -> [UInt8] in
        Array(name.utf8) + big(text.utf8.count, 4) + [0, 0] + Array(text.utf8)
      }
      let head = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(tag.count)]
      inputs.append(
        (try folder.make("in.mp3", head + tag + folder.bytes("plain.mp3")), "composer, foo, TBPM"))
    }
    for (input, names) in inputs {
      #expect(
        try copy(input, folder("x.wav")) == ["\(folder("x.wav")): not kept of the input's header: \(names)"])
      let title = try AudioFileReader(path: folder("x.wav")).description.metadata[.title]
      #expect(title == (input.hasSuffix("aiff") ? nil : "T"))
    }
  }

  /// An Ogg file with other comments on its second page, which begins with them.
  private func retold(_ bytes: [UInt8], comments: [UInt8]) throws -> [UInt8] {
    let pages = bytes.indices.filter { bytes[$0...].starts(with: "OggS".utf8) }
    let (begin, end) = (pages[1], pages[2])
    let count = Int(bytes[begin + 26])
    let sizes = bytes[begin + 27..<begin + 27 + count]
    let first = sizes.prefix { $0 == 255 }.count + 1
    let packet = sizes.prefix(first).reduce(0) { $0 + Int($1) }
    let body = begin + 27 + count
    let isOpus = bytes[body...].starts(with: "OpusTags".utf8)
    // Vorbis ends its comments with a bit of its own.
    let told = Array(bytes[body..<body + (isOpus ? 8 : 7)]) + comments + (isOpus ? [] : [1])
    let toldSizes = [UInt8](repeating: 255, count: told.count / 255) + [UInt8(told.count % 255)]
    var page = Array(bytes[begin..<begin + 26]) + [UInt8(toldSizes.count + count - first)] + toldSizes
    page += sizes.dropFirst(first) + told + bytes[body + packet..<end]
    page.replaceSubrange(22..<26, with: little(Int(OggPages.checksum(page[...])), 4))
    return bytes[..<begin] + page + bytes[end...]
  }
}
