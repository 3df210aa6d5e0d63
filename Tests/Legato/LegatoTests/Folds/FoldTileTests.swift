// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import Testing

/// Layers of many sizes: tiles, their remainders and panels of weights give the numbers of one sum after the other.
@Suite struct FoldTileTests {
  struct Layer: CustomTestStringConvertible {
    var clock = "stream 48000"
    var input: String
    var weights: [Int]
    var bias: Int?
    var expression: String

    var testDescription: String { "\(input) \(expression), weights \(weights)" }

    var graph: Graph {
      get throws {
        var lines = [
          "graph \"layer\" \(clock)", "input x [\(input)]", "weights \"w\" \(SmallWeights.text(weights))",
        ]
        if let bias { lines.append("weights \"b\" \(SmallWeights.text([bias]))") }
        return try Graph(parsing: (lines + ["y = \(expression)", "output y = y"]).joined(separator: "\n"))
      }
    }
  }

  static let layers: [Layer] =
    [1, 2, 3, 8, 12, 16, 20, 33, 64].map { channels in
      Layer(
        input: "\(channels), frames", weights: [channels, channels, 3], bias: channels,
        expression: "conv1d(x, \"w\", \"b\", dilation: \(channels % 5 + 1))")
    } + [
      Layer(input: "1, frames", weights: [16, 1, 3], expression: "conv1d(x, \"w\")"),
      Layer(input: "16, frames", weights: [1, 16, 1], bias: 1, expression: "conv1d(x, \"w\", \"b\")"),
      Layer(
        input: "12, frames", weights: [20, 3, 2],
        expression: "conv1d(x, \"w\", groups: 4, dilation: 130)"),
      Layer(
        input: "7, frames", weights: [7, 1, 4], bias: 7, expression: "conv1d(x, \"w\", \"b\", groups: 7)"),
      Layer(input: "33, frames", weights: [13, 33], bias: 13, expression: "dense(x, \"w\", \"b\", axis: 0)"),
      Layer(input: "2, 20, frames", weights: [9, 20], expression: "dense(x, \"w\", axis: 1)"),
      Layer(
        clock: "step 48000", input: "5", weights: [37, 5], bias: 37,
        expression: "dense(x, \"w\", \"b\", axis: 0)"),
      Layer(clock: "step 48000", input: "7, 33", weights: [20, 33], expression: "dense(x, \"w\", axis: 1)"),
      Layer(
        clock: "step 48000", input: "3, 5, 16", weights: [64, 16], expression: "dense(x, \"w\", axis: 2)"),
      Layer(
        clock: "step 48000", input: "6, 50", weights: [10, 3, 3], bias: 10,
        expression: "conv1d(x, \"w\", \"b\", axis: 1, groups: 2, padding: \"same\", stride: 2)"),
      Layer(clock: "step 48000", input: "9, 12", weights: [1], expression: "dense(x, x * \"w\", axis: 1)"),
    ]
    + [2, 4, 16].map { ways in
      Layer(
        input: "33, frames", weights: [13, 33], bias: 13,
        expression: "dense(x, \"w\", \"b\", axis: 0, ways: \(ways))")
    }
    + [1, 15, 16, 17, 40, 100].map { terms in
      Layer(
        clock: "step 48000", input: "3, \(terms)", weights: [1, terms], bias: 1,
        expression: "dense(x, \"w\", \"b\", axis: 1, ways: 16)")
    } + [
      Layer(
        clock: "step 48000", input: "20, 7", weights: [1], expression: "sum(x * \"w\", axis: 1, ways: 4)"),
      Layer(
        clock: "step 48000", input: "3, 50", weights: [1], expression: "sum(x * \"w\", axis: 1, ways: 16)"),
      Layer(input: "20, frames", weights: [1], expression: "sum(x * \"w\", axis: 0, ways: 8)"),
    ]
    + [(1, 8), (1, 17), (1, 40), (2, 32), (3, 70), (6, 100), (7, 256), (11, 200), (13, 256)].map {
      rows, terms in
      // Lines of a computed weight.
      Layer(
        clock: "step 48000", input: "\(rows), \(terms)", weights: [9, terms], bias: 9,
        expression: "tanh(dense(x, \"w\" * sum(sum(x, axis: 1), axis: 0), \"b\", axis: 1))")
    }
    + [31, 32, 50].map { terms in
      Layer(
        clock: "step 48000", input: "9, \(terms)", weights: [1],
        expression: "maximum(x * \"w\", axis: 1) + sum(x, axis: 1, ways: 16)")
    }
    + [1, 2].map { stride in
      Layer(
        clock: "step 48000", input: "5, 11, 39", weights: [5, 1, 3, 3], bias: 5,
        expression: "conv2d(x, \"w\", \"b\", groups: 5, stride: [\(stride), \(stride)])")
    } + [
      Layer(
        clock: "step 48000", input: "6, 50", weights: [16, 6, 8],
        expression: "conv1d(x, \"w\", axis: 1, stride: 4, padding: \"valid\")"),
      Layer(
        clock: "step 48000", input: "13, 8", weights: [160, 8], bias: 160,
        expression: "dense(x, \"w\", \"b\", axis: 1)"),
      // More columns than the vectors of a tile, which divides them or does not.
      Layer(
        clock: "step 48000", input: "9, 12", weights: [1711, 12], bias: 1711,
        expression: "dense(x, \"w\", \"b\", axis: 1)"),
      Layer(
        clock: "step 48000", input: "3, 20, 9", weights: [192, 9], bias: 192,
        expression: "tanh(dense(x, \"w\", \"b\", axis: 2))"),
      Layer(
        clock: "step 48000", input: "3, 6, 6", weights: [128, 3, 3, 3], bias: 128,
        expression: "conv2d(x, \"w\", \"b\")"),
    ]
    // Small pictures, of which tiles have several lines: of few outputs and of many, with rows that are left.
    + [
      (4, 6, 20), (4, 4, 128), (8, 8, 64), (12, 5, 33), (6, 16, 13), (10, 16, 64), (3, 32, 48), (9, 14, 40),
      (40, 16, 57),
    ].map { height, width, outputs in
      Layer(
        clock: "step 48000", input: "5, \(height), \(width)", weights: [outputs, 5, 3, 3], bias: outputs,
        expression: "max(conv2d(x, \"w\", \"b\", padding: \"same\"), 0)")
    } + [
      Layer(
        clock: "step 48000", input: "2, 5, 34, 16", weights: [24, 5, 3, 3],
        expression: "conv2d(x, \"w\", padding: \"same\", stride: [2, 1])")
    ]

