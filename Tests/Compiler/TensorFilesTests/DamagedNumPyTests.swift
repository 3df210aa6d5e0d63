// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TensorFiles
import TestEquipment
import Testing

/// Arrays and archives that lie, are cut off, or were damaged: they are read or refused in one line.
@Suite struct DamagedNumPyTests {
  static let lies: [(words: String, zeros: Int, message: String)] = [
    ("", 0, "'in.npz' has its end where '{' should be, at byte 0 of the header"),
    ("{}", 0, "'in.npz' needs 'descr', 'fortran_order' and 'shape' in its header"),
    (words(shape: "(2,)"), 7, "'in.npz' is cut off: of shape [2] it takes 8 bytes, and 7 are there"),
    (words(shape: "(2,)"), 9, "'in.npz' goes on for 1 byte behind its last number"),
    (words(shape: "(-2,)"), 8, "has '-' where a whole number should be, at byte 51 of the header"),
    (words(shape: "(2"), 8, "has '}' where ')' should be"),
    (words(shape: "2"), 8, "has '2' where '(' should be"),
    (words(shape: "(4294967296, 4294967296)"), 8, "has more than 268435456 numbers, which are the most"),
    (words(shape: "(268435457,)"), 8, "has more than 268435456 numbers, which are the most"),
    (words(shape: "(99999999999999999999,)"), 8, "has an axis that is too long"),
    (words(shape: "(\(String(repeating: "1,", count: 65)))"), 8, "has more than 64 axes"),
    (words(descr: "'<f3'", shape: "()"), 4, "holds numbers of an unknown kind ('<f3')"),
    (words(descr: "'|f4'", shape: "()"), 4, "holds numbers of an unknown kind ('|f4')"),
    (words(descr: "''", shape: "()"), 4, "holds numbers of an unknown kind ('')"),
    (words(descr: "'\u{1B}[2J'", shape: "()"), 4, "('U+001B[2J'); save it as float32"),
    (words(descr: "'<f4", shape: "()"), 4, "holds numbers of an unknown kind ('<f4, ')"),
    (words(descr: "4", shape: "()"), 4, "has '4' where a string should be"),
    (words(order: "None", shape: "()"), 4, "has 'N' where 'False' should be"),
    ("{'shape': (), 'shape': ()}", 4, "has the key 'shape' in its header, which is unknown or stands twice"),
    ("{'more': 1}", 4, "has the key 'more' in its header, which is unknown or stands twice"),
    (words(shape: "()") + "é", 4, "has a byte above 127 where its end should be"),
    ("('descr')", 4, "has '(' where '{' should be"),
    ("{'descr", 4, "has its end where the end of a string should be"),
  ]

  private static func words(descr: String = "'<f4'", order: String = "False", shape: String) -> String {
    "{'descr': \(descr), 'fortran_order': \(order), 'shape': \(shape)}"
  }

  @Test(arguments: lies.indices) func liesAreNamed(row: Int) {
    let (words, zeros, message) = Self.lies[row]
    let found = NumPySample.message(about: NumPySample.npy(words, zeros: zeros))
    #expect(found?.contains(message) == true, "\(words): \(found ?? "read")")
  }

