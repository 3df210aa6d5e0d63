// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import ONNXWriting

extension Subcommand {
  static let export = Subcommand(
    name: "export", operands: "MODEL",
    summary: "makes an ONNX file of a model of steps, with its weights",
    explanation: """
      MODEL is a model without frames, as for run. The file is of opset 17 and has no open axes: --bind says how long
      named ones are. Parameters become inputs with a default, which --set and --preset turn. What the model remembers
      from step to step becomes pairs of an input and an output: what goes out as NAME_out goes into the next step as
      NAME_in, and zeros go into the first. Without --output, the file is called as MODEL is, with .onnx, in the current
      folder.
      """,
    example: "legato export gru.json --bind bands=40 -o gru.onnx",
    options: [.then, .set, .preset, .bind, .state, .output, .force]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let place = try onnxPlace(arguments.value(of: .output), model: path)
    let bound = try arguments.bound()
    let model = try Model(path: path, arguments)
    let settings = try model.settings(arguments)
    let extents = try model.extents(of: [:], known: bound)
    if !model.executesStream, let axis = model.symbols.first(where: { extents[$0] == nil }) {
      throw Failure.usage("nothing says how long the axis \(quoted(axis)) is; --bind \(axis)=N does")
    }
    try Destination.check(place, against: model.files)
    let export = try model.onnxExport(extents: extents, settings: settings)
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
