// SPDX-License-Identifier: Apache-2.0

import ImageFiles
import TestEquipment
import Testing

/// Pictures that lie, are cut off, or were damaged: they are read or refused in one line.
@Suite struct DamagedPictureTests {
  @Test(arguments: [
    "small.png", "palette.png", "interlaced.png", "held-6.png", "small.jpg", "progressive.jpg", "held-8.jpg",
  ])
  func truncatedAtEveryByte(file: String) throws {
    let whole = try PictureSample.bytes(file)
    for length in whole.indices {
      let message = PictureSample.message(about: Array(whole[..<length]))
      #expect(message?.hasPrefix("'cat' ") == true, "cut to \(length) bytes: \(message ?? "read")")
    }
    #expect(PictureSample.message(about: whole) == nil)
  }

  @Test(arguments: UInt64(0)..<4) func mutated(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let samples = try [
      "small.png", "palette.png", "interlaced.png", "alpha.png", "small.jpg", "subsampled.jpg",
      "progressive.jpg",
      "held-5.jpg",
    ].map(PictureSample.bytes)
    let start = ContinuousClock.now
    var refused = 0
    for round in 0..<1000 {
      var bytes = samples.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      guard let message = PictureSample.message(about: bytes) else { continue }
      refused += 1
      #expect(
        message.hasPrefix("'cat' ") && !message.contains("\n"), "seed \(seed), round \(round): \(message)")
    }
    #expect(refused > 500, "seed \(seed): mutations are hardly noticed")
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  // MARK: Sizes

  /// A PNG file whose first chunk says another size.
  private func png(_ width: Int, _ height: Int) throws -> [UInt8] {
    var bytes = try PictureSample.bytes("small.png")
    for (place, number) in [(16, width), (20, height)] {
      for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
    }
    return bytes
  }

  /// A JPEG file whose frame says another size.
  private func jpeg(_ width: Int, _ height: Int, isProgressive: Bool = false) throws -> [UInt8] {
    var bytes = try PictureSample.bytes(isProgressive ? "progressive.jpg" : "small.jpg")
    let mark: UInt8 = isProgressive ? 0xC2 : 0xC0
    let frame = bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == mark }!
    for (place, number) in [(5, height), (7, width)] {
      (bytes[frame + place], bytes[frame + place + 1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
    }
    return bytes
  }

  @Test func giantsAreRefusedBeforeMemoryIsTaken() throws {
    let large = "'cat' has 20000 x 20000 pixels; 50331648 are the most, such as 8192 x 6144"
    #expect(PictureSample.message(about: try png(20_000, 20_000)) == large)
    #expect(PictureSample.message(about: try jpeg(20_000, 20_000)) == large)
    #expect(PictureSample.message(about: try png(1 << 31 - 1, 1 << 31 - 1))?.contains("are the most") == true)
    #expect(
      PictureSample.message(about: try jpeg(6000, 6000, isProgressive: true))?.hasPrefix(
        "'cat' has 6000 x 6000 pixels in several scans (progressive); 25165824 are the most") == true)
    let lie = "'cat' is damaged: it says that it has 7000 x 7000 pixels, and has no data for them"
    #expect(PictureSample.message(about: try png(7000, 7000)) == lie)
    #expect(PictureSample.message(about: try jpeg(7000, 7000)) == lie)
    #expect(PictureSample.message(about: try png(0, 5)) == "'cat' has 0 x 5 pixels, which is none")
    #expect(PictureSample.message(about: try jpeg(0, 5))?.hasPrefix("'cat' is damaged: ") == true)
  }

  // MARK: Kinds

  @Test func whatIsNotReadIsNamed() throws {
    #expect(
      PictureSample.message(about: try PictureSample.bytes("printer.jpg"))
        == "'cat' has the colours of a printer (CMYK); save it as RGB")
    for bytes in [[], Array("GIF89a".utf8), Array("RIFF____WEBPVP8 ".utf8)] as [[UInt8]] {
      #expect(PictureSample.message(about: bytes) == "'cat' is no picture; PNG and JPEG are read")
    }
    let file = try PictureSample.open(PictureSample.bytes("small.png"))
    #expect(throws: (any Error).self) { try file.array([4, 2, 2], ImageConversion(.rgb)!) }
  }

  @Test func aByteOfThePictureIsChecked() throws {
    var bytes = try PictureSample.bytes("small.png")
    bytes[bytes.count - 20] ^= 1
    #expect(PictureSample.message(about: bytes)?.hasPrefix("'cat' is damaged: ") == true)
  }
}