  @Test func lengthsAreLimited() {
    let mark: [UInt8] = [0x93] + Array("NUMPY".utf8)
    #expect(
      NumPySample.message(about: mark + [2, 0, 0xFF, 0xFF, 0xFF, 0xFF])
        == "'in.npz' has a header of 4294967295 bytes; 65536 are the most")
    #expect(
      NumPySample.message(about: mark + [4, 0])
        == "'in.npz' is of version 4 of npy; versions 1 to 3 are read")
    #expect(
      NumPySample.message(about: mark)
        == "'in.npz' is cut off: its beginning takes 8 bytes, and 6 are there")
  }

  @Test func aNumberBeyondFloatsIsNamed() {
    let words = Self.words(descr: "'<f8'", shape: "(2,)")
    let bits = (0..<8).map { UInt8(truncatingIfNeeded: (1e300).bitPattern >> (8 * $0)) }
    #expect(
      NumPySample.message(about: NumPySample.npy(words, zeros: 8) + bits)
        == "'in.npz' holds 1e+300 at [1], which is beyond all floats of 32 bits")
  }

  /// An archive with one entry that says something else of itself: bytes at a place of the record in the directory.
  private func archive(_ place: Int, _ bytes: [UInt8]) throws -> String? {
    var archive = try NumPyArchive.bytes([("x", NumPyTests.grid)], file: "in.npz")
    let directory = archive.count - 22 - 46 - 5
    archive.replaceSubrange(directory + place..<directory + place + bytes.count, with: bytes)
    return NumPySample.message(about: archive)
  }

  @Test func whatAnArchiveSaysOfItsEntriesIsNotBelieved() throws {
    let x = "the tensor 'x.npy' of 'in.npz'"
    #expect(try archive(8, [1]) == "\(x) is encrypted; save it without a password")
    #expect(
      try archive(10, [14])
        == "\(x) is packed by method 14 of zip; save it with numpy.savez or numpy.savez_compressed")
    #expect(try archive(16, [0]) == "the tensor 'x' of 'in.npz' is damaged: its check sum is another one")
    #expect(try archive(42, [9]) == "the tensor 'x' of 'in.npz' lies over another part of the archive")
    #expect(try archive(46, [0x79])?.hasSuffix("is damaged: the archive says two things of it") == true)
    #expect(try archive(20, [0xFF, 0xFF, 0xFF])?.hasSuffix("it would lie outside of the archive") == true)
    // A bomb: more than anything can be inflated to, and more than there is room for.
    #expect(
      try archive(10, [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0x40])
        == "\(x) is damaged: 40 bytes cannot be inflated to 1073741824")
  }

  @Test func aNameStandsOnce() throws {
    var archive = try NumPyArchive.bytes([("x", NumPyTests.grid), ("y", NumPyTests.grid)], file: "in.npz")
    for place in archive.indices.dropLast(4) where archive[place...].starts(with: "y.npy".utf8) {
      archive[place] = UInt8(ascii: "x")
    }
    #expect(NumPySample.message(about: archive) == "the tensor 'x.npy' of 'in.npz' stands twice in it")
  }

  @Test(
    arguments: [
      "fortran.npy", "version-2.npy", "stored.npz", "mixed.npz", "wide.npz",
    ])
  func truncatedAtEveryByte(file: String) throws {
    let whole = try NumPySample.bytes(file)
    for length in whole.indices {
      let message = NumPySample.message(about: Array(whole[..<length]))
      #expect(message?.hasPrefix("'in.npz' ") == true, "cut to \(length) bytes: \(message ?? "read")")
    }
    #expect(NumPySample.message(about: whole) == nil)
  }

  /// Every byte, with several other ones in its place.
  @Test(arguments: ["version-1.npy", "mixed.npz", "wide.npz"]) func mutatedAtEveryByte(file: String) throws {
    let whole = try NumPySample.bytes(file)
    for place in whole.indices {
      for other in [0, 0xFF, whole[place] ^ 1, whole[place] ^ 0x80] {
        var bytes = whole
        bytes[place] = other
        guard let message = NumPySample.message(about: bytes) else { continue }
        #expect(message.contains("'in.npz'") && !message.contains("\n"), "byte \(place): \(message)")
      }
    }
  }

  @Test(arguments: UInt64(0)..<5) func mutated(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let samples = try ["fortran.npy", "mixed.npz", "wide.npz", "stored.npz"].map(NumPySample.bytes)
    var refused = 0
    for round in 0..<1000 {
      var bytes = samples.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      guard let message = NumPySample.message(about: bytes) else { continue }
      refused += 1
      #expect(
        message.contains("'in.npz'") && !message.contains("\n"), "seed \(seed), round \(round): \(message)")
    }
    #expect(refused > 500, "seed \(seed): mutations are hardly noticed")
  }
}