  private static var targets: [Target?] { [nil] + Target.runnable }

  @Test(arguments: layers)
  func tilesAndPanelsChangeNoBit(_ layer: Layer) throws {
    let example = LawCase(label: layer.testDescription, graph: try layer.graph, seed: 9)
    let reference = ReferenceInterpreter(example.graph.canonical()).run(
      inputs: example.stimulus.inputs, frames: example.stimulus.frames, events: [])
    for target in Self.targets {
      let packed = try NativeRun(example.graph, target: target)
      let right = try packed.outputs(of: example.stimulus)
      example.expectInside(right, reference, "a layer is right")
      let natural = try NativeRun(example.graph, target: target, without: [KernelPass.weightRepacking.name])
      example.expectSame(
        try natural.outputs(of: example.stimulus), as: right, "panels change no bit")
      guard example.graph.clock == .stream else { continue }
      for blocks in [[1], [15, 64, 17], [100]] {
        let outputs = try packed.outputs(of: example.stimulus, blocks: blocks)
        example.expectSame(outputs, as: right, "splits do not matter")
      }
    }
  }

  /// Layers whose results go from registers into the next one's history: what whole vectors write behind a block's last
  /// frame harms neither the past nor the next channel.
  @Test(arguments: [1, 3, 16])
  func vectorsGoBeyondTheEndOfABlock(_ channels: Int) throws {
    let graph = try Graph(
      parsing: """
        graph "layers" stream 48000
        input x [\(channels), frames]
        weights "w" \(SmallWeights.text([channels, channels, 3]))
        a = tanh(conv1d(x, "w", dilation: 7))
        b = tanh(conv1d(a, "w", dilation: 63)) + a
        c = tanh(conv1d(b, "w", dilation: 64)) + delay(b, frames: 128)
        y = conv1d(c, "w") + delay(c, frames: 127)
        output y = y
        """)
    func row(_ row: Int) -> [Float] {
      (0..<1000).map { frame in
        let turn = (frame * 37 + row * 101) % 199
        return Float(turn - 99) / 128
      }
    }
    let stimulus = Stimulus(inputs: (0..<channels).map(row), frames: 1000)
    let example = LawCase(label: "\(channels) channels", graph: graph, stimulus: stimulus)
    for target in Self.targets {
      let run = try NativeRun(example.graph, target: target)
      let right = try NativeRun(example.graph, target: target, without: ["fusion", "copy-elision"])
        .outputs(of: stimulus)
      for blocks in [[128], [1], [100], [15, 64, 17], [129, 3, 127]] {
        let outputs = try run.outputs(of: stimulus, blocks: blocks)
        example.expectSame(outputs, as: right, "what stands behind the end does no harm")
      }
    }
  }

