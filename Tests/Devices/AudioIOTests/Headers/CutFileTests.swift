// SPDX-License-Identifier: Apache-2.0

import CSndFile
import Foundation
import TestEquipment
import Testing

@testable import AudioIO

/// Types whose ends libsndfile does not look at: what is cut off would not be missed.
@Suite("Audio files: cut files of seldom types, and pages of Ogg")
struct CutFileTests {
  enum Kind: String, CaseIterable {
    case caf, alac, w64, w64Float, voc, nist, mat4, mat5, svx, sds, avr, mpc2k, wve, htk, xi, ircam, paf,
      paf24
    case pvf

    var format: Int {
      switch self {
      case .caf: SF_FORMAT_CAF | SF_FORMAT_PCM_16
      case .alac: SF_FORMAT_CAF | SF_FORMAT_ALAC_16
      case .w64: SF_FORMAT_W64 | SF_FORMAT_PCM_16
      case .w64Float: SF_FORMAT_W64 | SF_FORMAT_FLOAT
      case .voc: SF_FORMAT_VOC | SF_FORMAT_PCM_16
      case .nist: SF_FORMAT_NIST | SF_FORMAT_PCM_16
      case .mat4: SF_FORMAT_MAT4 | SF_FORMAT_PCM_16
      case .mat5: SF_FORMAT_MAT5 | SF_FORMAT_PCM_16
      case .svx: SF_FORMAT_SVX | SF_FORMAT_PCM_16
      case .sds: SF_FORMAT_SDS | SF_FORMAT_PCM_16
      case .avr: SF_FORMAT_AVR | SF_FORMAT_PCM_16
      case .mpc2k: SF_FORMAT_MPC2K | SF_FORMAT_PCM_16
      case .wve: SF_FORMAT_WVE | SF_FORMAT_ALAW
      case .htk: SF_FORMAT_HTK | SF_FORMAT_PCM_16
      case .xi: SF_FORMAT_XI | SF_FORMAT_DPCM_16
      case .ircam: SF_FORMAT_IRCAM | SF_FORMAT_PCM_16
      case .paf: SF_FORMAT_PAF | SF_FORMAT_PCM_16
      case .paf24: SF_FORMAT_PAF | SF_FORMAT_PCM_24
      case .pvf: SF_FORMAT_PVF | SF_FORMAT_PCM_16
      }
    }

    var channels: Int {
      switch self {
      case .svx, .sds, .wve, .htk, .xi, .w64: 1
      case .caf, .alac, .w64Float, .voc, .nist, .mat4, .mat5, .avr, .mpc2k, .ircam, .paf, .paf24, .pvf: 2
      }
    }

    /// Whether the type says how long its sound is.
    var saysLength: Bool {
      switch self {
      case .ircam, .paf, .paf24, .pvf: false
      case .caf, .alac, .w64, .w64Float, .voc, .nist, .mat4, .mat5, .svx, .sds, .avr, .mpc2k, .wve, .htk, .xi:
        true
      }
    }
  }

  private func write(_ kind: Kind, frames: Int, to path: String) {
    var info = SF_INFO()
    (info.samplerate, info.channels, info.format) = (44100, Int32(kind.channels), Int32(kind.format))
    let file = unsafe sf_open(path, Int32(SFM_WRITE), &info)
    let samples = (0..<frames * kind.channels).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    #expect(unsafe sf_writef_short(file, samples, sf_count_t(frames)) == frames)
    unsafe sf_close(file)
  }

