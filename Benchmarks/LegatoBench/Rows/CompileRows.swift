// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import HandKernels
internal import ModelFiles
internal import NativeCode
internal import RealtimeCore

/// From text to code that can be called, with LLVM loaded.
struct CompileRows {
  let options: Options
  let table: Table

  private var rounds: Int { options.isQuick ? 7 : 31 }

  func run() throws {
    let growing = Self.growing.filter { options.wants("compile \($0.what)") }
    let wanted = [
      Self.formulaName, Self.fileName, Self.opsName, Self.stackName, Self.recurrentName, Self.captureName,
      Self.layersName,
    ].filter(options.wants)
    guard !wanted.isEmpty || !growing.isEmpty else { return }
    table.section("compiling, from a model to code that can be called, with LLVM open: time of this thread")
    if wanted.contains(Self.formulaName) {
      let formula = try figure(Self.formulaName) { try Graph(parsing: Models.bitcrusher(channels: 2)) }
      table.add(formula.promised(atMost: 15))
    }
    if wanted.contains(Self.fileName) { try runFile() }
    if wanted.contains(Self.opsName) {
      let ops = try figure(Self.opsName) { try Graph(parsing: Models.ops(64)) }
      table.add(ops.promised(atMost: 60))
    }
    if wanted.contains(Self.stackName) {
      let stack = try figure(Self.stackName) { try Graph(parsing: Models.stack) }
      table.add(stack.promised(atMost: 100))
    }
    if wanted.contains(Self.recurrentName) {
      let text = RecurrentNetwork(kind: HAND_LSTM_40, cell: .lstm, units: 40).captureText
      let capture = try figure(Self.recurrentName) { try CaptureNetwork.graph(reading: text) }
      table.add(capture.promised(atMost: 30))
    }
    if wanted.contains(Self.captureName) {
      let text = CaptureNetwork.standard.text
      let capture = try figure(Self.captureName, codeAtMost: 50_000, stateAtMost: 300_000) {
        try CaptureNetwork.graph(reading: text)
      }
      table.add(capture.promised(atMost: 200))
    }
    if wanted.contains(Self.layersName) { try runLayers() }
    for (what, counts, text) in growing { try growth(what, counts, text) }
  }

  private static let opsName = "compile 64 ops, 8 transcendental"
  private static let stackName = "compile a stack of 6 convolutions"
  private static let formulaName = "compile a bitcrusher without a rate, stereo"
  private static let recurrentName = "compile LSTM 40 + dense, a .nam file"
  private static let captureName = "compile NAM A1 standard, a .nam file"
  private static let layersName = "compile 100 equal layers"
  private static let fileName = "compile \(modelPath), stereo"
  /// Whether twice the ops take twice the time, in each kind of graph.
  private static let growing: [(what: String, counts: [Int], text: @Sendable (Int) -> String)] = [
    ("ops", [16, 32, 64, 128, 256, 512, 1024], Models.ops),
    ("inputs mixed", [32, 64, 128, 256, 512], Models.mix),
    ("convolutions", [13, 25, 50, 100], Models.convolutions),
    ("matrices", [13, 25, 50, 100], Models.matrices),
  ]

  private static let modelPath = "models/bitcrusher.json"

  /// The shipped model, from its file.
  private func runFile() throws {
    guard FileManager.default.isReadableFile(atPath: Self.modelPath) else {
      return table.note("  \(Self.modelPath) is left out: run from the repository's folder")
    }
    let figure = try figure(Self.fileName) {
      let data = try Data(contentsOf: URL(fileURLWithPath: Self.modelPath))
      let document = try ModelDocument.decode(data, file: Self.modelPath)
      return try Graph(importing: document, extents: ["channels": 2], sampleRate: 48_000)
    }
    table.add(figure.promised(atMost: 35))
  }

  /// Layers of equal sizes, each with its own weights, have their code once.
  private func runLayers() throws {
    let (few, many) = (CaptureNetwork.equal(10).text, CaptureNetwork.equal(100).text)
    let ten = try figure("compile 10 equal layers") { try CaptureNetwork.graph(reading: few) }
    table.add(ten)
    var hundred = try figure(Self.layersName) { try CaptureNetwork.graph(reading: many) }
    let ratio = hundred.median / ten.median
    (hundred.reference, hundred.referenceMedian, hundred.ratio) = ("ten of them:", ten.median, ratio)
    table.add(hundred.promised("≤ 3 x ten", ratio <= 3))
  }

  /// - Parameters:
  ///   - code: the most bytes of code that are promised.
  ///   - state: those of a context's state.
  private func figure(
    _ name: String, codeAtMost code: Int? = nil, stateAtMost state: Int? = nil, _ read: () throws -> Graph
  ) throws -> Figure {
    let all = try (0..<rounds).map { _ in try stages(read) }
    func median(_ part: (Stages) -> Double) -> String {
      Table.number(Samples(all.map(part)).median * 1e-6)
    }
    table.note(
      "  of which: read \(median(\.read)), plan and write \(median(\.plan)), LLVM \(median(\.emit)), "
        + "load \(median(\.load)) ms; \(all[0].lines) lines of IR, \(all[0].bytes) bytes of code")
    var figure = Figure(name, Samples(all.map(\.total)), unit: .milliseconds)
    for (what, bytes, limit) in [("code", all[0].bytes, code), ("state", all[0].stateBytes, state)] {
      guard let limit else { continue }
      figure = figure.promised("\(bytes) bytes of \(what), ≤ \(limit)", bytes <= limit)
    }
    return figure
  }

  private func growth(_ what: String, _ counts: [Int], _ text: (Int) -> String) throws {
    var last: Samples?
    for count in options.isQuick ? counts.dropLast() : counts[...] {
      let text = text(count)
      let rounds = max(options.isQuick ? 1 : 3, rounds * 16 / count)
      let samples = Samples(try (0..<rounds).map { _ in try stages { try Graph(parsing: text) }.total })
      var figure = Figure("compile \(count) \(what)", samples, unit: .milliseconds)
      if let last {
        figure.reference = "half as many:"
        figure.referenceMedian = last.median * 1e-6
        figure.ratio = samples.median / last.median
        if count == counts.last {
          figure = figure.promised("linear: ≤ 2.2 x half", figure.ratio! <= 2.2)
        }
      }
      table.add(figure)
      last = samples
    }
  }

  private struct Stages {
    var read = 0.0
    var plan = 0.0
    var emit = 0.0
    var load = 0.0
    var lines = 0
    var bytes = 0
    var stateBytes = 0

    var total: Double { read + plan + emit + load }
  }

  private func stages(_ read: () throws -> Graph) throws -> Stages {
    var stages = Stages()
    var time = Clock.threadNanoseconds
    func lap() -> Double {
      let now = Clock.threadNanoseconds
      defer { time = now }
      return now - time
    }
    let graph = try read()
    stages.read = lap()
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: try .host()))
    stages.plan = lap()
    let object = try compiled.object()
    stages.emit = lap()
    let program = try compiled.program(from: object)
    stages.load = lap()
    stages.stateBytes = program.layout.stateRange.count
    stages.lines = compiled.llvmText.utf8.count { $0 == UInt8(ascii: "\n") }
    stages.bytes = object.codeBytes
    return stages
  }
}
