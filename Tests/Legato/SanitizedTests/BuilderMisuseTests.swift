// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import LegatoEquipment
import TestEquipment
import Testing

/// A request that a builder cannot meet is an error of the model, never a trap.
@Suite struct BuilderMisuseTests {
  struct Misuse: Sendable {
    let message: String
    let build: @Sendable (GraphBuilder) -> Legato.Signal
    /// The same mistake as members of a model file, where one can be written.
    var file: String?
  }

  private static func channels(_ count: Int) -> Misuse {
    Misuse(
      message: "input 'x' would have the shape [\(count), frames]; \(limit([count]))",
      build: { $0.input("x", channels: count) })
  }

  private static func weights(_ shape: [Int]) -> Misuse {
    Misuse(
      message: "weights 'w' would have the shape \(shape); \(limit(shape))",
      build: { $0.input("x", channels: 2) * $0.weights("w", shape: shape, [1]) })
  }

  private static func limit(_ extents: [Int]) -> String {
    if extents.contains(where: { $0 < 1 }) { return "every extent must be at least 1" }
    return extents.contains { $0 > 1 << 24 }
      ? "16777216 positions along one axis are the most" : "268435456 numbers are the most"
  }

  private static func range(
    _ range: ClosedRange<Float>, isLogarithmic: Bool = false, file: String? = nil, _ message: String
  ) -> Misuse {
    Misuse(
      message: message,
      build: { builder in
        let gain = builder.parameter(
          "p", default: range.lowerBound, in: range, logarithmic: isLogarithmic)
        return builder.input("x", channels: 1) * gain
      },
      file: file.map {
        "\"inputs\": { \"x\": { \"shape\": [1, \"frames\"] } }, \"parameters\": { \"p\": { \($0) } }, "
          + "\"graph\": { \"y\": \"x * p\" }"
      })
  }

  static let rows: [Misuse] = [
    channels(0), channels(-1), channels(1 << 40), channels(.max), channels(.min),
    weights([.max, 2]), weights([-1, -1]), weights([0, 3]), weights([-1]), weights([1, 1, .max]),
    Misuse(
      message: "weights 'w' would have 9 axes; 8 are the most",
      build: {
        $0.input("x", channels: 2) * $0.weights("w", shape: Array(repeating: 1, count: 9), [1])
      }),
    Misuse(
      message: "weights 'w' of shape [3] have 2 numbers",
      build: { $0.input("x", channels: 3) * $0.weights("w", shape: [3], [1, 2]) }),
    Misuse(
      message: "weights 'w' hold nan; each number must be finite",
      build: { $0.input("x", channels: 2) * $0.weights("w", shape: [2], [1, .nan]) }),
    Misuse(
      message: "two weights are called 'w'",
      build: {
        $0.input("x", channels: 1) * $0.weights("w", shape: [1], [1]) + $0.weights("w", shape: [1], [2])
      }),
    range(
      -.infinity ... .infinity, "parameter 'p': 'minimum' must be a finite number, this is -inf"),
    range(
      -3e38...3e38, file: "\"default\": 0, \"minimum\": -3e38, \"maximum\": 3e38",
      "the range from -3e+38 to 3e+38 is too wide; its width must fit a 32-bit float"),
    range(
      1...1, file: "\"default\": 1, \"minimum\": 1, \"maximum\": 1",
      "'minimum' must be below 'maximum', but 1 is not below 1"),
    range(
      -1...1, isLogarithmic: true,
      file: "\"default\": 0, \"minimum\": -1, \"maximum\": 1, \"scale\": \"logarithmic\"",
      "a logarithmic scale needs a 'minimum' above 0, this is -1"),
    Misuse(
      message: "the shape [9223372036854775807, 2]",
      build: { $0.input("x", shape: [.max, 2]).reshape([2]) }),
    Misuse(
      message: "the dilation must lie in 1…16777216",
      build: {
        $0.input("x", channels: 1).conv1d(weight: $0.weights("w", shape: [1, 1, 1], [1]), dilation: .max)
      },
      file: "\"inputs\": { \"x\": { \"shape\": [1, \"frames\"] } }, \"weights\": { \"w\": [[[1]]] }, "
        + "\"graph\": { \"y\": \"conv1d(x, \\\"w\\\", dilation: 9007199254740992)\" }"),
    Misuse(
      message: "weights 'w' would have the shape [1, 1, 9223372036854775807]",
      build: {
        $0.input("x", channels: 1).conv1d(
          weight: $0.weights("w", shape: [1, 1, .max], [1]), dilation: 4)
      }),
    Misuse(
      message: "'loop' would have the shape [-1, frames]",
      build: { builder in
        let loop = builder.forward("loop", channels: -1)
        builder.define(loop, as: builder.input("x", channels: 1) + loop.delay(1))
        return loop
      }),
    Misuse(message: "the literal is nan", build: { $0.input("x", channels: 1) * Float.nan }),
  ]

