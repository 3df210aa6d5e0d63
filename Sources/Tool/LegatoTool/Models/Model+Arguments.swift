// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import GraphIR
internal import Legato

extension Option {
  static let then = Option(
    "then", value: "MODEL", isRepeatable: true,
    "another model behind it, compiled as one with it; its parameters are 2.drive, or delay.time by its name "
      + "(repeatable)")

  static let set = Option(
    "set", value: "NAME=VALUE", isRepeatable: true,
    "turns a parameter, from the first frame on; units as the parameter has them: 440Hz, 20ms; a model whose "
      + "outputs are like its inputs has bypass and mix, from 0 to 1; in a chain mix is the whole's, 2.mix the second "
      + "model's (repeatable)")

  static let preset = Option(
    "preset", value: "NAME", isRepeatable: true,
    "turns parameters as a preset of the model does, of a later one 2.NAME; --set then turns single ones (repeatable)"
  )

  static let function = Option(
    "function", value: "NAME", "the one that is meant of a model file with several, which inspect lists")

  static let rate = Option(
    "rate", value: "HERTZ",
    "frames per second (default: the one that the model states, or 48000); of listen, readings, without a default"
  )
}

extension Model {
  /// The model in a file, with those behind it that `--then` names, and with the controls that are turned or moved
  /// though no model declares them.
  ///
  /// - Parameter moved: parameters that are automated.
  init(path: String, _ arguments: Arguments, moved: [String] = []) throws {
    let size = try arguments.size()
    let extents = try arguments.bound()
    self = try Self.read(path, size, extents, arguments)
    try check(bound: extents)
    for file in arguments.values(of: .then) {
      guard !file.isEmpty else { throw Failure.usage("--then takes the file of a model, and this is empty") }
      self = try then(Self.read(file, size, extents, nil))
    }
    try checkSize(arguments)
    if arguments.has(.normalize) {
      let whole = self
      self = try Failure.at("--normalize: ") { () throws(RequestError) in try whole.normalized() }
    }
    if let fullScale = try arguments.fullScale() {
      let whole = self
      self = try Failure.at("--calibrate: ") { () throws(RequestError) in try whole.calibrated(to: fullScale)
      }
    }
    let set = arguments.values(of: .set).map { String($0.prefix { $0 != "=" }) }
    self = try with(controlsOfPresets: arguments.values(of: .preset), andParameters: set + moved)
    if let batch = extents[Self.batchAxis], !executesStream, !hasAxis(Self.batchAxis) {
      let whole = self
      self = try Failure.at("--bind batch=\(batch): ") { () throws(RequestError) in
        try whole.batched(by: batch)
      }
    }
  }

  /// The model in a file; of a name that means none, the error says where it was looked for.
  ///
  /// - Parameter arguments: what they say of an ONNX file holds; nil for a file that they do not mean.
  static func read(
    _ path: String, _ size: Double, _ extents: [String: Int], _ arguments: Arguments?
  ) throws -> Model {
    let states = arguments?.values(of: .state) ?? []
    let stream = arguments?.value(of: .stream)
    let function = arguments?.value(of: .function)
    let constants = try arguments?.boundArrays() ?? [:]
    let network: Model
    do throws(ModelError) {
      network = try Model(
        contentsOf: path, function: function, size: size, extents: extents,
        states: stream == nil ? states : [], constants: constants)
    } catch {
      try checkFunction(function, of: path, arguments)
      guard let refusal = NamedModels.installed.refusal(of: path) else { throw error }
      throw Failure.faults([refusal])
    }
    guard let stream else { return network }
    return try Failure.at("--stream \(printable(stream)): ") { () throws(RequestError) in
      try network.streaming(stream, extents: extents, states: states)
    }
  }

  /// The functions of a file; nil of one that cannot be read, and of a pipe, which is read once and has been.
  static func functions(ofFile path: String) -> [String]? {
    guard (try? FileStatus(path: path))?.isPipe == false else { return nil }
    return try? functions(contentsOf: path)
  }

