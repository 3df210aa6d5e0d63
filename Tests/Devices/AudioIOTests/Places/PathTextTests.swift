// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Paths as text")
struct PathTextTests {
  @Test("every name comes back byte for byte, and no two have one text")
  func roundTrip() {
    var names: [[UInt8]] = [
      Array("a.wav".utf8), Array("\u{E9}.wav".utf8), Array("e\u{301}.wav".utf8), Array("\u{1F3B8}".utf8), [],
      // A private character that is the name's own, whole and cut.
      [0xEE, 0xBF, 0xA9], [0xEE, 0xBF], [0xEE, 0xBE, 0x7F], [0xEE, 0xBD, 0xBF],
      // Overlong, a surrogate, beyond Unicode.
      [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80, 0x41, 0xFF],
    ]
    for first in UInt8.min...UInt8.max {
      names += [[first], [0x41, first, 0x42], [0xEE, first], [0xEE, 0xBE, first], [first, 0xBF, 0x2E]]
    }
    var owners: [String: [UInt8]] = [:]
    for name in Set(names) {
      let text = PathText.text(of: name)
      #expect(PathText.bytes(of: text) == name)
      let other = owners.updateValue(name, forKey: text)
      // Text compares characters as people read them.
      #expect(other == nil || other.map { PathText.text(of: $0).utf8.elementsEqual(text.utf8) } == false)
    }
    #expect(PathText.text(of: [0x63, 0xE9, 0x2E]) == "c\u{EFE9}.")
    #expect(PathText.text(of: Array("caf\u{E9}".utf8)) == "caf\u{E9}")
  }

  @Test("folders and names, also where a slash meets a combining mark")
  func parts() {
    for (path, folder, name) in [
      ("a/b.wav", "a", "b.wav"), ("b.wav", ".", "b.wav"), ("/b.wav", "/", "b.wav"), ("a/b/", "a/b", ""),
      ("a/\u{301}.wav", "a", "\u{301}.wav"),
    ] {
      #expect(PathText.folder(of: path) == folder)
      #expect(PathText.name(of: path).utf8.elementsEqual(name.utf8))
    }
    #expect(PathText.path("a", "b") == "a/b" && PathText.path("a/", "b") == "a/b")
  }

  @Test("files with any bytes in their names are written, replaced and read")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = PathText.path(folder.path, PathText.text(of: [0xFF, 0x2E, 0x77, 0x61, 0x76]))
    for frames in [10, 20] {
      var options = AudioFileWriter.Options()
      options.replaceExisting = frames == 20
      let writer = try AudioFileWriter(path: path, channels: 1, sampleRate: 8000, options: options)
      let row = PlanarBuffer(channels: 1, capacity: frames)
      unsafe try writer.write(row.rows, frames: frames)
      try writer.finish()
      #expect(try AudioFileReader(path: path).description.frames == frames)
    }
    var names: [[UInt8]] = []
    try FolderEntry.each(in: folder.path) { names.append(PathText.bytes(of: $0.name)) }
    #expect(names == [[0xFF, 0x2E, 0x77, 0x61, 0x76]])
  }

  @Test("a file is read by any name, up to a number of bytes; a folder is none")
  func bytes() throws {
    let folder = try TemporaryFolder()
    let path = PathText.path(folder.path, PathText.text(of: [0xE9]))
    let text = String(repeating: "0123456789", count: 20_000)
    try TextFile.write(text, to: path, replaceExisting: false)
    #expect(try FileBytes.read(path, most: 1 << 20) == Array(text.utf8))
    for most in [0, 1, 70_000, 200_000] {
      #expect(try FileBytes.read(path, most: most) == Array(text.utf8.prefix(most)))
    }
    #expect(throws: AudioFileError(folder.path, .isFolder)) { try FileBytes.read(folder.path, most: 1) }
    let long = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }
    let other = try folder.make("long", long)
    var (pieces, total) = (0, 0)
    try FileBytes.forEachPiece(of: other) { piece in
      #expect(piece.elementsEqual(long[total..<total + piece.count]) && piece.count <= 1 << 20)
      (pieces, total) = (pieces + 1, total + piece.count)
    }
    #expect(pieces > 4 && total == long.count)
    #expect(try FileBytes.read(other, most: 3_000_001).count == 3_000_001)
    #expect(throws: AudioFileError(path + "x", .missing)) { try FileBytes.read(path + "x", most: 1) }
  }

  @Test(
    "what an output is called",
    arguments: [
      ("kick.wav", "", "kick.wav"), ("kick.WAV", "-x", "kick-x.WAV"), ("kick.wav", "-x.flac", "kick-x.flac"),
      ("kick.wav", ".x", "kick.x.wav"), ("kick.mp3", "", "kick.wav"), ("kick.v2", "-x", "kick.v2-x.wav"),
      ("kick", "", "kick.wav"), (".wav", "", ".wav.wav"), ("a.b.aif", "-x", "a.b-x.aif"),
    ])
  func outputNames(_ name: String, _ suffix: String, _ expected: String) {
    #expect(AudioFileType.outputName(of: name, suffix: suffix) == expected)
  }
}
