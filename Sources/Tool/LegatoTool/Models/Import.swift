// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import LegatoTraining

extension Option {
  static let size = Option(
    "size", value: "SIZE",
    "which of several sizes is taken of captures, and of those in models, from 0, the smallest, to 1 (default)"
  )
  static let normalize = Option(
    "normalize", "brings models that state their loudness, as captures do, to -18 dB")
  static let calibrate = Option(
    "calibrate", value: "DBU",
    "what your sound device has at full scale, such as 12.5dBu: models that state theirs, as captures do, are driven as "
      + "hard as what they are of")
}

extension Subcommand {
  static let imports = Subcommand(
    name: "import", operands: "FILE",
    summary: "makes a model file of a capture or an ONNX file, with its weights in safetensors",
    explanation: """
      FILE is a capture, a .nam file of Neural Amp Modeler or a .json file of RTNeural, AIDA-X or Proteus, or a network in
      an ONNX file. All of them run as they are wherever a model does. The model file says the same in lines that can be
      read and edited; it computes the same, bit by bit. The weights stand in a file beside it that is called so, too, with
      .safetensors. Axes that an ONNX file only names need numbers: --bind says them. What it
      remembers from step to step is an input and an output: --state h:hn makes a state of them. One that takes a stretch of
      sound becomes an effect: --stream x, or --stream x:2 where the third axis is time. Without --output, the model is called
      as FILE is, with .json, in the current folder. Both files appear together, or not at all.
      """,
    example: """
      legato import amp.nam -o amp.json
        legato import classifier.onnx --bind batch=1
      """,
    options: [.output, .size, .bind, .state, .stream, .force]
  ) { arguments, console in
    let path = try arguments.operands("FILE")[0]
    let places = try ModelPlaces(output: arguments.value(of: .output), source: path)
    let model = try Model.read(path, arguments.size(), arguments.bound(), arguments)
    try model.checkSize(arguments)
    guard model.isTranslated else {
      throw Failure.usage(
        "\(quoted(path)) is a model file already; import takes a capture, such as amp.nam, or an ONNX file")
    }
    for place in [places.model, places.weights] {
      try Destination.check(place, against: model.files)
      try TextFile.check(place, replaceExisting: arguments.has(.force))
    }
    let (text, weights) = try model.imported(weightsIn: PathText.name(of: places.weights))
    Interruption.begin()
    let files = try FilesTogether(
      [
        .init(path: places.model, bytes: Array(text.utf8)), .init(path: places.weights, bytes: weights),
      ], replaceExisting: arguments.has(.force), pending: Interruption.pending)
    try files.commit()
    console.notice(
      "\(places.model), \(places.weights): \(printable(model.name)), \(counted(weights.count, "byte")) of weights"
    )
    if let note = model.noteOnImport { console.notice("\(path): \(note)") }
    if let note = model.noteOnStates() { console.notice("\(path): \(note)") }
  }
}

extension Model {
  /// Says where `--size` has nothing to choose from.
  func checkSize(_ arguments: Arguments) throws(Failure) {
    guard arguments.has(.size), !hasSizes else { return }
    let names = alternatives(stages.map { quoted($0.name) }, "and")
    throw .usage(
      "--size: \(names) \(stages.count == 1 ? "has" : "have") one size; it chooses among those of a capture that has several"
    )
  }
}

extension Arguments {
  /// The level that `--calibrate` says; nil where it is not given.
  func fullScale() throws(Failure) -> Double? {
    guard let text = value(of: .calibrate) else { return nil }
    guard let level = Quantity(text)?.number(inUnit: "dBu") else {
      throw .usage("--calibrate takes a level in dBu, such as 12.5, not \(quoted(text))")
    }
    return level
  }

  /// The size that `--size` says.
  func size() throws(Failure) -> Double {
    guard let text = value(of: .size) else { return 1 }
    guard let size = Double(text), (0...1).contains(size) else {
      throw .usage("--size takes a number from 0 to 1, not \(quoted(text))")
    }
    return size
  }
}