  @Test(arguments: rows.indices)
  func aMistakeIsNamed(row: Int) {
    let misuse = Self.rows[row]
    let builder = GraphBuilder("Misuse")
    builder.output("y", misuse.build(builder))
    let problems = reportedProblems { () throws(ModelError) in _ = try builder.compile() }
    #expect(problems.contains { $0.contains(misuse.message) }, "\(problems)")
  }

  @Test(arguments: rows.indices.filter { rows[$0].file != nil })
  func theModelFileSaysTheSame(row: Int) throws {
    let misuse = Self.rows[row]
    let text = "{ \"legato\": 1, \"name\": \"Misuse\", \(try #require(misuse.file)), \"outputs\": [\"y\"] }"
    let problems = reportedProblems { () throws(ModelError) in _ = try Model(text).compile() }
    #expect(problems.contains { $0.contains(misuse.message) }, "\(problems)")
  }

  @Test(arguments: [0, -48_000, .nan, .infinity])
  func aRateThatCannotBeIsNamed(rate: Double) throws {
    let folder = try TemporaryFolder()
    try folder.make("cab.wav", WaveBytes([[1, 0.5]]).bytes)
    let builder = GraphBuilder("Rate", sampleRate: rate)
    let x = builder.input("x", channels: 1)
    let gain = builder.parameter("gain", default: 1, in: 0...2)
    let cabinet = builder.impulseResponse("cabinet", contentsOf: folder("cab.wav"))
    builder.output("y", (x.fir(cabinet) * gain).lowpass(gain * 1000))
    builder.output("tone", (gain * 440).phasor())
    let problems = reportedProblems { () throws(ModelError) in _ = try builder.compile() }
    let message = "Rate: the sample rate is \(written(rate)) Hz; it must be a number above 0"
    #expect(problems.first == message, "\(problems)")
  }

  @Test func aModelNeedsAnOutput() {
    let builder = GraphBuilder("Silent")
    _ = builder.input("x", channels: 1)
    let problems = reportedProblems { () throws(ModelError) in _ = try builder.compile() }
    #expect(problems == ["Silent: the graph has no outputs; it needs at least one"])
  }

  @Test func outputsHaveDifferentNames() {
    let builder = GraphBuilder("Twice")
    let x = builder.input("x", channels: 1)
    builder.output("y", x)
    builder.output("y", -x)
    let problems = reportedProblems { () throws(ModelError) in _ = try builder.compile() }
    #expect(problems == ["Twice: two outputs are called 'y'"])
  }

  @Test func whoDefinesWhatWasMissingCompiles() throws {
    let builder = GraphBuilder("Later")
    let loop = builder.forward("loop", channels: 1)
    builder.output("y", loop)
    for _ in 0..<2 {
      let problems = reportedProblems { () throws(ModelError) in _ = try builder.compile() }
      #expect(problems == ["Later: 'loop' is used, but never defined"])
    }
    builder.define(loop, as: builder.input("x", channels: 1) + loop.delay(1))
    _ = try builder.compile()
    _ = try builder.compile()
  }

  @Test func anUnknownOptimisationIsNamed() throws {
    let builder = GraphBuilder("Options")
    builder.output("y", -builder.input("x", channels: 1))
    let problems = reportedProblems { () throws(ModelError) in
      _ = try builder.compile(options: CompilerOptions(disabled: ["fusion", "fussion"]))
    }
    #expect(problems.count == 1 && problems[0].contains("no optimisation is called 'fussion'"), "\(problems)")
    _ = try builder.compile(options: CompilerOptions(disabled: Set(CompilerOptions.optimizations)))
  }
}
