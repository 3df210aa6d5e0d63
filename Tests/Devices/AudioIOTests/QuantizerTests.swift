// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Audio files: integers and back")
struct QuantizerTests {
  /// Copies a file of integers without dither and compares the bytes of its samples.
  private func copies(bits: Int, _ values: [Int32], as format: SampleFormat) throws -> Bool {
    let folder = try TemporaryFolder()
    let data = values.flatMap { value in (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    try folder.make("in.wav", waveFile(bits: bits, channels: 1, data: data))
    let sound = try Sound.read(folder("in.wav"))
    let writer = try sound.write(folder("out.wav"), format)
    #expect(writer.clippedSamples == 0)
    return try folder.bytes("out.wav").suffix(data.count) == data[...] && sound.frames == values.count
  }

  @Test("16 bit: each of the 65536 values comes back")
  func sixteen() throws {
    #expect(try copies(bits: 16, Array(-32768...32767), as: .int16))
  }

  @Test("24 bit: a comb over all values, and both ends, come back")
  func twentyFour() throws {
    let range: ClosedRange<Int32> = -0x80_0000...0x7F_FFFF
    let comb = Array(stride(from: range.lowerBound, through: range.upperBound, by: 61))
    let ends =
      Array(range.lowerBound...(range.lowerBound + 300)) + Array((range.upperBound - 300)...range.upperBound)
    #expect(try copies(bits: 24, comb + ends + Array(-300...300), as: .int24))
  }

  /// Writes samples as 16 bits and reads the integers back.
  private func integers(_ samples: [Float], dither: Dither = .none) throws -> (
    values: [Int], writer: AudioFileWriter
  ) {
    let folder = try TemporaryFolder()
    let writer = try Sound(samples: [samples]).write(folder("a.wav"), .int16, dither: dither)
    return (try Sound.read(folder("a.wav")).samples[0].map { Int($0 * 32768) }, writer)
  }

  @Test("rounding is half to even")
  func rounding() throws {
    let steps: [Float] = [0, 0.5, 1.5, 2.5, 0.49, 0.51, -0.5, -1.5, -2.5, -0.51, 32766.5, 100.25]
    let values = try integers(steps.map { $0 / 32768 }).values
    #expect(values == [0, 0, 2, 2, 0, 1, 0, -2, -2, -1, 32766, 100])
  }

  @Test("too loud is held and counted; exactly one is held only")
  func clipping() throws {
    let (values, writer) = try integers([1, -1, 1.0001, -1.0001, 2, -2, 1e30, -1e30, 0.5])
    #expect(values == [32767, -32768, 32767, -32768, 32767, -32768, 32767, -32768, 16384])
    #expect(writer.clippedSamples == 6)
    #expect(writer.nonFiniteSamples == 0)
  }

  @Test("what is no finite number is silent and counted, in every type and format", arguments: Kind.all)
  func nonFinite(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let bad: [Float] = [.nan, .infinity, -.infinity, .signalingNaN]
    let sound = Sound(samples: [
      bad + Array(repeating: 0, count: 5000) + [2, -2], Array(repeating: 0, count: 5006),
    ])
    let path = folder("a." + kind.type.extensions[0])
    let writer = try sound.write(path, kind.format)
    #expect(writer.nonFiniteSamples == 4)
    #expect(writer.clippedSamples == (kind.format.integerBits == nil ? 0 : 2))
    let copy = try Sound.read(path)
    let finite = copy.samples.joined().allSatisfy { $0.isFinite }
    #expect(finite)
    #expect(copy.samples[0].prefix(4).allSatisfy { abs($0) < 0.01 })
    if kind.format == .float || kind.format == .double {
      #expect(copy.samples[0].suffix(2) == [2, -2])
    }
  }

  @Test("dither: triangular, one step of rms in theory sqrt(1/6 + 1/12), without offset, the same each time")
  func dither() throws {
    let level: Float = 0.3 / 32768
    let quiet = Array(repeating: level, count: 40000)
    let first = try integers(quiet, dither: .triangular(seed: 1)).values
    let mean = Double(first.reduce(0, +)) / 40000
    let power = first.map { (Double($0) - 0.3) * (Double($0) - 0.3) }.reduce(0, +) / 40000
    #expect(abs(mean - 0.3) < 0.015)
    #expect(abs(power - 0.25) < 0.01)
    #expect(Set(first) == [-1, 0, 1])
    #expect(try integers(quiet, dither: .triangular(seed: 1)).values == first)
    #expect(try integers(quiet, dither: .triangular(seed: 2)).values != first)
    #expect(try Set(integers(quiet).values) == [0])
  }

  @Test("dither: each channel has noise of its own, and 24 bits have none")
  func ditherPlaces() throws {
    let folder = try TemporaryFolder()
    let quiet = Sound(samples: Array(repeating: Array(repeating: 0, count: 1000), count: 2))
    try quiet.write(folder("a.wav"), .int16, dither: .triangular(seed: 1))
    let copy = try Sound.read(folder("a.wav"))
    let same = zip(copy.samples[0], copy.samples[1]).filter { $0 == $1 }.count
    #expect((300...600).contains(same))
    for format in [SampleFormat.int24, .int32, .float] {
      try quiet.write(folder("\(format).wav"), format, dither: .triangular(seed: 1))
      #expect(try Sound.read(folder("\(format).wav")) == quiet)
    }
  }
}
