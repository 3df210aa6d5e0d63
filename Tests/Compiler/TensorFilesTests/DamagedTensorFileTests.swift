// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TensorFiles
import TestEquipment
import Testing

/// Files that lie, are cut off, or were damaged: they are read or refused in one line, and nothing else happens.
@Suite struct DamagedTensorFileTests {
  static let f32 = "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"

  static let lies: [(header: String, zeros: Int, message: String)] = [
    ("", 0, "'amp.safetensors' has its end where '{' should be, at byte 0 of the header"),
    ("[]", 0, "'amp.safetensors' has '[' where '{' should be, at byte 0 of the header"),
    ("{}", 4, "'amp.safetensors' goes on for 4 bytes behind its last tensor; a file has no gaps"),
    ("{} x", 0, "'amp.safetensors' has 'x' where its end should be, at byte 3 of the header"),
    (
      "{\"w\":{\(f32)}}", 7,
      "the tensor 'w' of 'amp.safetensors' ends 1 byte behind the end of the file; it is cut off"
    ),
    (
      "{\"w\":{\(f32)}}", 12,
      "'amp.safetensors' goes on for 4 bytes behind its last tensor; a file has no gaps"
    ),
    ("{\"w\":{\(f32)},\"w\":{\(f32)}}", 8, "the tensor 'w' of 'amp.safetensors' stands twice in the header"),
    ("{\"w\":{\(f32)},\"v\":{\(f32)}}", 8, "lies over the tensor 'w'"),
    (
      "{\"w\":{\(f32)},\"v\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8,
      "the tensor 'v' of 'amp.safetensors' lies over the tensor 'w'"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8,
      "the tensor 'w' of 'amp.safetensors' begins 4 bytes behind what comes before it; a file has no gaps"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8,
      "the tensor 'w' of 'amp.safetensors' of F32 and shape [3] takes 12 bytes, and has 8"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}", 8,
      "takes more than \(Int.max) bytes, and has 8"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[0,9223372036854775807],\"data_offsets\":[0,8]}}", 8,
      "takes 0 bytes, and has 8"
    ),
    ("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "has the data_offsets [8, 0]"),
    ("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "has the data_offsets [0]"),
    ("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,1,2]}}", 8, "has more than 2 numbers"),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8,
      "has '-' where a whole number should be"
    ),
    ("{\"w\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}", 8, "has '.' where ']' should be"),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[02],\"data_offsets\":[0,8]}}", 8, "where a whole number should be"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,8]}}", 8,
      "a number that is too large"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[[2]],\"data_offsets\":[0,8]}}", 8,
      "has '[' where a whole number should be"
    ),
    (
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8,
      "the tensor 'w' of 'amp.safetensors' needs 'dtype', 'shape' and"
    ),
    ("{\"w\":{\"dtype\":\"F31\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "has the unknown type 'F31'"),
    ("{\"w\":{\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "has '3' where a string should be"),
    (
      "{\"w\":{\(f32),\"more\":1}}", 8,
      "the tensor 'w' of 'amp.safetensors' has the key 'more', which is unknown"
    ),
    ("{\"w\":{\(f32),\"dtype\":\"F32\"}}", 8, "has the key 'dtype', which is unknown or stands twice"),
    (
      "{\"w\":8}", 8,
      "the tensor 'w' of 'amp.safetensors' has '8' where '{' should be, at byte 5 of the header"
    ),
    ("{\"\":{\(f32)}}", 8, "has a tensor whose name has 0 characters"),
    ("{\"\\ud800\":{\(f32)}}", 8, "has half a character in a string"),
    ("{\"\\ud83d\\ud83d\":{\(f32)}}", 8, "has half a character in a string"),
    ("{\"\\ud83d \\ude00\":{\(f32)}}", 8, "has half a character in a string"),
    ("{\"\\ude00\":{\(f32)}}", 8, "has half a character in a string"),
    ("{\"\\u12\":{\(f32)}}", 8, "has an escape without four digits"),
    ("{\"\\u12g4\":{\(f32)}}", 8, "has an escape without four digits"),
    ("{\"\\u+123\":{\(f32)}}", 8, "has an escape without four digits"),
    ("{\"\\u١٢\":{\(f32)}}", 8, "has an escape without four digits"),
    ("{é\"w\":{\(f32)}}", 8, "has a byte above 127 where a string should be"),
    ("{\"w\":{\(f32)}}", 9, "'amp.safetensors' goes on for 1 byte behind its last tensor"),
    ("{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2, "takes 1 byte, and has 2"),
    (
      "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0,
      "the tensor '__metadata__' of 'amp.safetensors' has the key 'a' twice, at byte"
    ),
    ("{\"\\x\":{\(f32)}}", 8, "has an unknown escape"),
    ("{\"w\n\":{\(f32)}}", 8, "has a control character in a string"),
    (
      "{\"__metadata__\":{\"a\":1}}", 0,
      "the tensor '__metadata__' of 'amp.safetensors' has '1' where a string should be"
    ),
    ("{\"w\":{\(f32)},}", 8, "has '}' where a string should be"),
    ("{'w':{\(f32)}}", 8, "has an apostrophe where a string should be"),
  ]

  @Test(arguments: lies.indices) func liesAreNamed(row: Int) {
    let (header, zeros, message) = Self.lies[row]
    let found = TensorBytes.message(about: TensorBytes.file(header, zeros: zeros))
    #expect(found?.contains(message) == true, "\(header): \(found ?? "read")")
  }

  /// Nothing is as deep as it says, and nothing is kept of it.
  @Test(arguments: ["[", "{\"a\":", "{\"w\":{\"shape\":[["]) func nestingEndsAtOnce(part: String) {
    let header = String(repeating: part, count: 1_000_000)
    #expect(TensorBytes.message(about: TensorBytes.file(header)) != nil)
  }

  @Test func lengthsAreLimited() {
    for length: UInt64 in [.max, 1 << 63, (1 << 24) + 1] {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
      #expect(TensorBytes.message(about: bytes + [0x7B])?.contains("is no safetensors file") == true)
    }
    #expect(
      TensorBytes.message(about: [1, 0, 0])?.hasSuffix("is no safetensors file: it has 3 bytes") == true)
    let shape = Array(repeating: "1", count: 65).joined(separator: ",")
    let header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[\(shape)],\"data_offsets\":[0,4]}}"
    #expect(
      TensorBytes.message(about: TensorBytes.file(header, zeros: 4))?.contains("more than 64 numbers") == true
    )
    let many = (0...65_536).map { "\"\($0)\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}" }
    let crowd = "{\(many.joined(separator: ","))}"
    #expect(TensorBytes.message(about: TensorBytes.file(crowd))?.contains("more than 65536 tensors") == true)
  }

  /// The most characters and names that a header has room for, and those that are compared most slowly.
  @Test func longNamesOfStrangersAreRefusedSoon() {
    let name = String(repeating: "a\u{301}", count: 200_000)
    for header in ["{\"\(name)\":{}}", "{\"__metadata__\":{\"\(name)\":\"\"}}"] {
      let message = TensorBytes.message(about: TensorBytes.file(header))
      #expect(message?.contains("has 400000 characters") == true || message?.contains("600000 bytes") == true)
    }
  }

  /// Names are their bytes, as in other readers.
  @Test func namesThatLookTheSameAreTwo() throws {
    let one = "\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":"
    let header = "{\"\u{E9}\":{\(one)[0,4]},\"e\u{301}\":{\(one)[4,8]}}"
    let file = try TensorBytes.open(TensorBytes.file(header, zeros: 4) + [0, 0, 0x80, 0x3F])
    #expect(try file.numbers("\u{E9}") == [0] && file.numbers("e\u{301}") == [1])
    #expect(file.entries(named: ["e\u{301}", "x", "\u{E9}"]).map(\.bytes) == [0..<4, 4..<8])
  }

  @Test func textsAreLimited() {
    let texts = (0...4096).map { "\"\($0)\":\"\"" }
    func message(_ count: Int) -> String? {
      let header = "{\"__metadata__\":{\(texts[..<count].joined(separator: ","))}}"
      return TensorBytes.message(about: TensorBytes.file(header))
    }
    #expect(message(4096) == nil)
    #expect(message(4097)?.contains("'__metadata__' of 'amp.safetensors' has more than 4096 texts") == true)
  }

  /// Each is named, with its place.
  @Test func numbersThatAreNotFiniteAreNamed() {
    let header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}"
    var bytes = TensorBytes.file(header, zeros: 24)
    bytes.replaceSubrange(bytes.count - 8..<bytes.count - 4, with: [0, 0, 0xC0, 0x7F])
    #expect(
      TensorBytes.message(about: bytes)
        == "the tensor 'w' of 'amp.safetensors' holds nan at [1, 1]; each number must be finite")
    for (element, high) in [("F16", 0x7C), ("BF16", 0x7F)] as [(String, UInt8)] {
      let header = "{\"w\":{\"dtype\":\"\(element)\",\"shape\":[],\"data_offsets\":[0,2]}}"
      let bytes = TensorBytes.file(header) + [element == "F16" ? 0 : 0x80, high]
      #expect(TensorBytes.message(about: bytes)?.contains("holds inf at []") == true)
    }
  }

  @Test(arguments: ["floats", "halves", "kinds", "odd"]) func truncatedAtEveryByte(name: String) throws {
    let whole = try TensorBytes.sample(name)
    for length in whole.indices {
      #expect(TensorBytes.message(about: Array(whole[..<length])) != nil, "cut to \(length) bytes")
    }
    #expect(TensorBytes.message(about: whole) == nil)
  }

  @Test(arguments: UInt64(0)..<10) func mutated(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let samples = try ["floats", "kinds", "odd"].map(TensorBytes.sample)
    var refused = 0
    for round in 0..<1000 {
      var bytes = samples.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      guard let message = TensorBytes.message(about: bytes) else { continue }
      refused += 1
      #expect(
        message.contains("'amp.safetensors'") && !message.contains("\n"),
        "seed \(seed), round \(round): \(message)")
    }
    #expect(refused > 500, "seed \(seed): mutations are hardly noticed")
  }
}
