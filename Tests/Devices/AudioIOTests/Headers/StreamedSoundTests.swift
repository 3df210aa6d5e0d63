// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestEquipment
import Testing

@testable import AudioIO

@Suite("Audio files: streams", .waits)
struct StreamedSoundTests {
  /// Beyond what 32 bits say, with no bytes on the disk.
  private static let manyBytes = 4_400_000_000

  private func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A header of stereo sound in 16 bits, with these sizes.
  private func header(_ name: String, whole: Int, data: Int, long: (whole: Int, data: Int)? = nil) -> [UInt8]
  {
    let sizes = long.map {
      Array("ds64".utf8) + little(28, 4) + little($0.whole, 8) + little($0.data, 8) + little(0, 12)
    }
    let format =
      little(1, 2) + little(2, 2) + little(48000, 4) + little(192_000, 4) + little(4, 2) + little(16, 2)
    return Array(name.utf8) + little(whole, 4) + Array("WAVE".utf8) + (sizes ?? []) + Array("fmt ".utf8)
      + little(16, 4) + format + Array("data".utf8) + little(data, 4)
  }

  private static let open = 0xFFFF_FFFF

  private func headers() -> [(name: String, bytes: [UInt8])] {
    let open = Self.open
    return [
      ("sizes of ones", header("RIFF", whole: open, data: open)),
      ("sizes of zeros", header("RIFF", whole: 0, data: 0)),
      ("a header alone", header("RIFF", whole: 36, data: 0)),
      ("as sox writes to pipes", header("RIFF", whole: 0x7FFF_F024, data: 0x7FFF_F000)),
      ("RF64, zeros", header("RF64", whole: open, data: open, long: (0, 0))),
      ("RF64, ones", header("RF64", whole: open, data: open, long: (-1, -1))),
      ("BW64, zeros", header("BW64", whole: open, data: open, long: (0, 0))),
    ]
  }

  @Test("a file whose header does not know is read to its end, also beyond 4 GiB")
  func files() throws {
    let folder = try TemporaryFolder()
    for (name, header) in headers() {
      let path = try folder.make("long.wav", header)
      #expect(unsafe truncate(path, header.count + Self.manyBytes) == 0)
      let reader = try AudioFileReader(path: path)
      #expect(reader.description.frames == Self.manyBytes / 4, "\(name)")
      #expect(reader.canReadLast(of: Self.manyBytes / 4), "\(name)")
      #expect(reader.notices.isEmpty != (name.contains("zeros") || name.contains("alone")), "\(name)")
    }
    let known = header(
      "BW64", whole: Self.open, data: Self.open, long: (Self.manyBytes + 72, Self.manyBytes))
    let path = try folder.make("known.wav", known)
    #expect(unsafe truncate(path, known.count + Self.manyBytes) == 0)
    #expect(try AudioFileReader(path: path).description.frames == Self.manyBytes / 4)
    #expect(unsafe truncate(path, known.count + Self.manyBytes - 400) == 0)
    #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
  }

  @Test("an empty file with something behind its sound is empty")
  func empty() throws {
    let folder = try TemporaryFolder()
    let behind = Array("LIST".utf8) + little(4, 4) + Array("INFO".utf8)
    let path = try folder.make("empty.wav", header("RIFF", whole: 48, data: 0) + behind)
    let reader = try AudioFileReader(path: path)
    #expect(reader.description.frames == 0 && reader.notices.isEmpty)
    let bare = try folder.make("bare.wav", header("RIFF", whole: 36, data: 0))
    #expect(try AudioFileReader(path: bare).notices.isEmpty)
  }

