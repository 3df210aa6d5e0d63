// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import TestEquipment
import Testing

/// Functions that are composed of others, against the C library's in double precision, on every level of the processor.
@Suite struct MathematicsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// The arguments, evenly spaced; those above 0 are each a factor from the next, where `grows`.
    let range: ClosedRange<Double>
    var grows = false
    /// The greatest error as a share of the value, and of 1.
    let relative: Double
    var absolute = 0.0
    let exact: @Sendable (Double) -> Double

    var testDescription: String { "\(name) from \(range.lowerBound) to \(range.upperBound)" }
  }

  /// 2⁻²³: the distance of floats behind 1.
  private static let ulp = 0x1p-23

  private static let cases: [Case] = [
    Case(name: "log2", range: 1e-37...3e38, grows: true, relative: 2 * ulp) { log2($0) },
    Case(name: "log2", range: 0.5...2, relative: 2 * ulp) { log2($0) },
    Case(name: "log10", range: 1e-37...3e38, grows: true, relative: 2 * ulp) { log10($0) },
    Case(name: "asin", range: -1...1, relative: 4 * ulp) { asin($0) },
    Case(name: "asin", range: 1e-30...1, grows: true, relative: 4 * ulp) { asin($0) },
    Case(name: "acos", range: -1...1, relative: 4 * ulp) { acos($0) },
    Case(name: "acos", range: 0.9999...1, relative: 4 * ulp) { acos($0) },
    Case(name: "atan", range: -30...30, relative: 2 * ulp) { atan($0) },
    Case(name: "atan", range: 1e-30...1e30, grows: true, relative: 2 * ulp) { atan($0) },
    Case(name: "sinh", range: -2...2, relative: 5 * ulp) { sinh($0) },
    Case(name: "sinh", range: 1e-30...89.4, grows: true, relative: 5 * ulp) { sinh($0) },
    Case(name: "cosh", range: -89.4...89.4, relative: 4 * ulp) { cosh($0) },
    Case(name: "decibelsToGain", range: -20...20, relative: 3 * ulp) { pow(10, $0 / 20) },
    Case(name: "decibelsToGain", range: -200...200, relative: 15 * ulp) { pow(10, $0 / 20) },
    Case(name: "gainToDecibels", range: 1e-30...1e30, grows: true, relative: 2 * ulp) { 20 * log10($0) },
    Case(name: "noteToFrequency", range: 0...127, relative: 5 * ulp) { 440 * pow(2, ($0 - 69) / 12) },
    Case(name: "frequencyToNote", range: 8...13000, grows: true, relative: 2 * ulp, absolute: 1e-5) {
      69 + 12 * log2($0 / 440)
    },
  ]

  private static let count = 20_000

  @Test(arguments: cases, Target.runnableLevels)
  func isWithinAFewUlp(test: Case, target: String) throws {
    let (low, high) = (test.range.lowerBound, test.range.upperBound)
    let x = (0..<Self.count).map { index in
      let share = Double(index) / Double(Self.count - 1)
      return Float(test.grows ? low * pow(high / low, share) : low + share * (high - low))
    }
    let graph = try Graph(
      parsing: "graph \"F\" stream 48000\ninput x [frames]\ny = \(test.name)(x)\noutput y = y")
    let y = try NativeRun(graph, target: Target.named(target)).outputs(
      of: Stimulus(inputs: [x], frames: x.count, changes: []))[0]
    var (worst, place) = (0.0, 0)
    for (index, (x, y)) in zip(x, y).enumerated() {
      let exact = test.exact(Double(x))
      let excess = abs(Double(y) - exact) / (test.relative * abs(exact) + test.absolute + 2e-38)
      if !(excess <= worst) { (worst, place) = (excess, index) }
    }
    #expect(worst <= 1, "\(test.name)(\(x[place])) is \(y[place]), not \(test.exact(Double(x[place])))")
  }

  @Test("Levels and notes are their own contraries, and known where tables have them")
  func known() throws {
    let text = """
      graph "Known" stream 48000
      input x [frames]
      a = noteToFrequency(69 + 0 * x)
      c = noteToFrequency(60 + 0 * x)
      half = gainToDecibels(0.5 + 0 * x)
      back = decibelsToGain(gainToDecibels(0.25 + 0 * x))
      note = frequencyToNote(880 + 0 * x)
      nothing = elu(0 / (0 * x))
      output a = a
      output c = c
      output half = half
      output back = back
      output note = note
      output nothing = nothing
      """
    let y = try NativeRun(try Graph(parsing: text)).outputs(
      of: Stimulus(inputs: [[1]], frames: 1, changes: [])
    ).map { $0[0] }
    #expect(y[0] == 440 && abs(y[1] - 261.62558) < 1e-4 && abs(y[2] + 6.0206) < 1e-5)
    #expect(abs(y[3] - 0.25) < 1e-6 && y[4] == 81 && y[5].isNaN)
  }

  @Test("A signal without channels is one channel where signals are put together")
  func concatenation() throws {
    let text = """
      graph "Channels" stream 48000
      input x [2, frames]
      input y [frames]
      all = concatenate([y, x, 3])
      both = concatenate([y, -y], axis: -1)
      output all = all
      output both = both
      """
    let (x, y): ([[Float]], [Float]) = ([[1, 2], [4, 5]], [7, 8])
    let rows = try NativeRun(try Graph(parsing: text)).outputs(
      of: Stimulus(inputs: x + [y], frames: 2, changes: []))
    #expect(rows == [y, x[0], x[1], [3, 3], y, [-7, -8]])
  }

  @Test("Weights are values: an array of numbers is a channel for each, in any expression")
  func weightsAsValues() throws {
    let text = """
      { "legato": 1, "inputs": { "src": { "shape": ["frames"] } },
        "weights": { "lengths": [3, 5], "gains": [0.5, -0.25] },
        "graph": { "taps": "delay(src, by: 'lengths', maximum: 5)", "dst": "sum('gains' * taps)",
          "seconds": "'lengths' / sampleRate + 0 * src" },
        "outputs": ["dst", "seconds"] }
      """
    let run = try NativeRun(try Model(text).compilation(sampleRate: 48_000).compiled.source)
    let click: [Float] = [1, 0, 0, 0, 0, 0, 0]
    let rows = try run.outputs(of: Stimulus(inputs: [click], frames: 7, changes: []))
    #expect(rows[0] == [0, 0, 0, 0.5, 0, -0.25, 0])
    #expect(rows[1][0] == Float(3) / 48_000 && rows[2][0] == Float(5) / 48_000)
  }
}
