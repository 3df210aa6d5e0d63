// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TestEquipment
import Testing

/// Recurrent layers beside their formulas in double precision, over a long noise: what is rounded does not add up.
@Suite(.timeLimit(.minutes(30))) struct LongRecurrenceTests {
  private static let units = 2
  private static let frames = 20 * 48000

  /// PyTorch's formulas, of one input. Weights have a row for each unit of each gate: its input's, its bias, those of
  /// the units.
  private struct Cell {
    private let units = LongRecurrenceTests.units
    let weights: [[Float]]
    /// h, and for an LSTM c behind it.
    var state: [Double]

    func gate(_ gate: Int, _ unit: Int, _ x: Double, _ h: ArraySlice<Double>) -> Double {
      let row = weights[gate * units + unit]
      var sum = Double(row[0]) * x + Double(row[1])
      for index in 0..<units { sum += Double(row[2 + index]) * h[index] }
      return sum
    }
  }

  private static func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

  private static func longShortTerm(_ cell: inout Cell, _ x: Double) {
    let h = cell.state[0..<units]
    for unit in 0..<units {
      let (i, f) = (sigmoid(cell.gate(0, unit, x, h)), sigmoid(cell.gate(1, unit, x, h)))
      let (g, o) = (tanh(cell.gate(2, unit, x, h)), sigmoid(cell.gate(3, unit, x, h)))
      cell.state[units + unit] = f * cell.state[units + unit] + i * g
      cell.state[unit] = o * tanh(cell.state[units + unit])
    }
  }

  private static func gated(_ cell: inout Cell, _ x: Double) {
    let h = cell.state[0..<units]
    for unit in 0..<units {
      let (r, z) = (sigmoid(cell.gate(0, unit, x, h)), sigmoid(cell.gate(1, unit, x, h)))
      let row = cell.weights[2 * units + unit]
      let own = cell.gate(2, unit, 0, h) - Double(row[1])
      let n = tanh(Double(row[0]) * x + Double(row[1]) + r * own)
      cell.state[unit] = (1 - z) * n + z * h[unit]
    }
  }

  @Test(arguments: [("lstm", 4), ("gru", 3)]) func twentySecondsOfNoise(name: String, gates: Int) throws {
    var random = SplitMix(seed: 4)
    let weights = (0..<gates * Self.units).map { _ in
      (0..<Self.units + 2).map { _ in Float.random(in: -1...1, using: &random) }
    }
    func text(_ name: String, _ shape: [Int], _ columns: Range<Int>) -> String {
      "weights \"\(name)\" \(shape) = "
        + "[\(weights.flatMap { $0[columns] }.map { "\($0)" }.joined(separator: ", "))]"
    }
    let rows = gates * Self.units
    let graph = try Graph(
      parsing: """
        graph "\(name)" stream 48000
        input x [1, frames]
        \(text("w", [rows, 1], 0..<1))
        \(text("b", [rows], 1..<2))
        \(text("u", [rows, Self.units], 2..<Self.units + 2))
        y = \(name)(x, "w", "u", "b")
        output y = y
        """)
    let noise = (0..<Self.frames).map { _ in Float.random(in: -1...1, using: &random) }
    let outputs = try NativeRun(graph).outputs(of: Stimulus(inputs: [noise], frames: Self.frames))
    var cell = Cell(weights: weights, state: [Double](repeating: 0, count: 2 * Self.units))
    var worst = 0.0
    for frame in 0..<Self.frames {
      let x = Double(noise[frame])
      if gates == 4 { Self.longShortTerm(&cell, x) } else { Self.gated(&cell, x) }
      for unit in 0..<Self.units { worst = max(worst, abs(Double(outputs[unit][frame]) - cell.state[unit])) }
    }
    #expect(worst < 1e-6, "\(worst)")
    #expect(worst > 0)
  }
}