  @Test(arguments: [16, 33])
  func codeForSizeIsSmallerAndTheSame(_ channels: Int) throws {
    let layer = Layer(
      input: "\(channels), frames", weights: [channels, channels, 3], bias: channels,
      expression: "conv1d(x, \"w\", \"b\")")
    let example = LawCase(label: layer.testDescription, graph: try layer.graph, seed: 4)
    for target in Target.levels.compactMap(Target.x86(level:)) {
      let bytes = try [Goal.speed, .size].map { goal in
        let options = CompileOptions(target: target, goal: goal)
        return try CompiledGraph(example.graph, options: options).object().codeBytes
      }
      #expect(bytes[1] * 4 <= bytes[0] * 3, "\(target.name): \(bytes)")
    }
    for target in Self.targets {
      let right = try NativeRun(example.graph, target: target).outputs(of: example.stimulus)
      let outputs = try NativeRun(example.graph, target: target, goal: .size).outputs(
        of: example.stimulus, blocks: [1, 60, 128])
      example.expectSame(outputs, as: right, "small code gives the same bits")
    }
  }

  /// Each partial sum takes the terms of its turn in order, and halves of them are added: in lanes and side by side.
  @Test(arguments: [1, 2, 4, 8, 16], [1, 5, 16, 23, 70])
  func partialSumsAreAddedByTurns(ways: Int, terms: Int) throws {
    let numbers = (0..<2 * terms).map { Float(($0 * 7919) % 1021 - 510) / 97 }
    let right = [numbers.prefix(terms), numbers.suffix(terms)].map { row in
      var sums = (0..<ways).map { way in
        stride(from: way, to: terms, by: ways).reduce(Float(0)) { $0 + row[row.startIndex + $1] }
      }
      while sums.count > 1 {
        let half = sums.count / 2
        sums = (0..<half).map { sums[$0] + sums[half + $0] }
      }
      return sums[0]
    }
    // One result at a time, and both of them side by side.
    for (shape, axis, order) in [("2, \(terms)", 1, numbers), ("\(terms), 2", 0, numbers.transposed(terms))] {
      let graph = try Graph(
        parsing:
          "graph \"sum\" step 48000\ninput x [\(shape)]\ny = sum(x, axis: \(axis), ways: \(ways))\noutput y = y\n"
      )
      for target in Self.targets {
        // What is written in one way stays so.
        let native = try NativeRun(graph, target: target, without: ["partial-sums"])
        #expect(try native.outputs(of: Stimulus(inputs: [order], frames: 1)) == [right])
      }
    }
  }

