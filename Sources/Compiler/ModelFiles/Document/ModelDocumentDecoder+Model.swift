// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  /// - Parameters:
  ///   - function: the one that is meant of a file with several; nil of a file without.
  ///   - known: the same file, where its weights were decoded already.
  mutating func decodeModel(function: String?, sharing known: FunctionFile? = nil) -> ModelDocument? {
    guard checkVersion(),
      let all = decodeFields(json.root, "a model", keys: ModelDocument.Keys.model),
      let (fields, place) = decodeFunction(function, among: all)
    else { return nil }
    _ = decodeString(fields["$schema"], "'$schema'")
    let parameters = decodeParameters(fields["parameters"])
    let clock: ModelDocument.Clock? = decodeChoice(fields["clock"], "'clock'")
    hasUnknownClock = clock == nil && fields["clock"] != nil
    let (weights, weightsFile) = known.map { shareWeights(of: $0) } ?? decodeWeights(fields["weights"])
    var document = ModelDocument(
      file: file,
      version: ModelDocument.supportedVersion,
      name: ([decodeName(fields["name"])] + [function].compactMap(\.self)).joined(separator: " "),
      clock: function == nil ? clock : .step,
      sampleRate: decodeSampleRate(fields["sampleRate"]),
      prewarm: decodePrewarm(fields["prewarm"]),
      description: decodeString(fields["description"], "'description'")?.text,
      author: decodeString(fields["author"], "'author'")?.text,
      license: decodeString(fields["license"], "'license'")?.text,
      inputs: decodeInputs(fields["inputs"]),
      parameters: parameters,
      graph: decodeGraph(fields["graph"]),
      weights: weights,
      weightsFile: weightsFile,
      outputs: decodeOutputs(fields["outputs"], of: place),
      presets: decodePresets(of: parameters, in: fields),
      levels: decodeLevels(fields["levels"]),
      capture: nil, network: nil)
    document.function = function
    document.training = decodeTraining(fields["train"], of: document)
    document.listening = decodeListening(fields["listen"], of: document)
    return document
  }

  private mutating func decodeLevels(_ value: JSONValue?) -> ModelDocument.Levels {
    guard let value, let fields = decodeFields(value, "'levels'", keys: ModelDocument.Keys.levels) else {
      return .init()
    }
    return .init(
      loudness: decodeNumber(fields["loudness"], "'loudness'"),
      input: decodeNumber(fields["input"], "'input'"),
      output: decodeNumber(fields["output"], "'output'"))
  }

  /// Whether the rest can be understood: what another version means by its keys is not known here.
  private mutating func checkVersion() -> Bool {
    guard case .object(let members) = json.root.content else { return true }
    let supported = ModelDocument.supportedVersion
    guard let value = members.first(where: { $0.key == "legato" })?.value else {
      report("the version is missing; write \"legato\": \(supported)", at: json.root.place)
      return true
    }
    guard case .number(let version) = value.content else {
      wrongType(value, "'legato'", mustBe: "the number of a version")
      return true
    }
    guard version == Double(supported) else {
      report("version \(written(version)) of the format is not supported, only \(supported)", at: value.place)
      return false
    }
    return true
  }

  private mutating func decodeName(_ value: JSONValue?) -> String {
    guard let value else { return ModelDocument.name(ofFile: file) }
    guard let string = decodeString(value, "'name'") else { return "" }
    _ = checkLength(ofName: string.text, at: value.place)
    return string.text
  }

  mutating func decodeSampleRate(_ value: JSONValue?) -> ModelDocument.SampleRate? {
    guard let value, let rate = decodeNumber(value, "'sampleRate'") else { return nil }
    let rates = Limits.sampleRates
    guard let hertz = Int(exactly: rate), rates.contains(hertz) else {
      report(
        "'sampleRate' must be a whole number of hertz from \(rates.lowerBound) to \(rates.upperBound), such as 48000, "
          + "this is \(written(rate)); a model for any rate leaves it out", at: value.place)
      return nil
    }
    return ModelDocument.SampleRate(hertz: hertz, place: value.place)
  }

  private mutating func decodePrewarm(_ value: JSONValue?) -> Int {
    guard let value, let number = decodeNumber(value, "'prewarm'") else { return 0 }
    guard let frames = Int(exactly: number), (0...Limits.prewarm).contains(frames) else {
      report(
        "'prewarm' must be a whole number of frames from 0 to \(Limits.prewarm), this is \(written(number))",
        at: value.place)
      return 0
    }
    return frames
  }

  private mutating func decodeInputs(_ value: JSONValue?) -> [ModelDocument.Input] {
    var inputs: [ModelDocument.Input] = []
    for member in decodeTable(value, "inputs", limit: ModelDocument.maximumInputs, "inputs") {
      let isNamed = define(member.key, as: "an input", at: member.keyPlace)
      guard let input = decodeInput(member), isNamed else {
        unread.values.insert(member.key)
        continue
      }
      inputs.append(input)
    }
    return inputs
  }

  private mutating func decodeInput(_ member: JSONMember) -> ModelDocument.Input? {
    let what = "the input \(quoted(member.key))"
    guard let fields = decodeFields(member.value, what, keys: ModelDocument.Keys.input) else { return nil }
    let description = decodeString(fields["description"], "'description'")?.text
    guard let shape = fields["shape"] else {
      report("\(what) has no 'shape'", at: member.keyPlace)
      return nil
    }
    let entries = decodeShape(shape)
    let image = decodeImage(fields, entries, what, at: shape.place)
    guard let entries else { return nil }
    return ModelDocument.Input(
      name: member.key, place: member.keyPlace, shape: entries, image: image, description: description)
  }

  private mutating func decodeGraph(_ value: JSONValue?) -> [ModelDocument.Definition] {
    var definitions: [ModelDocument.Definition] = []
    for member in decodeTable(value, "graph", limit: ModelDocument.maximumGraphEntries, "graph entries") {
      let isNamed = define(member.key, as: "a value of the graph", at: member.keyPlace)
      let expression = decodeString(member.value, "the expression of \(quoted(member.key))")
      guard isNamed, let expression else {
        unread.values.insert(member.key)
        continue
      }
      definitions.append(
        ModelDocument.Definition(name: member.key, namePlace: member.keyPlace, expression: expression))
    }
    return definitions
  }
}
