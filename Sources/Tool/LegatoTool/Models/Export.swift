// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import ONNXWriting

extension Subcommand {
  static let export = Subcommand(
    name: "export", operands: "MODEL",
    summary: "makes an ONNX file of a model, with its weights",
    explanation: """
      The file is of opset 17 and has no open axes: --bind says how long named ones are. Parameters become inputs with a
      default, which --set and --preset turn. What the model remembers from step to step becomes pairs of an input and an
      output: what goes out as NAME_out goes into the next step as NAME_in, and zeros go into the first. A model that warms up
      does so in the steps of zeros that are told: they run before its first one.

      Of an effect, one step is a block of frames, [channels, frames]: as many as --block says, or 128. Parameters jump.
      Noise has no such block; what holds numbers for 64 frames needs a multiple of 64. Without --output, the file is
      called as MODEL is, with .onnx, in the current folder.
      """,
    example: """
      legato export gru.json --bind bands=40 -o gru.onnx
        legato export overdrive.json --bind channels=2 --block 256
      """,
    options: [.function, .then, .size, .set, .preset, .bind, .state, .stream, .rate, .block, .output, .force]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let place = try onnxPlace(arguments.value(of: .output), model: arguments.namesake(of: path))
    let bound = try arguments.bound()
    let model = try Model(path: path, arguments)
    let settings = try model.settings(arguments)
    let extents = try model.extents(of: [:], known: bound)
    let frames = try arguments.integer(.block, in: 1...65_536)
    guard frames == nil || model.executesStream else {
      throw Failure.usage("--block goes with effects; \(quoted(model.name)) is a model of steps")
    }
    let rate = try model.rate(asked: arguments.integer(.rate, in: 1...16_000_000))
    try model.checkAxes(known: extents)
    try Destination.check(place, against: model.files)
    try TextFile.check(place, replaceExisting: arguments.has(.force))
    if let note = model.noteOnWarmingUp { console.notice("\(path): \(note)") }
    let export =
      model.executesStream
      ? try model.onnxExport(
        block: frames ?? 128, extents: extents, sampleRate: Double(rate), settings: settings)
      : try model.onnxExport(extents: extents, sampleRate: Double(rate), settings: settings)
    Interruption.begin()
    let files = try FilesTogether(
      [.init(path: place, bytes: export.bytes)], replaceExisting: arguments.has(.force),
      pending: Interruption.pending)
    try files.commit()
    console.notice("\(place): \(printable(model.name)), \(description(of: export))")
    for state in export.states {
      console.notice(
        "\(place): \(printable(state.output)) of a step is \(printable(state.input)) of the next, \(state.shape)"
      )
    }
    if !export.states.isEmpty, export.prewarm > 0 {
      console.notice(
        "\(place): the model warms up; run \(counted(export.prewarm, "step")) of zeros first")
    }
  }

  /// "12 nodes, 1 weight, 2030 bytes"
  private static func description(of export: ONNXExport) -> String {
    [(export.nodes, "node"), (export.weights, "weight"), (export.bytes.count, "byte")]
      .map { counted($0.0, $0.1) }.joined(separator: ", ")
  }
}

/// The path of the file that is written.
private func onnxPlace(_ output: String?, model: String) throws(Failure) -> String {
  guard let output else {
    let file = PathText.name(of: model)
    return (file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]) + ".onnx"
  }
  guard output.hasSuffix(".onnx"), output != ".onnx", !output.hasSuffix("/.onnx") else {
    throw .usage("--output takes a file whose name ends in .onnx, such as gru.onnx, not \(quoted(output))")
  }
  return output
}
