// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import TestEquipment
import Testing

/// Models that look ahead are late, and aligned where they are mixed, bypassed and put together.
@Suite struct LookaheadModelTests {
  static let length = 64

  /// The ceiling over the loudest of the 64 frames from here on, and then the mean of the last 64 of those gains.
  ///
  ///     loudest of 64: 1, 2, 4, … 32 frames ahead       sum of 64: 1, 2, 4, … 32 frames back
  ///
  /// Each gain of the mean looks at the present frame: it is never above what that one needs.
  static let limiter = """
    { "legato": 1, "name": "Limiter", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": { "ceiling": { "default": 1, "minimum": 0.1, "maximum": 1, "ramp": 0 } },
      "graph": {
        "level": "maximum(abs(x), axis: 0)",
        \(doublings.map { #""m\#($0)": "max(m\#($0 / 2), lookahead(m\#($0 / 2), \#($0 / 2)))","# }.joined(separator: "\n"))
        "m1": "level",
        "excess": "1 - min(1, ceiling / max(m64, 0.000001))",
        \(doublings.map { #""s\#($0)": "s\#($0 / 2) + delay(s\#($0 / 2), \#($0 / 2))","# }.joined(separator: "\n"))
        "s1": "excess",
        "y": "x * (1 - s64 / 64)"
      },
      "outputs": ["y"] }
    """
  private static let doublings = [2, 4, 8, 16, 32, 64]

  private func outputs(
    _ model: Model, _ inputs: [[Float]], _ changes: [ParameterEvent] = [], blocks: [Int] = [33, 128]
  ) throws -> [[Float]] {
    let playback = try Playback(
      Stimulus(inputs: inputs, frames: inputs[0].count, changes: changes),
      through: model.compile(channels: inputs.count))
    playback.finish(blocks)
    return playback.outputs
  }

  // MARK: A limiter

  @Test func aLimiterIsNeverAboveItsCeiling() throws {
    var random = SplitMix(seed: 5)
    let silence = [Float](repeating: 0, count: 64)
    let inputs = (0..<2).map { _ in
      silence + (0..<3000).map { frame in random.float(-1, 1) * (frame / 300 % 2 == 0 ? 6 : 0.5) }
    }
    let model = try Model(Self.limiter)
    #expect(try model.compile(channels: 2).layout.latency == 63)
    let rows = try outputs(model, inputs)
    #expect(rows.joined().allSatisfy { abs($0) <= 1.000_001 })
    #expect((rows.joined().map(abs).max() ?? 0) > 0.9)
    #expect(rows.allSatisfy { $0.prefix(63).allSatisfy { $0 == 0 } })
  }

  /// The gain falls on a line over the 64 frames before a peak, and rises on one behind it.
  @Test func aPeakIsPreparedForOnALine() throws {
    var input = [Float](repeating: 0.5, count: 600)
    input[300] = 4
    let row = try outputs(try Model(Self.limiter), [input])[0]
    let errors = (64..<600 - 63).map { frame in
      let gain = 1 - 0.75 * Double(max(0, 64 - abs(frame - 300))) / 64
      return abs(Double(row[frame + 63]) - Double(input[frame]) * gain)
    }
    #expect((errors.max() ?? 1) < 1e-6)
  }

  @Test func lawsHoldForALimiter() throws {
    for (seed, controls) in [(UInt64(1), []), (2, [Model.Control.mix]), (3, [.bypass, .mix])] {
      let graph = try Model(Self.limiter).with(Set(controls)).graph(
        extents: ["channels": 2], sampleRate: 48_000)
      try Laws(LawCase(label: "limiter \(controls)", graph: graph, seed: seed)).check(seed: seed)
    }
  }

  @Test func aConvolutionCanBeCentred() throws {
    let text = """
      { "legato": 1, "name": "FIR", "inputs": { "x": { "shape": [1, "frames"] } },
        "weights": { "taps": [[[1, 2, 4, 8, 16, 32]]] },
        "graph": { "y": "conv1d(x, 'taps', padding: 'same')" }, "outputs": ["y"] }
      """
    var impulse = [Float](repeating: 0, count: 40)
    impulse[10] = 1
    let row = try outputs(try Model(text), [impulse])[0]
    // As along a fixed axis, of six taps two reach back: the response is centred half a frame early.
    #expect(Array(row[10..<16]) == [32, 16, 8, 4, 2, 1])
    #expect(row.reduce(0, +) == 63)
  }

  // MARK: Bypass and mix

  private static func noise(_ rows: Int, _ frames: Int) -> [[Float]] {
    var random = SplitMix(seed: 9)
    let odd: [Float] = [.infinity, -.infinity, .nan, 1e30, -0.0, .leastNonzeroMagnitude]
    return (0..<rows).map { _ in
      (0..<frames).map { _ in random.chance(0.05) ? random.pick(odd) : random.float(-2, 2) }
    }
  }

  private func expectLate(_ row: [Float], _ input: [Float], _ count: Int) {
    #expect(row.prefix(count).allSatisfy { $0 == 0 })
    let moved = zip(row.dropFirst(count), input)
    #expect(moved.allSatisfy { $0.bitPattern == $1.bitPattern })
  }

