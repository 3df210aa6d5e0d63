// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Phases bit by bit, beside the sum of the steps of all frames before.
@Suite struct PhasorTests {
  private static func graph(_ lines: String, _ sampleRate: Double) throws -> Graph {
    try Graph(
      parsing: """
        graph "phases" stream \(sampleRate)
        input x [frames]
        parameter rate [frames] = 300 minimum -30000 maximum 30000 ramp 50 scale linear
        \(lines)
        output y = y
        """)
  }

  private static func phases(of frequencies: [Float], _ sampleRate: Double) -> [Float] {
    var phase: Int64 = 0
    return frequencies.map { frequency in
      defer { phase &+= Phase.step(frequency, sampleRate: sampleRate) }
      return Float(Phase.shown(phase))
    }
  }

  /// Each of its halves, what lies beyond them, and what is no number; for some frames each, or for one.
  private static func frequencies(_ sampleRate: Double) -> [Float] {
    let half = Float(sampleRate / 2)
    let edges: [Float] = [
      half, -half, half.nextDown, -half.nextDown, half.nextUp, .infinity, -.infinity, .nan, 0, -0.0, 1e-5,
      -1e-5,
      .leastNonzeroMagnitude, 440, -440.1, 12_345.678, -7_999,
    ]
    var random = SplitMix(seed: 5)
    return (0..<700).map { frame in
      frame < 200
        ? edges[frame / 5 % edges.count] : frame < 500 ? random.pick(edges) : random.float(-500, 500)
    }
  }

  /// At the last one half the sample rate is a little more than half a turn.
  private static let sampleRates = [44_100, 48_000, 96_000, 192_000, 11_025, 8_002.22]

  @Test(arguments: sampleRates) func ofASignal(sampleRate: Double) throws {
    let frequencies = Self.frequencies(sampleRate)
    let right = Self.phases(of: frequencies, sampleRate)
    // Frame by frame it is another code, and in a span shorter than the lanes.
    for lines in ["y = phasor(x)", "y = phasor(x + 0 * delay(y, 1))", "y = phasor(x + 0 * delay(y, 6))"] {
      for target in Target.runnable {
        let native = try NativeRun(Self.graph(lines, sampleRate), target: target)
        for blocks in [[frequencies.count], [1], [17, 3, 128, 16]] {
          let found = try native.outputs(
            of: Stimulus(inputs: [frequencies], frames: frequencies.count), blocks: blocks)
          #expect(found[0] == right, "\(lines), \(target.name), blocks of \(blocks)")
        }
      }
    }
  }

  @Test(arguments: sampleRates) func ofANumberAndOfAParameter(sampleRate: Double) throws {
    let frames = 700
    let silence = [Float](repeating: 0, count: frames)
    for frequency in [440, -0.3, 23_999, 1e6, -1e6] as [Float] {
      let right = Self.phases(of: silence.map { _ in frequency }, sampleRate)
      let stepped = ParameterEvent(frame: 0, parameter: 0, value: frequency)
      for target in Target.runnable {
        let number = try NativeRun(Self.graph("y = phasor(\(frequency))", sampleRate), target: target)
        // What is computed of it keeps it from being one number for all frames.
        let moving = try NativeRun(
          Self.graph("y = phasor(rate)\nz = phasor(rate + 0 * x)\noutput z = z", sampleRate), target: target)
        for blocks in [[frames], [1], [17, 3, 128, 16]] {
          let still = Stimulus(inputs: [silence], frames: frames)
          #expect(try number.outputs(of: still, blocks: blocks)[0] == right, "\(target.name), \(blocks)")
          let moved = Stimulus(inputs: [silence], frames: frames, changes: [stepped])
          let found = try moving.outputs(of: moved, blocks: blocks)
          #expect(found[0] == found[1], "\(frequency) Hz, \(target.name), \(blocks)")
        }
      }
    }
  }

  /// While a parameter glides, beside an interpreter.
  @Test(arguments: ["y = phasor(rate)", "y = phasor(rate * 0.5)", "y = sin(6 * phasor(control(rate)))"])
  func ofARamp(lines: String) throws {
    try Laws(LawCase(label: lines, graph: Self.graph(lines, 48_000), seed: 7)).check(seed: 7)
  }
}