  @Test("at any byte, a cut is refused, or told where the type says no length", arguments: Kind.allCases)
  func cut(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    // Chunks of this type are filled up.
    write(kind, frames: kind == .w64 ? 399 : 400, to: folder("whole"))
    var whole = try folder.bytes("whole")
    if kind == .xi {
      // The length that other programs fill in.
      let length = whole.count - 0x12A - 40
      whole.replaceSubrange(
        0x12A..<0x12E, with: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
    }
    let path = try folder.make("x", whole)
    let reader = try AudioFileReader(path: path)
    #expect(try Sound.read(path).frames == reader.description.frames)
    #expect(reader.notices.isEmpty == kind.saysLength)
    for length in 1..<whole.count where length < 100 || length > whole.count - 100 || length % 37 == 0 {
      try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
      do {
        let reader = try AudioFileReader(path: path)
        _ = try Sound.read(reader)
        #expect(!reader.notices.isEmpty, "nothing is said of \(length) of \(whole.count) bytes")
      } catch let error as AudioFileError {
        #expect(error.path == path && !error.description.contains("\n"))
      }
    }
  }

  @Test("seldom types are read from a pipe, too", arguments: Kind.allCases)
  func piped(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    write(kind, frames: 400, to: folder("a"))
    #expect(try PipedSound(folder.bytes("a")).sound == Sound.read(folder("a")))
  }

  @Test("a file of more parts than any sound has is refused")
  func manyParts() throws {
    let folder = try TemporaryFolder()
    let count = 70_000
    func repeated(_ name: String, _ head: Int) -> [UInt8] {
      (0..<count).flatMap { _ in Array(name.utf8) + [UInt8](repeating: 0, count: head - name.utf8.count) }
    }
    write(.caf, frames: 400, to: folder("a.caf"))
    let caf = try folder.bytes("a.caf") + repeated("free", 12)
    let plain = waveFile(bits: 16, channels: 1, data: [UInt8](repeating: 1, count: 400))
    func size(_ bytes: [UInt8]) -> [UInt8] {
      bytes[..<4] + (0..<4).map { UInt8(truncatingIfNeeded: (bytes.count - 8) >> (8 * $0)) } + bytes[8...]
    }
    let before = size(plain[..<12] + repeated("JUNK", 8) + plain[12...])
    let behind = size(plain + repeated("JUNK", 8))
    try Sound.waves(channels: 1, frames: 400).write(folder("a.flac"), .int16)
    let whole = try folder.bytes("a.flac")
    // Blocks of padding without bytes.
    let flac = whole[..<42] + (0..<count).flatMap { _ in [1, 0, 0, 0] as [UInt8] } + whole[42...]
    for (name, bytes) in [("a", caf), ("b", before), ("c", behind), ("d", Array(flac))] {
      let path = try folder.make(name, bytes)
      #expect(throws: AudioFileError(path, .damaged("it has more than 65536 parts")), "\(name)") {
        try AudioFileReader(path: path)
      }
    }
  }