  /// The numbers of a sum one after the other, each multiplied and added with one rounding: tiles keep this order.
  @Test func aSumKeepsItsOrder() throws {
    guard try Target.host().hasFMA else { return }
    let layer = Layer(
      input: "33, frames", weights: [33, 33, 3], bias: 33, expression: "conv1d(x, \"w\", \"b\", dilation: 2)")
    let example = LawCase(label: layer.testDescription, graph: try layer.graph, seed: 3)
    let outputs = try NativeRun(example.graph).outputs(of: example.stimulus)
    let expected = (0..<33).map { output in
      (0..<example.stimulus.frames).map { frame in
        var sum = SmallWeights.number(output)
        for tap in 0..<3 {
          for input in 0..<33 {
            let past = frame - (2 - tap) * 2
            let x = past < 0 ? 0 : example.stimulus.inputs[input][past].flushed
            sum.addProduct(SmallWeights.number((output * 33 + input) * 3 + tap), x)
          }
        }
        return sum
      }
    }
    example.expectSame(outputs, as: expected, flushed: true, "a sum keeps its order")
  }

  private func repacked(
    _ kernels: KernelGraph, goal: Goal = .speed
  ) throws -> (kernels: KernelGraph, rewrites: Int) {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let tiled = KernelPass.foldTiling.run(on: kernels, for: target, goal: goal).kernels
    return KernelPass.weightRepacking.run(on: tiled, for: target, goal: goal)
  }

  /// Whatever code is made for: a panel takes the place of the natural weights, to a cache line; for speed its rows may begin
  /// at whole vectors, which takes an eighth more at most.
  @Test(arguments: Goal.allCases, layers) func panelsTakeNoMoreMemory(goal: Goal, _ layer: Layer) throws {
    let lowered = KernelGraph(lowering: try layer.graph)
    let packed = try repacked(lowered, goal: goal).kernels
    func lines(_ graph: KernelGraph) -> Int { (graph.weights.count * 4).roundedUp(to: 64) }
    #expect(lines(packed) <= lines(lowered) * (goal == .speed ? 9 : 8) / 8)
  }

  @Test func panelsLieInTheOrderOfReading() throws {
    let layer = Layer(input: "1, frames", weights: [4, 1, 2], expression: "conv1d(x, \"w\")")
    let lowered = KernelGraph(lowering: try layer.graph)
    let (packed, rewrites) = try repacked(lowered)
    #expect(rewrites == 1)
    // The first tap of all four outputs, then the second one; the natural weights are gone.
    #expect(try packed.weights.numbers().elementsEqual([0, 2, 4, 6, 1, 3, 5, 7].map(SmallWeights.number)))
    #expect(lowered.weights.count == 8)
  }

  @Test func weightsThatAreReadNaturallyStay() throws {
    let graph = try Graph(
      parsing: """
        graph "both" stream 48000
        input x [2, frames]
        weights "w" [2, 2] = [1, 2, 3, 4]
        y = dense(x, "w", axis: 0) + sum("w", axis: 1)
        output y = y
        """)
    let lowered = KernelGraph(lowering: graph)
    let packed = try repacked(lowered).kernels
    #expect(try packed.weights.numbers().starts(with: [1, 2, 3, 4]))
    #expect(try Array(packed.weights.numbers()[16...]) == [1, 3, 2, 4])
    // A second copy takes memory: where that counts, the natural weights are enough.
    let small = try repacked(lowered, goal: .size)
    #expect(small.rewrites == 0 && small.kernels.weights == lowered.weights)
  }
}

extension [Float] {
  /// The columns of rows of so many numbers, one after the other.
  fileprivate func transposed(_ columns: Int) -> [Float] {
    (0..<columns).flatMap { column in stride(from: column, to: count, by: columns).map { self[$0] } }
  }
}
