// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Loops of many rows, a row in each lane: of any number of rows, over any split, with the bits that each row has
/// alone.
@Suite struct TiledLoopTests {
  private static let forms = [
    "y = x * 0.1 + 0.9 * delay(y, 1)",
    "y = tanh(x - level * delay(y, 1) + 0.3 * delay(y, 3))",
    // Two memories, and a stream that all rows share.
    "s = delay(s, 1) + 0.2 * (x - delay(s, 1)) * abs(z)\ny = s - 0.4 * delay(y, 2) + z * level",
    // What is heard is made of what the loop was, too.
    "s = x * 0.1 + 0.9 * delay(s, 1)\nt = s * level\ny = t + delay(s, 3) * z",
    // It is heard again later, around another cycle and beside it.
    "s = (x - level * delay(t, 20)) * 0.1 + 0.9 * delay(s, 1)\nt = s + delay(s, 1)\ny = t + delay(t, 300)",
  ]

  private static func graph(_ form: String, rows: Int) throws -> Graph {
    try Graph(
      parsing: """
        graph "rows" stream 48000
        input x [\(rows), frames]
        input z [1, frames]
        parameter level [frames] = 0.4 minimum 0 maximum 0.6 ramp 50 scale linear
        \(form)
        output out = y + z * 0
        """)
  }