  /// Refuses a function that a model file does not have, or none of a file with several.
  ///
  /// - Parameter arguments: nil where `--function` is not about the file.
  private static func checkFunction(
    _ function: String?, of path: String, _ arguments: Arguments?
  ) throws(Failure) {
    guard let names = functions(ofFile: path) else { return }
    let list = alternatives(names.map(quoted), "and")
    guard let function else {
      guard !names.isEmpty else { return }
      guard let arguments else {
        throw .usage(
          "\(quoted(path)) has the functions \(list); "
            + "a model that is one of them says so: model('\(PathText.name(of: path))#\(names[0])', …)")
      }
      let example = "legato run \(path) --function \(names[0])"
      let remedy =
        if arguments.takes(.function) {
          "; --function says which is meant, as in \(example)"
        } else if arguments.takes(.data) {
          "; what learns has a file of its own, without functions"
        } else {
          ", which execute steps, one at a time: \(example)"
        }
      throw .usage("\(quoted(path)) has the functions \(list)\(remedy)")
    }
    guard !names.isEmpty else {
      throw .usage("--function \(printable(function)): \(quoted(path)) is one model, without functions")
    }
    guard names.contains(function) else {
      let hint = nearestName(to: function, among: names).map { "did you mean \(quoted($0))?" }
      throw .usage(
        "--function \(printable(function)): \(quoted(path)) has no such function; "
          + (hint ?? "there are \(list)"))
    }
  }

  /// Refuses axes without positions: what `--bind` says of an input of an ONNX file may be below 1.
  func check(bound extents: [String: Int]) throws(Failure) {
    for (name, number) in extents where number < 1 && (symbols.contains(name) || !hasAxis(name)) {
      throw .usage("--bind \(printable(name))=\(number): an axis has one position or more")
    }
  }

  /// Refuses named axes without a number, the first of them by its name.
  func checkAxes(known extents: [String: Int]) throws(Failure) {
    guard let axis = symbols.first(where: { extents[$0] == nil }) else { return }
    throw .usage("nothing says how long the axis \(quoted(axis)) is; --bind \(printable(axis))=N does")
  }

  /// A number for each named axis: as `--bind` says, and else the channels; says so where these are of no use.
  func extents(
    _ arguments: Arguments, others channels: Int, _ say: (String) -> Void
  ) throws -> [String: Int] {
    let known = try extents(of: [:], known: arguments.bound())
    if arguments.has(.channels), symbols.allSatisfy({ known[$0] != nil }) {
      say(
        "\(placeOfInputs): --channels \(channels) is of no use: \(quoted(name)) leaves no axis open"
          + (symbols.isEmpty ? "" : " that --bind does not say"))
    }
    return Dictionary(uniqueKeysWithValues: symbols.map { ($0, known[$0] ?? channels) })
  }

  /// Says where sound is to go through a network whose input may be a stretch of it.
  func checkNetwork() throws(Failure) {
    guard isTranslated, !executesStream, let input = inputs.first else { return }
    throw .usage(
      "\(quoted(name)) executes steps; where \(quoted(input.name)) is a stretch of sound, --stream \(printable(input.name)) "
        + "makes a stream of it")
  }

  /// The settings of `--preset` and `--set`, in the order in which they are made.
  func settings(_ arguments: Arguments) throws(Failure) -> [ParameterSetting] {
    var settings: [ParameterSetting] = []
    for address in arguments.values(of: .preset) {
      settings += try Failure.at("--preset \(printable(address)): ") { () throws(RequestError) in
        try self.settings(ofPreset: address)
      }
    }
    for text in arguments.values(of: .set) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        let example = parameters.first.map { "\($0.name)=\(shortest($0.initial))" } ?? "gain=0.5"
        throw .usage("--set takes NAME=VALUE, such as \(example), not \(quoted(text))")
      }
      settings.append(
        try Failure.at("--set \(printable(text)): ") { () throws(RequestError) in
          try setting(String(text[..<equals]), to: String(text[text.index(after: equals)...]))
        })
    }
    return settings
  }
}

extension Arguments {
  /// A name for a file that is made of a model, where none is said: the model's own, of a function with its name.
  func namesake(of path: String) -> String {
    let name = PathText.name(of: path)
    guard let function = value(of: .function) else { return name }
    return (name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]) + "-\(function).json"
  }

  /// A year and some months: more is a mistake.
  private static let mostSeconds = 4e7

  /// The time that `--seconds` says; nil where it is not given.
  func seconds() throws(Failure) -> Double? {
    guard let text = value(of: .seconds) else { return nil }
    guard let seconds = Quantity(text)?.number(inUnit: "s"), seconds > 0, seconds <= Self.mostSeconds else {
      throw .usage(
        "--seconds takes a time above 0 s and up to \(Int(Self.mostSeconds)) s, such as 2.5 or 300ms, not \(quoted(text))"
      )
    }
    return seconds
  }

  /// Channels that an option such as `--inputs 2,1` names, counted from 0 here and from 1 there; nil where it is not
  /// given.
  func channels(_ option: Option) throws(Failure) -> [Int]? {
    guard let text = value(of: option) else { return nil }
    var channels: [Int] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(word), number > 0 else {
        throw .usage("--\(option.name) takes channels counted from 1, such as 1 or 1,2, not \(quoted(text))")
      }
      channels.append(number - 1)
    }
    return channels
  }
}
