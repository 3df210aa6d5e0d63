// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Audio files: bad input", .waits)
struct BadInputTests {
  private func message(_ path: String) -> String {
    do {
      _ = try AudioFileReader(path: path)
      return "opened"
    } catch {
      return "\(error)"
    }
  }

  @Test("what is no audio file has a clear line")
  func notAudio() throws {
    let folder = try TemporaryFolder()
    #expect(message(folder("a.wav")) == "\(folder("a.wav")): no such file")
    #expect(message(folder.path) == "\(folder.path): is a folder, not a file")
    #expect(try message(folder.make("empty.wav", [])) == "\(folder("empty.wav")): the file is empty")
    #expect(message(try folder.make("x") + "/a.wav") == "\(folder("x"))/a.wav: is a file, not a folder")
    let text = try folder.make("text.wav", Array("A quick brown fox, and no sound at all.\n".utf8))
    #expect(message(text) == "\(text): not an audio file of a known type")
    let picture: [UInt8] = [
      0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
    ]
    let png = try folder.make("picture.flac", picture + Array(repeating: 7, count: 500))
    #expect(message(png) == "\(png): not an audio file of a known type")
    #expect(message("a\0b") == "a\0b: no such file")
  }

  @Test("a damaged header says what is wrong")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let whole = waveFile(bits: 16, channels: 2, data: Array(repeating: 1, count: 400))
    let headless = try folder.make("headless.wav", Array(whole.prefix(20)))
    #expect(message(headless).hasPrefix("\(headless): damaged: "))
    var channels = whole
    channels.replaceSubrange(22..<24, with: [0, 0])
    let silent = try folder.make("none.wav", channels)
    #expect(message(silent).hasPrefix("\(silent): damaged: "))
    #expect(!message(silent).contains("\n"))
  }

  @Test(
    "a file cut at any byte is refused, or read as far as it goes with a notice where it announces no length",
    arguments: AudioFileType.allCases)
  func truncated(_ type: AudioFileType) throws {
    let folder = try TemporaryFolder()
    let format: SampleFormat = type == .ogg ? .vorbis : .int16
    let ending = type.extensions[0]
    try Sound.waves(channels: 2, frames: 300).write(folder("whole." + ending), format)
    let whole = try folder.bytes("whole." + ending)
    let step = max(1, whole.count / 400)
    var read = 0
    for length in Array(stride(from: 0, to: min(whole.count, 200), by: 1))
      + Array(stride(from: 200, to: whole.count, by: step))
    {
      let path = try folder.make("cut." + ending, Array(whole.prefix(length)))
      do {
        let sound = try Sound.read(path)
        #expect(sound.frames <= 300)
        read += 1
        #expect(try !AudioFileReader(path: path).notices.isEmpty, "nothing is said of \(length) bytes")
      } catch let error as AudioFileError {
        #expect(error.path == path && !error.description.contains("\n"))
      }
    }
    // Only where a page ends, an Ogg file may end.
    #expect(type == .ogg || read == 0)
    #expect(try Sound.read(folder("whole." + ending)).frames == 300)
    #expect(try AudioFileReader(path: folder("whole." + ending)).notices.isEmpty)
  }

  @Test("changed bytes never crash", arguments: AudioFileType.allCases)
  func mutated(_ type: AudioFileType) throws {
    let folder = try TemporaryFolder()
    let ending = type.extensions[0]
    try Sound.waves(channels: 2, frames: 300).write(
      folder("whole." + ending), type == .ogg ? .vorbis : .int16)
    let whole = try folder.bytes("whole." + ending)
    var state: UInt32 = 0x1234_5678
    func next(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return Int(state) % limit
    }
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<1 + next(4) { bytes[next(min(bytes.count, 120))] = UInt8(next(256)) }
      let path = try folder.make("cut." + ending, bytes)
      do {
        let reader = try AudioFileReader(path: path)
        let buffer = PlanarBuffer(channels: reader.description.channels, capacity: 64)
        var blocks = 0
        while unsafe try reader.read(into: buffer.rows, frames: 64) > 0, blocks < 100 { blocks += 1 }
      } catch {
        #expect(error.path == path && !error.description.contains("\n"))
      }
    }
  }

  @Test("a file that ends before the frames it announced is damaged")
  func endsEarly() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 1, frames: 20000).write(folder("a.flac"), .int16)
    let whole = try folder.bytes("a.flac")
    let path = try folder.make("b.flac", Array(whole.prefix(whole.count / 2)))
    let error = #expect(throws: AudioFileError.self) { _ = try Sound.read(path) }
    #expect(error?.description.hasPrefix("\(path): damaged: ") == true)
  }

  @Test("a cut file tells how much of it is left", arguments: ["wav", "rf64", "aiff"])
  func cut(_ ending: String) throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 3000).write(folder("whole." + ending))
    let whole = try folder.bytes("whole." + ending)
    let path = try folder.make("cut." + ending, Array(whole.prefix(whole.count - 1000 * 8)))
    #expect(message(path) == "\(path): damaged: it ends after 2000 of 3000 frames")
  }

  @Test("an Ogg file may have something behind its last page, and has to have that")
  func lastPage() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 1, frames: 60_000).write(folder("whole.ogg"), .vorbis)
    let whole = try folder.bytes("whole.ogg")
    let tagged = try folder.make("tagged.ogg", whole + Array("TAG of another format".utf8))
    #expect(try AudioFileReader(path: tagged).notices.isEmpty)
    let page = try #require(whole.indices.last { whole[$0...].starts(with: Array("OggS".utf8)) })
    let stream = try folder.make("stream.ogg", Array(whole[..<page]))
    #expect(
      try AudioFileReader(path: stream).notices == [
        "\(stream): no page of it is marked as the last one; the end of the sound may be missing"
      ])
  }

  @Test("the open sizes of streams are no promise", arguments: [0, 0x7FFF_F000, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func openSizes(_ size: Int) throws {
    let folder = try TemporaryFolder()
    var bytes = waveFile(bits: 16, channels: 2, data: Array(repeating: 1, count: 400))
    let little = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    for place in [4, 40] { bytes.replaceSubrange(place..<place + 4, with: little) }
    #expect(try Sound.read(folder.make("a.wav", bytes)).frames == 100)
  }

  @Test("a file is read from a named pipe")
  func pipe() throws {
    // A reader that gives up shall fail this test, not end the process.
    signal(SIGPIPE, SIG_IGN)
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 3000)
    try sound.write(folder("a.wav"))
    #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
    let (source, target) = (folder("a.wav"), folder("pipe"))
    let thread = Thread {
      guard let bytes = FileManager.default.contents(atPath: source) else { return }
      try? FileHandle(forWritingTo: URL(fileURLWithPath: target)).write(contentsOf: bytes)
    }
    thread.start()
    #expect(try Sound.read(target) == sound)
  }
}