  @Test("a pipe whose header does not know is read to its end")
  func pipes() throws {
    let samples = (0..<8000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let folder = try TemporaryFolder()
    let expected = try Sound.read(
      folder.make("a.wav", header("RIFF", whole: 36 + samples.count, data: samples.count) + samples))
    for (name, header) in headers() {
      let piped = try PipedSound(header + samples)
      #expect(!piped.reader.canRewind)
      #expect(piped.reader.description.frames == nil && piped.sound == expected, "\(name)")
    }
  }

  @Test("what outgrew its header is told, in a file as in a pipe; what is counted in is not")
  func outgrown() throws {
    let sound = [UInt8](repeating: 1, count: 400)
    let behind = [UInt8](repeating: 2, count: 100_000)
    let folder = try TemporaryFolder()
    let chunk = Array("iXML".utf8) + little(behind.count, 4) + behind
    for (whole, data, more, isTold) in [
      (436, 400, behind, true), (436, 400, chunk, true), (100_444, 400, chunk, false),
    ] {
      let bytes = header("RIFF", whole: whole, data: data) + sound + more
      let path = try folder.make("a.wav", bytes)
      let line = "more follows what its header announces, and is not read; its size may be wrong"
      #expect(try AudioFileReader(path: path).notices == (isTold ? ["\(path): \(line)"] : []))
      let reader = try PipedSound(bytes).reader
      let behind = "pipe: not kept of what follows its sound: iXML"
      #expect(reader.position == 100 && reader.lastNotices == [isTold ? "pipe: \(line)" : behind])
    }
    // A size that is too small for what is counted in.
    let small = try folder.make("b.wav", header("RIFF", whole: 436, data: 40) + sound)
    #expect(try AudioFileReader(path: small).notices.count == 1)
    let none = try folder.make("c.wav", header("RIFF", whole: 436, data: 0) + sound)
    #expect(
      try AudioFileReader(path: none).notices == [
        "\(none): its header says no length; read to the end of the file"
      ])
    #expect(try Sound.read(none).frames == 100)
  }

  @Test(
    "a pipe is read on behind its sound for a while only, whatever its header counts in",
    arguments: [(counted: 1 << 30, atOnce: 1 << 16), (counted: 1 << 23, atOnce: 1)])
  func invented(_ counted: Int, _ atOnce: Int) throws {
    let begin = header("RIFF", whole: counted, data: 400) + [UInt8](repeating: 1, count: 400)
    let most = 1 << 26
    let written = Mutex(0)
    let pipe = PipedSound.pipe { target in
      try target.write(contentsOf: Data(begin))
      let part = Data(repeating: 0, count: atOnce)
      for _ in 0..<min(most, counted) / atOnce {
        // A drop comes when the one before is gone.
        var waiting: Int32 = 1
        while atOnce == 1, unsafe ioctl(target.fileDescriptor, UInt(FIONREAD), &waiting) == 0, waiting > 0 {
          guard isReadOn(target) else { return }
          sched_yield()
        }
        try target.write(contentsOf: part)
        written.withLock { $0 += atOnce }
      }
    }
    do {
      let reader = try AudioFileReader(descriptor: pipe.end, path: "pipe")
      #expect(try Sound.read(reader).frames == 100)
      #expect(reader.lastNotices.isEmpty)
    }
    pipe.wait()
    #expect(written.withLock { $0 } < min(most, counted) / 2)
  }

  /// Whether somebody may still read what is written to a pipe.
  private func isReadOn(_ target: FileHandle) -> Bool {
    var place = pollfd(fd: target.fileDescriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&place, 1, 0) >= 0 && place.revents & Int16(POLLERR) == 0
  }

  @Test("every type is read from a pipe", arguments: AudioFileType.allCases)
  func types(_ type: AudioFileType) throws {
    let folder = try TemporaryFolder()
    let path = folder("a." + type.extensions[0])
    try Sound.waves(channels: 2, frames: 30000).write(path, type == .ogg ? .vorbis : .int16)
    let piped = try PipedSound(folder.bytes("a." + type.extensions[0]))
    let description = piped.reader.description
    #expect(description.frames == 30000 && description.type == AudioFileType(path: path))
    #expect(!piped.reader.canRewind || description.type != .wav)
    #expect(try piped.sound == Sound.read(path))
  }

  @Test("what is no sound is refused at once, though its pipe never ends")
  func foreign() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { close(ends[1]) }
    let text = Array(String(repeating: "y\n", count: 21).utf8)
    #expect(unsafe write(ends[1], text, text.count) == text.count)
    #expect(throws: AudioFileError("pipe", .notAudio)) {
      try AudioFileReader(descriptor: ends[0], path: "pipe")
    }
  }
}