  @Test("a FLAC file with more frames than it announces is told in the end, and is not whole")
  func announced() throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 10_000)
    try sound.write(folder("a.flac"), .int16)
    let whole = try folder.bytes("a.flac")
    #expect(whole[21] & 15 == 0 && whole[22..<26].elementsEqual([0, 0, 0x27, 0x10]))
    // A tag of another format is no sound.
    for path in [
      folder("a.flac"),
      try folder.make("tagged.flac", whole + Array("TAG".utf8) + Array(repeating: 65, count: 125)),
    ] {
      let reader = try AudioFileReader(path: path)
      for _ in 0..<2 {
        #expect(reader.description.frames == 10_000 && reader.canRewind)
        #expect(try Sound.read(reader).frames == 10_000)
        #expect(reader.lastNotices.isEmpty)
        try reader.rewind()
      }
      #expect(AudioFileReader.wholeFrames(path: path) == 10_000)
    }
    for frames in [1, 4096, 9999] {
      var bytes = whole
      bytes.replaceSubrange(24..<26, with: [UInt8(frames >> 8), UInt8(frames & 255)])
      let path = try folder.make("short.flac", bytes)
      let reader = try AudioFileReader(path: path)
      #expect(reader.description.frames == frames)
      #expect(try Sound.read(reader).frames == frames && reader.position == frames)
      #expect(
        reader.lastNotices
          == ["\(path): more follows what its header announces, and is not read; its size may be wrong"])
      #expect(AudioFileReader.wholeFrames(path: path) == nil)
    }
  }

  @Test("a FLAC file with a bit flipped is refused, however its frames are read, or sounds the same")
  func flippedBits() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 60_000).write(folder("whole.flac"), .int16)
    let sound = try Sound.read(folder("whole.flac"))
    let whole = try folder.bytes("whole.flac")
    // The block of the stream itself, each byte of it; then its frames.
    for place in Array(4..<42) + (0..<100).map({ 42 + $0 * 7919 % (whole.count - 42) }) {
      var bytes = whole
      bytes[place] ^= 1 << (place % 8)
      let path = try folder.make("x.flac", bytes)
      for block in [1, 7, 1024, 4096, 65_536] where place % 13 == 0 || block == 4096 {
        do {
          let reader = try AudioFileReader(path: path)
          let read = try Sound.read(reader, block: block)
          #expect(
            read == sound || !reader.lastNotices.isEmpty,
            "a bit of byte \(place) of \(whole.count), by \(block)")
        } catch let error as AudioFileError {
          #expect(error.path == path && !error.description.contains("\n"))
        }
      }
    }
  }

  @Test("an MP3 file whose end is missing is told, by what its first frame says or its last one lacks")
  func mp3() throws {
    let folder = try TemporaryFolder()
    var info = SF_INFO()
    (info.samplerate, info.channels) = (44100, 2)
    info.format = Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
    // Not every libsndfile writes it.
    guard let file = unsafe sf_open(folder("whole"), Int32(SFM_WRITE), &info) else { return }
    let samples = (0..<80_000).map { Int16(truncatingIfNeeded: $0 &* 79) }
    #expect(unsafe sf_writef_short(file, samples, 40_000) == 40_000)
    unsafe sf_close(file)
    let noted = try folder.bytes("whole")
    func notices(_ bytes: some Sequence<UInt8>) throws -> [String] {
      try AudioFileReader(path: folder.make("x", bytes)).notices
    }
    let line = ["\(folder("x")): frames at its end are missing or cut; the end of the sound may be missing"]
    // Sound may look like the beginning of a frame, but not what is noted in the first one.
    let second = try #require(noted.indices.dropFirst().first { noted[$0...].starts(with: [0xFF, 0xFB]) })
    let plain = noted[second...]
    let tag = Array("TAG".utf8) + [UInt8](repeating: 65, count: 125)
    let front = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 4] + [UInt8](repeating: 0, count: 132)
    for whole in [noted, noted + tag, front + noted, Array(plain), plain + tag, front + plain] {
      #expect(try notices(whole).isEmpty)
    }
    for missing in [1, 2, 50, 100, 5000] {
      #expect(try notices(noted.dropLast(missing)) == line)
      #expect(try notices(front + noted.dropLast(missing)) == line)
    }
    for missing in [1, 2, 50, 100] { #expect(try notices(plain.dropLast(missing)) == line, "\(missing)") }
  }

  @Test("an MP3 file whose middle is damaged tells in the end how many of its counted frames came out")
  func damagedMP3() throws {
    let folder = try TemporaryFolder()
    var info = SF_INFO()
    (info.samplerate, info.channels) = (44100, 2)
    info.format = Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
    // Not every libsndfile writes it.
    guard let file = unsafe sf_open(folder("whole"), Int32(SFM_WRITE), &info) else { return }
    let samples = (0..<160_000).map { Int16(truncatingIfNeeded: $0 &* 79) }
    #expect(unsafe sf_writef_short(file, samples, 80_000) == 80_000)
    unsafe sf_close(file)
    let reader = try AudioFileReader(path: folder("whole"))
    let frames = try Sound.read(reader).frames
    #expect(frames == reader.description.frames && reader.lastNotices.isEmpty)
    var bytes = try folder.bytes("whole")
    // The head of a frame, and what stands around it. Sound may look like one, but not like three in a row.
    func isHead(_ place: Int) -> Bool { bytes[place...].starts(with: [0xFF, 0xFB]) }
    func heads(from place: Int, _ count: Int) -> Bool {
      isHead(place) && (count == 1 || [1044, 1045].contains { heads(from: place + $0, count - 1) })
    }
    let head = try #require(bytes.indices.first { $0 > bytes.count / 2 && heads(from: $0, 3) })
    bytes.replaceSubrange(head - 200..<head + 200, with: [UInt8](repeating: 0, count: 400))
    let path = try folder.make("x", bytes)
    let damaged = try AudioFileReader(path: path)
    let left = try Sound.read(damaged).frames
    #expect(damaged.notices.isEmpty && left < frames)
    #expect(
      damaged.lastNotices == [
        "\(path): \(left) of \(frames) frames could be read; parts of it are missing or damaged"
      ])
  }

  @Test("a block of VOC whose size lacks eight of its bytes, as SoX writes it, is whole")
  func shortBlock() throws {
    let folder = try TemporaryFolder()
    let samples = [UInt8](repeating: 3, count: 800)
    let size = samples.count + 4
    let head = Array("Creative Voice File\u{1A}".utf8) + [26, 0, 10, 1, 0x29, 0x11]
    let block: [UInt8] =
      [9, UInt8(size & 255), UInt8(size >> 8), 0, 0x44, 0xAC, 0, 0, 16, 1, 4, 0, 0, 0, 0, 0] + samples
    let path = try folder.make("a.voc", head + block + [0])
    #expect(try AudioFileReader(path: path).notices.isEmpty && Sound.read(path).frames == 400)
    for missing in 1...8 {
      let cut = try folder.make("b.voc", (head + block + [0]).dropLast(missing))
      #expect(throws: AudioFileError.self, "\(missing)") { try AudioFileReader(path: cut) }
    }
    // As long as it says: who made it shows no more, but nothing ends it.
    let last = try folder.make("c.voc", (head + block).dropLast(8))
    #expect(try AudioFileReader(path: last).notices.count == 1)
  }

  @Test("an encoding that is not read is no damage")
  func encoding() throws {
    let folder = try TemporaryFolder()
    write(.alac, frames: 400, to: folder("a.caf"))
    var bytes = try folder.bytes("a.caf")
    // A number of bits that ALAC does not have.
    let name = try #require(bytes.indices.first { bytes[$0...].starts(with: "alac".utf8) })
    bytes.replaceSubrange(name + 4..<name + 8, with: [0, 0, 0, 0])
    let path = try folder.make("b.caf", bytes)
    #expect(throws: AudioFileError(path, .unknownEncoding)) { try AudioFileReader(path: path) }
  }

  @Test("an Ogg file cut within a page is damaged, and so is one with any bit flipped")
  func pages() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 40_000).write(folder("whole.ogg"), .vorbis)
    let whole = try folder.bytes("whole.ogg")
    let path = try folder.make("x.ogg", Array(whole.dropLast()))
    #expect(throws: AudioFileError(path, .damaged("it ends within a page"))) {
      try AudioFileReader(path: path)
    }
    for index in 0..<60 {
      var bytes = whole
      bytes[index * 7919 % bytes.count] ^= 1 << (index % 8)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(throws: AudioFileError.self, "byte \(index * 7919 % bytes.count)") { try Sound.read(path) }
    }
  }

  @Test("a decoder writes nothing to the standard error by itself", .endsProcesses)
  func silence() async {
    let ended = await #expect(processExitsWith: .exitCode(42), observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      var info = SF_INFO()
      (info.samplerate, info.channels) = (44100, 1)
      info.format = Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
      // Not every libsndfile writes it.
      if let file = unsafe sf_open(folder("whole"), Int32(SFM_WRITE), &info) {
        let samples = (0..<80_000).map { Int16(truncatingIfNeeded: $0 &* 79) }
        guard unsafe sf_writef_short(file, samples, 80_000) == 80_000 else { exit(1) }
        unsafe sf_close(file)
        // Its header says twice as many bytes.
        let whole = try folder.bytes("whole")
        let path = try folder.make("half", Array(whole[..<(whole.count / 2)]))
        guard try Sound.read(path).frames > 10_000 else { exit(2) }
        try FileManager.default.removeItem(atPath: folder.path)
      }
      exit(42)
    }
    // Lines that the process itself prints as a test are no decoder's.
    let printed = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
    #expect(["Warning", "Note", "mpg123"].allSatisfy { !printed.contains($0) }, "\(printed)")
  }

  @Test("missing pages of an Ogg file are told, as a recording of a stream may lack some")
  func gap() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 200_000).write(folder("whole.ogg"), .vorbis)
    let whole = try folder.bytes("whole.ogg")
    let pages = whole.indices.filter { whole[$0...].starts(with: Array("OggS".utf8)) }
    #expect(pages.count > 6)
    let path = try folder.make("x.ogg", Array(whole[..<pages[3]] + whole[pages[4]...]))
    #expect(
      try AudioFileReader(path: path).notices == ["\(path): pages of it are missing before byte \(pages[3])"])
  }
}
