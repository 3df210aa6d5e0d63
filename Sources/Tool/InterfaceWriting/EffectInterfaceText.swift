// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import RealtimeCore

/// The Swift of a model of a stream: parameters by their names, and blocks of sound.
struct EffectInterfaceText {
  private let interface: ModelInterface
  private let inputs, outputs: [(name: SwiftName, port: ProgramLayout.Port, words: String)]
  /// The axes that are said where a context is made.
  private let axes: [(name: SwiftName, declared: String)]

  init(_ interface: ModelInterface) {
    self.interface = interface
    let (model, layout) = (interface.model, interface.compilation.layout)
    var scope = NameScope(["context", "frames", "parameters"])
    inputs = zip(layout.inputs, model.inputs).map { port, input in
      let shape = "[\(input.shape.map(\.description).joined(separator: ", "))]"
      let summary = SwiftText.sentence(input.summary)
      return (
        scope.name(port.name, or: "input"), port, "\(summary.isEmpty ? "" : summary + " ")Shape \(shape)."
      )
    }
    outputs = layout.outputs.map { (scope.name($0.name, or: "output"), $0, "") }
    var named = NameScope(["bundle", "context", "extents", "model", "path", "sampleRate"])
    axes = interface.open.map { (named.name($0, or: "axis"), $0) }
  }

  func write(to text: inout SwiftText) {
    let type = interface.type
    let name = SwiftName(type, or: "effect").written
    let arguments =
      (interface.places.resource == nil ? ["from: .main"] : []) + axes.map { "\($0.name.plain): 2" }
    text.doc(interface.heading)
    text.doc("\n    var \(name) = try \(type)(\(arguments.joined(separator: ", ")))")
    if let first = interface.parameters.first {
      let value = shortest(first.declared.initial)
      text.doc("    \(name).parameters.\(first.name.plain).set(\(value))                  from any thread")
    }
    if isPlain {
      let blocks =
        isInPlace ? "inPlace: &samples" : inputs.isEmpty ? "output: &samples" : "input: x, output: &y"
      text.doc("    \(name).process(frames: 128, \(blocks))")
    }
    text.doc("\nIt has all its memory; one thread at a time uses it.")
    text.block("public struct \(type): ~Copyable, Sendable") { text in
      text.line("private var context: Context")
      if !interface.parameters.isEmpty { text.line("public let parameters: Parameters") }
      if !isPlain {
        for (name, _, words) in inputs + outputs {
          text.doc(
            "The rows of `\(name.plain)` among those of `process`." + (words.isEmpty ? "" : " " + words))
          text.line("public let \(name.plain)Rows: Range<Int>")
        }
      }
      interface.writeAxes(to: &text)
      text.line()
      text.doc("Frames by which what comes out is late.")
      text.line("public var latency: Int { context.program.layout.latency }")
      writeInitializers(to: &text)
      writeProcessing(to: &text)
      text.member(
        "public mutating func reset()", doc: "Begins anew, in silence; parameters keep their values."
      ) {
        $0.line("context.reset()")
      }
      interface.writeParameters(of: "context", "Context", to: &text)
    }
  }

  /// Whether spans will do: one output, and at most one input.
  private var isPlain: Bool { outputs.count == 1 && inputs.count <= 1 }
  /// Whether the output may stand where the input was.
  private var isInPlace: Bool { isPlain && inputs.first?.port.rows == outputs[0].port.rows }

  private func writeInitializers(to text: inout SwiftText) {
    let parameters = axes.map { "\($0.name.written): Int" } + ["sampleRate: Double? = nil"]
    let passing = axes.map { "\($0.name.plain): \($0.name.written)" } + ["sampleRate: sampleRate"]
    let doc =
      "\n\n"
      + axes.map { "- Parameter \($0.name.plain): How many rows `\(printable($0.declared))` are.\n" }.joined()
      + "- Parameter sampleRate: Frames per second; nil for the model's own, or 48,000.\n"
      + "- Throws: where the model cannot be read, has become another one, or code cannot be made."
    let (declared, passed) = (parameters.joined(separator: ", "), passing.joined(separator: ", "))
    interface.writeInitializers(declared, passing: passed, throwing: "throws", doc: doc, to: &text)
    text.member(
      "public init(contentsOf path: String, \(declared)) throws", doc: "Takes the model in a file." + doc
    ) { text in
      text.line("let model = \(interface.reading)")
      let open = axes.map { "\(SwiftText.literal($0.declared)): \($0.name.written)" }.joined(separator: ", ")
      let extents =
        switch (axes.isEmpty, interface.extents.isEmpty) {
        case (true, true): ""
        case (true, false): "extents: Self.axes, "
        case (false, true): "extents: [\(open)], "
        case (false, false): "extents: Self.axes.merging([\(open)]) { $1 }, "
        }
      text.line("let compilation = try model.compilation(\(extents)sampleRate: sampleRate)")
      text.line("try compilation.expect(")
      func list(_ ports: [ProgramLayout.Port]) -> String {
        ports.isEmpty
          ? "[:]" : "[\(ports.map { SwiftText.literal($0.name) + ": nil" }.joined(separator: ", "))]"
      }
      text.line("  inputs: \(list(inputs.map(\.port))), outputs: \(list(outputs.map(\.port))),")
      if !interface.parameters.isEmpty {
        text.line("  parameters: \(SwiftText.literal(interface.parameters.map(\.declared.name))),")
      }
      text.line("  for: \(SwiftText.literal(interface.type)))")
      text.line("context = try Context(compilation.program())")
      if !interface.parameters.isEmpty { text.line("parameters = Parameters(context)") }
      guard !isPlain else { return }
      for (name, port, _) in inputs {
        text.line("\(name.plain)Rows = context.inputRows(named: \(SwiftText.literal(port.name)))!")
      }
      for (name, port, _) in outputs {
        text.line("\(name.plain)Rows = context.outputRows(named: \(SwiftText.literal(port.name)))!")
      }
    }
  }

  private func writeProcessing(to text: inout SwiftText) {
    let promise = "It neither allocates nor waits, and does not fail."
    guard isPlain else {
      let tables =
        "inputs: UnsafePointer<UnsafePointer<Float>?>?, outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?"
      text.member(
        "public mutating func process(\n    frames: Int, \(tables)\n  )",
        doc: """
          Executes a block of any length. \(promise)

          - Parameter frames: Samples of each row.
          - Parameter inputs: A pointer for each row of each input, at the places that members say.
          - Parameter outputs: The same for the outputs.
          """
      ) { $0.line("unsafe context.execute(frames: frames, inputs: inputs, outputs: outputs)") }
      return
    }
    let words = inputs.first.map { $0.words + " " } ?? ""
    let rows = "\(words)Row r begins at r * frames; a count that does not fit traps."
    if isInPlace {
      text.member(
        "public mutating func process(frames: Int, inPlace samples: inout MutableSpan<Float>)",
        doc: "Executes a block of any length in place. \(promise)\n\n- Parameter samples: \(rows)"
      ) { $0.line("context.execute(frames: frames, inPlace: &samples)") }
    }
    let parameters = inputs.isEmpty ? "" : "input: borrowing Span<Float>, "
    let source = inputs.isEmpty ? "" : "- Parameter input: \(rows)\n"
    text.member(
      "public mutating func process(frames: Int, \(parameters)output: inout MutableSpan<Float>)",
      doc:
        "Executes a block of any length. \(promise)\n\n\(source)"
        + "- Parameter output: As many rows as come out, in the same way."
    ) { $0.line("context.execute(frames: frames, \(inputs.isEmpty ? "" : "input: input, ")output: &output)") }
  }
}