  /// The functions that carry something from frame to frame.
  private static func loops(of graph: Graph, level: String) throws -> [Substring] {
    let options = CompileOptions(target: try #require(Target.x86(level: level)))
    let text = try CompiledGraph(graph, options: options).llvmText
    return text.split(separator: "define internal void @").filter { $0.contains(/= phi (<|float)/) }
  }

  /// Those that are called while a parameter moves.
  private static func movingLoops(of graph: Graph, level: String) throws -> [Substring] {
    try loops(of: graph, level: level).filter { $0.prefix { $0 != "(" }.hasSuffix("_varying") }
  }

  /// Every other number of rows for each form, and the others for the next one.
  private static let cases = forms.enumerated().flatMap { place, form in
    (place.isMultiple(of: 2) ? [7, 9, 16, 35] : [8, 12, 18]).map { (form, $0) }
  }

  @Test(arguments: cases) func allLawsHold(form: String, rows: Int) throws {
    let graph = try Self.graph(form, rows: rows)
    try Laws(LawCase(label: "\(form), \(rows) rows", graph: graph, seed: UInt64(rows))).check(
      seed: UInt64(rows))
  }

  /// A loop's state that another kernel reads is in memory, frame by frame: such a loop is not transposed in registers.
  @Test(arguments: ["delay(s, 200)", "sum(delay(s, 2), axis: 0)"])
  func othersHearItsPast(other: String) throws {
    let graph = try Self.graph("s = x * 0.1 + 0.9 * delay(s, 1)\ny = s + \(other)", rows: 16)
    try Laws(LawCase(label: other, graph: graph, seed: 3)).check(seed: 3)
  }

  @Test(arguments: forms, [8, 18]) func eachRowIsAsItIsAlone(form: String, rows: Int) throws {
    var random = SplitMix(seed: UInt64(rows))
    let frames = 500
    let inputs = (0...rows).map { _ in (0..<frames).map { _ in random.float(-1, 1) } }
    let changes = [20, 250].map { ParameterEvent(frame: $0, parameter: 0, value: $0 == 20 ? 0.1 : 0.55) }
    for target in Target.runnable {
      let together = try NativeRun(Self.graph(form, rows: rows), target: target)
      let alone = try NativeRun(Self.graph(form, rows: 1), target: target)
      let outputs = try together.outputs(
        of: Stimulus(inputs: inputs, frames: frames, changes: changes), blocks: [1, 130, 16, 61])
      for row in 0..<rows {
        let own = Stimulus(inputs: [inputs[row], inputs[rows]], frames: frames, changes: changes)
        #expect(try alone.outputs(of: own, blocks: [frames])[0] == outputs[row], "row \(row), \(target.name)")
      }
    }
  }

  /// While a parameter moves, channels are in lanes as well, and none is computed by itself.
  @Test(arguments: forms.dropFirst(), [8, 16, 18]) func movingCodeIsInLanes(form: String, rows: Int) throws {
    let moving = try Self.movingLoops(of: Self.graph(form, rows: rows), level: "x86-64-v4")
    #expect(!moving.isEmpty)
    for function in moving { #expect(Self.isInLanes(function)) }
  }

  private static func isInLanes(_ function: Substring) -> Bool {
    !function.contains(/f(mul|add|sub|div) float|fma\.f32/)
  }

  /// Whether the last kernel of a filter reads its past or not.
  @Test(
    arguments: [
      "lowpass", "highpass", "bandpass", "notch", "allpass", "onePole", "peak", "lowShelf", "highShelf",
      "svf",
    ], [8, 16])
  func filtersOfManyRowsAreInLanes(filter: String, rows: Int) throws {
    let arguments = ["peak": ", 3", "lowShelf": ", 3", "highShelf": ", 3", "svf": ", 0.7, low: level"]
    let call = { (input: String) in "\(filter)(\(input), 4000 * level\(arguments[filter] ?? ""))" }
    for form in ["y = \(call("x"))", "y = \(call("x + 0.5 * delay(y, 40)"))"] {
      let loops = try Self.loops(of: Self.graph(form, rows: rows), level: "x86-64-v4")
      #expect(loops.count == 2, "settled and moving: \(form)")
      for function in loops { #expect(Self.isInLanes(function), "\(form)") }
    }
  }

  /// Loops that read too many streams are not transposed in registers, of which there are not so many.
  @Test func manyStreamsAreNotTiled() throws {
    func text(streams: Int) throws -> String {
      let inputs = (0..<streams).map { "input x\($0) [16, frames]" }
      let sum = (0..<streams).reduce("delay(y, 1)") { "(\($0) * x\($1) + 0.\($1 + 1))" }
      let graph = try Graph(
        parsing: (["graph \"rows\" stream 48000"] + inputs + ["y = \(sum)", "output out = y"])
          .joined(separator: "\n"))
      let options = CompileOptions(target: try #require(Target.x86(level: "x86-64-v4")))
      return try CompiledGraph(graph, options: options).llvmText
    }
    #expect(try text(streams: 2).contains("shufflevector <16 x float> %"))
    #expect(try !text(streams: 30).contains("shufflevector <16 x float> %"))
  }

  /// Time-varying numbers are computed along the frames before, on the stack, where there is room.
  @Test(arguments: [(40, true), (60, false)])
  func manyMovingNumbersAreNotTiled(numbers: Int, isTiled: Bool) throws {
    let scaled = (0..<numbers).reduce("delay(y, 1)") { "(\($0)) * (0.\(100 + $1) - level)" }
    let graph = try Self.graph("y = x + \(scaled)", rows: 16)
    let moving = try Self.movingLoops(of: graph, level: "x86-64-v3")
    #expect(moving.contains { $0.contains("shufflevector <8 x float> %") } == isTiled)
  }

  /// As wide as there are lanes, and no wider than there are rows.
  @Test(arguments: [("x86-64-v4", 16, 16), ("x86-64-v4", 9, 8), ("x86-64-v3", 16, 8), ("x86-64-v3", 7, 0)])
  func lanesFitTheRows(level: String, rows: Int, width: Int) throws {
    let text = try CompiledGraph(
      Self.graph(Self.forms[0], rows: rows),
      options: CompileOptions(target: #require(Target.x86(level: level)))
    ).llvmText
    for lanes in [8, 16] {
      #expect(text.contains("shufflevector <\(lanes) x float> %") == (lanes == width), "\(lanes)")
    }
  }
}
