// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The string's pitch, decay and timbre, by its spectrum.
@Suite struct StringTests {
  /// The real and imaginary part of a span in a Hann window at a frequency, in phase with the stream's beginning.
  private static func line(_ row: [Float], _ span: Range<Int>, _ frequency: Double, _ rate: Double)
    -> SIMD2<Double>
  {
    var sum = SIMD2<Double>.zero
    let step = 2 * Double.pi * frequency / rate
    unsafe row.withUnsafeBufferPointer { samples in
      for frame in span {
        let window = 1 - cos(2 * .pi * Double(frame - span.lowerBound) / Double(span.count))
        let angle = step * Double(frame)
        sum += unsafe Double(samples[frame]) * window * SIMD2(cos(angle), -sin(angle))
      }
    }
    return sum * 2 / Double(span.count)
  }

  /// How many cents above a frequency a tone sounds: how far its phase goes ahead from one span to a later one.
  private static func cents(_ row: [Float], above frequency: Double, rate: Double, from start: Double)
    -> Double
  {
    let (length, step) = (Int(0.25 * rate), Int(0.1 * rate))
    let spans = [0, step].map { Int(start * rate) + $0..<Int(start * rate) + $0 + length }
    let (a, b) = (line(row, spans[0], frequency, rate), line(row, spans[1], frequency, rate))
    let ahead = atan2(b.y * a.x - b.x * a.y, b.x * a.x + b.y * a.y)
    return 1200 * log2(1 + ahead / (2 * .pi * Double(step) / rate) / frequency)
  }

  private static func frequency(_ note: Float) -> Double { 440 * pow(2, (Double(note) - 69) / 12) }

  @Test(arguments: [
    (8000.0, Float(33)), (8000, 57.4), (8000, 88), (44_100, 24), (48_000, 28), (48_000, 45), (48_000, 60.5),
    (48_000, 76), (48_000, 88), (192_000, 45), (192_000, 81),
  ])
  func itIsInTune(rate: Double, note: Float) throws {
    let string = try ShippedEffect(
      "string", sampleRate: rate,
      ["note": note, "pattern": 1, "tempo": 30, "decay": 10, "brightness": 12_000])
    let row = try string.play(Int(0.5 * rate))[0]
    let pitch = Self.frequency(note)
    #expect(Swift.abs(Self.cents(row, above: pitch, rate: rate, from: 0.1)) < 0.1)
    // The all-pass filter is exact at the pitch, and hardly less so at what sounds with it.
    if pitch < rate / 50 {
      #expect(Swift.abs(Self.cents(row, above: 2 * pitch, rate: rate, from: 0.1)) < 1)
    }
    #expect(row.contains { Swift.abs($0) > 0.05 } && row.allSatisfy { Swift.abs($0) < 2 })
  }

  @Test(arguments: [(Float(1), Float(45)), (4, 45), (2, 64)]) func itDecaysAsItIsSet(
    decay: Float, note: Float
  )
    throws
  {
    let string = try ShippedEffect(
      "string", ["note": note, "pattern": 1, "tempo": 30, "decay": decay, "brightness": 20_000])
    let row = try string.play(48_000)[0]
    let levels = [4800..<14_400, 24_000..<33_600].map {
      decibels(Self.line(row, $0, Self.frequency(note), 48_000).gain)
    }
    #expect(Swift.abs((levels[0] - levels[1]) / (60 * 0.4 / Double(decay)) - 1) < 0.03)
  }

  /// Plucked in its middle, it has hardly any of the even harmonics, which stand still there.
  @Test func whereItIsPluckedIsHeard() throws {
    let settings: [String: Float] = ["note": 45, "pattern": 1, "tempo": 30, "position": 0.5]
    let row = try ShippedEffect("string", settings).play(19_200)[0]
    let lines = (1...5).map { decibels(Self.line(row, 4800..<19_200, 110 * Double($0), 48_000).gain) }
    for even in [2, 4] { #expect(lines[even - 1] < Swift.max(lines[even - 2], lines[even]) - 30) }
  }

  @Test func aGatePlucks() throws {
    let string = try ShippedEffect("string", ["pattern": 0])
    let changes = try [string.turn("gate", to: 1, at: 1280), string.turn("gate", to: 0, at: 6400)]
    let row = try string.play(9600, changes)[0]
    #expect(row[..<1280].allSatisfy { $0 == 0 } && row[1280...].contains { Swift.abs($0) > 0.05 })
  }

  /// The second step of the minor chord is a fifth above the note, the third an octave.
  @Test(arguments: [(1, 7.0), (2, 12)]) func aPatternGoesFromNoteToNote(step: Int, above: Double) throws {
    let string = try ShippedEffect("string", ["note": 45, "pattern": 2, "tempo": 60, "decay": 10])
    let row = try string.play(24_000 * (step + 1))[0]
    let pitch = 110 * pow(2, above / 12)
    #expect(Swift.abs(Self.cents(row, above: pitch, rate: 48_000, from: 0.5 * Double(step) + 0.1)) < 2)
  }
}