  @Test func theDryWayIsAsLate() throws {
    let input = Self.noise(2, 400)
    for (control, value) in [(Model.Control.bypass, Float(1)), (.mix, 0)] {
      let model = try Model(Self.limiter).with([control])
      let parameter = try #require(
        model.parameters.firstIndex { $0.name == control.rawValue })
      let rows = try outputs(model, input, [ParameterEvent(frame: 0, parameter: parameter, value: value)])
      for (row, input) in zip(rows, input) { expectLate(row, input, 63) }
    }
  }

  /// From -1 to 1 in a ramp of 960 frames, which begins with the sound that goes in when it is turned.
  @Test func bypassGlides() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Upside down", "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "y": "x - 2 * lookahead(x, 100)" }, "outputs": ["y"] }
      """
    ).with([.bypass])
    let ones = [Float](repeating: 1, count: 3000)
    let row = try outputs(model, [ones], [ParameterEvent(frame: 1000, parameter: 0, value: 1)])[0]
    #expect(row[100..<1100].allSatisfy { $0 == -1 } && row[1100] > -1 && row[2059...].allSatisfy { $0 == 1 })
    #expect(zip(row[100...], row[101...]).allSatisfy { $1 - $0 < 2.01 / 960 && $1 >= $0 })
  }

  @Test func chainsAddUpWhatTheyAreLateBy() throws {
    let limiter = try Model(Self.limiter)
    let input = Self.noise(1, 500)
    let chain = try limiter.then(limiter).with(.bypass, ofStage: 0).with(.bypass, ofStage: 1)
    let first = try #require(chain.parameters.firstIndex { $0.name == "limiter1.bypass" })
    let second = try #require(chain.parameters.firstIndex { $0.name == "limiter2.bypass" })
    let both = [first, second].map { ParameterEvent(frame: 0, parameter: $0, value: 1) }
    expectLate(try outputs(chain, input, both)[0], input[0], 126)
    let whole = try limiter.then(limiter).with([.bypass])
    let last = whole.parameters.count - 1
    #expect(whole.parameters[last].name == "bypass")
    let row = try outputs(whole, input, [ParameterEvent(frame: 0, parameter: last, value: 1)])[0]
    expectLate(row, input[0], 126)
  }

  // MARK: What shows it

  @Test func whatIsNotFiniteIsFoundWhereItWentIn() throws {
    func found(_ expression: String, at frame: Int) throws -> NonFiniteNumber? {
      let model = try Model(
        """
        { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
          "parameters": { "p": { "default": 1, "minimum": 1, "maximum": 2 } },
          "graph": { "y": "\(expression)" }, "outputs": ["y"] }
        """)
      var input = [Float](repeating: 1, count: 400)
      input[frame] = 0
      return try model.compilation().finiteCheck().run([input], frames: 400)
    }
    // Nothing arrives at first of what waits, and a division by it is not read.
    #expect(
      try found("lookahead(x, 70) / (p * x + 1) + 1 / delay(p + lookahead(1 + x, 3), 1)", at: 9)?.frame == 0)
    #expect(try found("lookahead(x, 70) / (p + abs(x))", at: 9) == nil)
    let number = try #require(try found("x + lookahead(log(x), 70)", at: 200))
    #expect(number.frame == 200 && number.expression == "log(x)")
    let later = try #require(try found("log(x) + lookahead(x, 70)", at: 200))
    #expect(later.frame == 200 && later.expression == "log(x)")
  }

  private static func verification(_ expression: String) throws -> Verification {
    let model = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "p": { "default": 1, "minimum": 1, "maximum": 2 } },
        "graph": { "y": "\(expression)" }, "outputs": ["y"] }
      """)
    return try Verification(model.compilation())
  }

  @Test func theLatencyIsMeasured() throws {
    let verification = try Self.verification("x * p + 0.5 * lookahead(tanh(x), 50)")
    let findings = try verification.findings()
    #expect(findings.filter { $0.outcome == .broken || $0.outcome == .idle } == [])
    #expect(findings.first { $0.name == "latency" }?.sentence.hasPrefix("50 frames, which are ") == true)
    #expect(findings.first { $0.name == "law 5: latency" }?.sentence == "50 frames, as planned")
  }

  /// Neither what begins behind the end of a trial nor silence takes a search through all that it could be late by.
  @Test(arguments: ["lookahead(x, 300000) * p", "0 * lookahead(x, 100000) * p"])
  func aLatencyThatCannotBeMeasuredIsSaid(y: String) throws {
    let finding = try Self.verification(y).latency()
    #expect(
      finding.outcome == .idle && finding.sentence.hasPrefix("nothing to measure: "), "\(finding.sentence)")
  }

  /// A model that has not begun within a trial agrees with everything: that proves nothing, and is not called ok.
  @Test func lawsAreNotTriedOnSilence() throws {
    let findings = try Self.verification("lookahead(x, 300000) * p").findings()
    #expect(findings.contains { $0.name == "laws on signals" && $0.outcome == .idle })
    #expect(!findings.contains { $0.name == "law 2: meaning" || $0.outcome == .broken })
  }

  @Test func aWrongLatencyIsSeen() throws {
    var verification = try Self.verification("x * p + 0.5 * lookahead(tanh(x), 50)")
    verification.program = try Self.verification("delay(x, 1) * p + 0.5 * lookahead(tanh(x), 50)").program
    let findings = try verification.findings()
    #expect(findings.first { $0.name == "law 5: latency" }?.outcome == .broken)
    let program = try Self.verification("delay(x * p + 0.5 * lookahead(tanh(x), 50), 2)").program
    verification.program = program
    let sentence = try verification.findings().first { $0.name == "law 5: latency" }?.sentence
    #expect(sentence == "52 frames, not 50")
    var layout = program.layout
    layout.latency = 51
    let truth = try Self.verification("x * p + 0.5 * lookahead(tanh(x), 50)").program
    verification.program = unsafe try Program(
      name: "late", layout: layout, entry: truth.entry, weights: truth.weights, owner: truth)
    #expect(
      try verification.findings().first { $0.name == "law 5: latency" }?.sentence == "50 frames, not 51")
  }
}
