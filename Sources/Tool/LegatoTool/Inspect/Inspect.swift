// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import LegatoTraining

extension Option {
  static let stage = Option(
    "stage", value: "STAGE",
    "prints a stage of the compiler: document, graph, gradient, passes, plan, llvm, assembly or svg")
  static let channels = Option("channels", value: "N", "what symbolic channels are bound to (default: 1)")
}

extension Subcommand {
  static let inspect = Subcommand(
    name: "inspect", operands: "MODEL",
    summary: "shows what a model has, and what becomes of it",
    explanation: """
      Of a bundle, a folder with model.json, its signatures: for each mode what goes in and comes out. Of a file with
      several functions, what goes into each and comes out; --function chooses one. Of any other model, without
      --stage: inputs, outputs, parameters with their ranges, weights with what each costs, presets, levels, memory.
      The stages are the file as it was read, the graph that it declares, that of a training step with the gradient of
      the loss that it states by all that learns (drawn where --output ends in .svg; with --recompute that of a
      piece), what each optimisation does, the plan of kernels and memory, LLVM IR, machine code, and a picture of the
      graph beside its kernels and buffers. What is shown goes to --output, which appears when it is whole, or else to
      the standard output. Loops that grow are warned of as --set and --preset turn the parameters.
      """,
    example: "legato inspect models/bitcrusher.json --stage svg -o bitcrusher.svg",
    options: [
      .function, .then, .size, .normalize, .calibrate, .state, .stream, .set, .preset, .stage,
      .recompute, .output,
      .force,
      .channels, .bind,
      .rate,
      .json, .cpu,
      .optimize, .passes,
      .stopAfter,
    ]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let channels = try arguments.integer(.channels, in: 1...65_536) ?? 1
    let askedRate = try arguments.integer(.rate, in: 1...16_000_000)
    let stage = try arguments.choice(.stage, Stage.allCases.map { ($0.rawValue, $0) })
    let recompute = try arguments.integer(.recompute, in: 1...1 << 20)
    guard recompute == nil || stage == .gradient else {
      throw Failure.usage("--recompute goes with --stage gradient")
    }
    let options = try CompilerOptions(arguments)
    let destination = try Destination(arguments)
    var console = console
    console.isPlain = destination.path != nil

    let model: Model
    do { model = try Model(path: path, arguments) } catch {
      guard stage == nil, !arguments.has(.function),
        let functions = try FunctionList(contentsOf: path, arguments)
      else { throw error }
      return try destination.show(
        arguments.has(.json) ? json(functions) : console.text(functions), console)
    }
    if let note = model.noteOnImport { console.notice("\(path): \(note)") }
    guard recompute == nil || model.executesStream else {
      throw Failure.usage(
        "--recompute counts frames of a stream; \(quoted(model.name)) is a model of steps")
    }
    if let bundle = model.bundle, stage == nil {
      return try destination.show(arguments.has(.json) ? json(bundle) : bundle.text, console)
    }
    let rate = try model.rate(asked: askedRate)
    let settings = try model.settings(arguments).values
    try destination.check(against: model.files)
    let extents = try model.extents(arguments, others: channels, console.notice)
    func compilation() throws(ModelError) -> Compilation {
      let made = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
      // The list of passes has them already.
      for warning in made.warnings(settingParameters: settings) where stage != .passes {
        console.notice(warning)
      }
      return made
    }
    if stage == .passes, arguments.has(.json) {
      // Figures are of more use than the text that shows them.
      try destination.show(json(PassesReport(model, compilation(), settings)), console)
    } else if let stage {
      let text = try stage.text(
        of: model, settings, extents: extents, rate: Double(rate), recompute: recompute,
        isDrawn: destination.path?.hasSuffix(".svg") == true, compilation)
      let report = StageReport(model: model.name, stage: stage.rawValue, text: text)
      try destination.show(arguments.has(.json) ? json(report) : text, console)
    } else {
      let report = try ModelReport(
        model, compilation(), channels: channels, rate: rate,
        statedIn: model.fileOfSampleRate.map(PathText.printable))
      try destination.show(arguments.has(.json) ? json(report) : console.text(report), console)
    }
  }
}

/// A stage of the compiler that can be looked at.
private enum Stage: String, CaseIterable {
  case document, graph, gradient, passes, plan, llvm, assembly, svg

  /// The first three need no libLLVM.
  ///
  /// - Parameters:
  ///   - recompute: the frames of a piece of a gradient.
  ///   - isDrawn: whether a gradient is a picture.
  func text(
    of model: Model, _ settings: [String: Float], extents: [String: Int], rate: Double, recompute: Int?,
    isDrawn: Bool, _ compilation: () throws(ModelError) -> Compilation
  ) throws -> String {
    switch self {
    case .document: model.documentText
    case .graph: try model.graphText(extents: extents, sampleRate: rate)
    case .gradient:
      try gradient(of: model, extents: extents, rate: rate, recompute: recompute, isDrawn: isDrawn)
    case .passes: try PassesReport(model, compilation(), settings).description
    case .plan: try compilation().planText
    case .llvm: try compilation().llvmText
    case .assembly: try compilation().assembly()
    case .svg: try compilation().svgText
    }
  }

  private func gradient(
    of model: Model, extents: [String: Int], rate: Double, recompute: Int?, isDrawn: Bool
  ) throws -> String {
    let graph = try model.gradientGraph(extents: extents, sampleRate: rate, recompute: recompute)
    return isDrawn ? try Compilation(graph, CompilerOptions()).svgText : graph.description
  }
}

private struct StageReport: Encodable {
  let model, stage, text: String
}
