// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Samples that ask a delay for more than it keeps, or for less, are counted: as many as there are, however they are
/// cut into blocks and whatever code they run through.
@Suite struct DelayCountTests {
  /// A form of code that reads by a signal, as the definition of `y`.
  struct Form: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let y: String

    init(_ description: String, _ y: String) { (testDescription, self.y) = (description, y) }
  }

  static let forms = [
    Form("vectors, linear", "delay(x, by: z, minimum: 3, maximum: 90)"),
    Form("vectors, cubic", "delay(x, by: z, minimum: 3, maximum: 90, interpolation: \"cubic\")"),
    Form("vectors, whole frames", "delay(x, by: z, maximum: 60, interpolation: \"none\")"),
    Form("an allpass", "delay(x, by: z, minimum: 3, maximum: 90, interpolation: \"allpass\")"),
    Form("a channel's own", "delay(x, by: x * 70, maximum: 40)"),
    Form("a loop frame by frame", "x + 0.5 * delay(y, by: z, minimum: 1, maximum: 9)"),
    Form("a loop in spans", "x + 0.5 * delay(y, by: z, minimum: 70, maximum: 300)"),
    Form("behind a matrix", "dense(x, \"w\", axis: 0) + delay(x, by: z, minimum: 2, maximum: 80)"),
    // All that this one reads and writes stands in the workspace, where vectors may go beyond the last frame.
    Form(
      "between matrices",
      """
      dense(dense(dense(x, "w", axis: 0), "w", axis: 0) \
      + delay(x, by: 90 * maximum(dense(x, "w", axis: 0), axis: 0), minimum: 2, maximum: 80), "w", axis: 0)
      """),
    Form("by a parameter that steps", "delay(x, by: p * 50, minimum: 3, maximum: 90)"),
    Form("by one that glides", "delay(x, by: q * 50, minimum: 3, maximum: 90)"),
    Form("cubic, by one that steps", "delay(x, by: p * 50, maximum: 90, interpolation: \"cubic\")"),
    Form("a loop in spans by one that glides", "x + 0.5 * delay(y, by: q * 200, minimum: 70, maximum: 300)"),
    Form(
      "a loop frame by frame by one that glides", "x + 0.5 * delay(y, by: q * 5, minimum: 1, maximum: 9)"),
    Form("two, one behind the other", "delay(delay(x, by: z, maximum: 50), by: 2 * z, maximum: 50)"),
  ]

  private static let frames = 700

  /// From below the least minimum to above the greatest maximum; at some places no number at all.
  static let stimulus: Stimulus = {
    var random = SplitMix(seed: 3)
    let x = (0..<3).map { _ in (0..<frames).map { _ in random.float(-1, 1) } }
    var z = (0..<frames).map { _ in random.float(-60, 400) }
    for (frame, number) in [(13, Float.nan), (130, .infinity), (131, -.infinity), (699, .nan)] {
      z[frame] = number
    }
    let changes = (0..<7).flatMap { turn in
      [0, 1].map { ParameterEvent(frame: 90 * turn, parameter: $0, value: random.float(-1, 3)) }
    }
    return Stimulus(inputs: x + [z], frames: frames, changes: changes)
  }()

  private func graph(_ y: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "counts" stream 48000
        input x [3, frames]
        input z [frames]
        parameter p [] = 1 minimum -1 maximum 3 ramp 0 scale linear
        parameter q [frames] = 1 minimum -1 maximum 3 ramp 70 scale linear
        weights "w" [3, 3] = [1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1]
        y = \(y)
        output y = y
        """)
  }

  @Test(arguments: forms) func asManyAsThereAre(form: Form) throws {
    let graph = try graph(form.y)
    for level in ["host"] + Target.runnableLevels {
      let native = try NativeRun(graph, target: Target.named(level))
      let right = ReferenceInterpreter(native.plan.graph).run(
        inputs: Self.stimulus.inputs, frames: Self.frames, events: Self.stimulus.changes)
      let counts = try native.samplesOutside(of: Self.stimulus)
      #expect(counts.contains { $0 > 0 && $0 < 3 * Self.frames })
      for (count, range) in zip(counts, right.samplesOutside) {
        #expect(range.contains(count) && range.count < 4, "\(level): \(count) instead of \(range)")
      }
      for blocks in [[1], [17, 128, 3], [64], [700]] {
        let again = try native.samplesOutside(of: Self.stimulus, blocks: blocks)
        #expect(again == counts, "\(level), \(blocks)")
      }
    }
    let counts = try NativeRun(graph).samplesOutside(of: Self.stimulus)
    let plain = try NativeRun(graph, without: Laws.kernelSwitches).samplesOutside(of: Self.stimulus)
    #expect(plain == counts)
  }

  /// A lookahead lets the others wait: of the frames before their first one nothing is counted.
  @Test(arguments: ["linear", "allpass"]) func nothingIsCountedBeforeTheFirstFrame(kind: String) throws {
    let graph = try graph(
      "delay(lookahead(x, 63), by: 20 + 10 * x, minimum: 3, maximum: 90, interpolation: \"\(kind)\")")
    #expect(try NativeRun(graph).samplesOutside(of: Self.stimulus).allSatisfy { $0 == 0 })
  }

  /// By hand: what is outside, and what lies on its edges or comes from them by a rounding.
  @Test(arguments: [("linear", 0), ("cubic", 0), ("none", 0), ("allpass", 1)])
  func whatIsOutside(kind: String, minimum: Int) throws {
    let most = Float(9)
    let (least, below): (Float, Float) = minimum == 0 ? (-0.0, -1e-30) : (1, Float(1).nextDown)
    let inside = [most, least, least.magnitude, 4.5, most.nextDown, least.nextUp]
    let outside = [most.nextUp, 1e30, .infinity, .nan, below, -5, -.infinity]
    let graph = try graph(
      "delay(x, by: z, minimum: \(minimum), maximum: 9, interpolation: \"\(kind)\")")
    let native = try NativeRun(graph)
    func count(_ z: [Float]) throws -> Int {
      let x = [[Float]](repeating: [Float](repeating: 1, count: z.count), count: 3)
      return try native.samplesOutside(of: Stimulus(inputs: x + [z], frames: z.count)).reduce(0, +)
    }
    for number in inside {
      let found = try count([number])
      #expect(found == 0, "\(number)")
    }
    for number in outside {
      let found = try count([number])
      #expect(found == 3, "\(number)")
    }
    let all = try count(inside + outside)
    #expect(all == 3 * outside.count)
  }

  @Test func aResetForgetsThem() throws {
    let native = try NativeRun(try graph("delay(x, by: z, maximum: 60)"))
    let playback = try Playback(Self.stimulus, through: native.program)
    playback.finish()
    let count = playback.context.samplesOutside
    #expect(count > 0 && count == playback.context.samplesOutside(ofDelay: 0))
    playback.context.reset()
    #expect(playback.context.samplesOutside == 0)
    playback.rewind()
    playback.finish()
    #expect(playback.context.samplesOutside == count)
  }

  @Test func theLayoutSaysWhichDelayItIs() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "T", "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "wet": "delay(x, by: x, maximum: 5)",
                   "y": "1 + delay(wet, by: 2 * x, minimum: 1, maximum: 7)" }, "outputs": ["y"] }
      """)
    let delays = try model.compile().layout.signalDelays
    #expect(delays.map(\.name) == ["wet", "y"])
    #expect(delays.map(\.range) == [0...5, 1...7])
    #expect(delays.map(\.line) == [2, 3] && delays.map(\.column) == [22, 24])
    #expect(delays.allSatisfy { $0.file == nil })
  }

  @Test func aProgramInCCountsThem() throws {
    let graph = try graph("delay(delay(x, by: z, maximum: 50), by: 2 * z, maximum: 50)")
    let right = try NativeRun(graph).samplesOutside(of: Self.stimulus)
    let counts = try ObjectRun(graph, target: .host()).samplesOutside(of: Self.stimulus)
    #expect(counts == right)
  }

  private static let modelsThatReadBySignals = [
    "chorus.json", "delay.json", "flanger.json", "reverb.json", "shifter.json", "string.json",
  ]

  @Test func noOtherShippedModelReadsBySignals() throws {
    let names = try PackageFiles.shippedModels.filter { name in
      try !ShippedModelTests().graph(name, extent: 1).taps.isEmpty
    }
    #expect(names == Self.modelsThatReadBySignals)
  }

  /// A shipped model that reads by signals keeps as much as its parameters can ask for.
  @Test(arguments: modelsThatReadBySignals, [44_100.0, 192_000])
  func shippedModelsKeepEnough(name: String, sampleRate: Double) throws {
    let graph = try ShippedModelTests().graph(name, extent: 1, sampleRate: sampleRate)
    try #require(!graph.taps.isEmpty)
    let native = try NativeRun(graph)
    // To the ends of all parameters and back, together and one against the others, each time for a sway at 4 Hz or
    // more, and for what follows a parameter slowly. What comes behind the fifth goes against one of the first.
    let (turns, length) = (1 << min(graph.parameters.count, 5), Int(sampleRate / 4))
    let changes = (0..<turns).flatMap { turn in
      graph.parameters.enumerated().map { index, parameter in
        ParameterEvent(
          frame: length * turn, parameter: index,
          value: (turn >> (index % 5) ^ index / 5) & 1 == 0 ? parameter.maximum : parameter.minimum)
      }
    }
    let frames = turns * length
    let inputs = (0..<graph.inputs.reduce(0) { $0 + $1.type.shape.count }).map { _ in
      [Float](repeating: 0.5, count: frames)
    }
    let counts = try native.samplesOutside(of: Stimulus(inputs: inputs, frames: frames, changes: changes))
    #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
  }
}
