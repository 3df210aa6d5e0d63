// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
package import Legato
internal import TensorFiles

/// The trained model: features, encoder and last layer in one file, with the people as labels.
///
///     voices.json         sound [window] ─▶ voice [n] ─▶ scores [people] ─▶ probabilities [people]
///     voices.safetensors  all weights
///     people.json         who they are, and how sound is cut
package struct TrainedVoices {
  /// The text beside the model.
  package struct People: Codable, Hashable, Sendable {
    package let form: Int
    package var people: [String]
    /// How near to a person's usual voice somebody has to be to be that one, as cosines of whitened voices.
    package var nearness: [Double]
    package let encoder: String
    package let identity: String
    package let cutting: Cutting
    package let epochs: Int
    package let rate: Double
    package let seed: UInt64
  }

  package let model: Model
  package private(set) var people: People
  private let text: Data
  private let arrays: [GraphIR.Weights]

  private static let form = 3
  private static let (weight, bias) = ("head.weight", "head.bias")
  private static let (whitening, centres) = ("head.whitening", "head.centres")

  /// An encoder with a last layer.
  init(
    _ encoder: Encoder, _ names: [String], _ layer: LastLayer, _ nearness: Nearness, _ plan: LastLayer.Plan
  ) throws(VoiceError) {
    people = People(
      form: Self.form, people: names, nearness: nearness.bounds, encoder: encoder.name,
      identity: encoder.identity,
      cutting: encoder.cutting,
      epochs: plan.epochs, rate: plan.rate, seed: plan.seed)
    (text, arrays) = try Self.joined(
      encoder.modelPath, names,
      [
        Self.weight: layer.weight, Self.whitening: nearness.whitening, Self.centres: nearness.centres,
      ], layer.bias, hop: encoder.cutting.hop)
    model = try Self.model(text, arrays)
  }

  /// The one in a folder.
  ///
  /// - Throws: `VoiceError.failed` where there is none, or its files are damaged.
  package init(_ folder: VoiceFolder) throws(VoiceError) {
    guard FileManager.default.fileExists(atPath: folder.people) else {
      throw .failed("\(folder.path): nothing is trained yet; legato-voices train does it")
    }
    let bytes = try VoiceFolder.read(folder.people)
    guard let people = try? JSONDecoder().decode(People.self, from: bytes), people.cutting.flaw == nil,
      people.nearness.count == people.people.count
    else {
      throw .failed("\(folder.people): is damaged, or of another version; legato-voices train writes it anew")
    }
    guard people.form == Self.form else {
      throw .failed(
        "\(folder.people): is of form \(people.form), this program reads \(Self.form); train again")
    }
    self.people = people
    text = try VoiceFolder.read(folder.model)
    do throws(ModelError) { model = try Model(contentsOf: folder.model) } catch {
      throw .failed(error.description)
    }
    guard model.labels(of: "probabilities") == people.people else {
      throw .failed(
        "\(folder.model): knows other people than people.json; legato-voices train writes both anew")
    }
    arrays = try Self.arrays(folder.weights)
    let shapes = Dictionary(arrays.map { ($0.name, $0.shape) }) { first, _ in first }
    guard let rows = shapes[Self.weight], rows.count == 2, rows[0] == people.people.count,
      shapes[Self.centres] == rows, shapes[Self.bias] == [rows[0]],
      shapes[Self.whitening] == [rows[1], rows[1]]
    else {
      throw .failed(
        "\(folder.weights): has other people than people.json; legato-voices train writes both anew")
    }
  }

  /// Who was learned, by a folder's people.json; nobody where there is none, or it is damaged.
  package static func names(in folder: VoiceFolder) -> [String] {
    guard let bytes = try? VoiceFolder.read(folder.people) else { return [] }
    return (try? JSONDecoder().decode(People.self, from: bytes).people) ?? []
  }

  // MARK: Files

  /// Writes the three files together.
  package func write(to folder: VoiceFolder) throws(VoiceError) {
    try VoiceFolder.make(folder.path)
    try Self.write(
      [
        (folder.weights, try bytes(folder.weights)),
        (folder.model, try text(weightsIn: "voices.safetensors")),
        (folder.people, Array(try Self.pretty(people))),
      ], replaces: true)
  }

  /// Writes the model file, with its weights beside it.
  package func export(to path: String, replaces: Bool) throws(VoiceError) {
    let beside = String(path.dropLast(".json".count)) + ".safetensors"
    let name = PathText.name(of: beside)
    try Self.write(
      [(beside, try bytes(beside)), (path, try text(weightsIn: name))], replaces: replaces)
  }

  /// Writes an ONNX file.
  package func exportONNX(to path: String, replaces: Bool) throws(VoiceError) {
    let bytes: [UInt8]
    do throws(ModelError) { bytes = try model.onnx() } catch { throw .failed(error.description) }
    try Self.write([(path, bytes)], replaces: replaces)
  }

  private func bytes(_ path: String) throws(VoiceError) -> [UInt8] { try Self.bytes(arrays, path) }

  private static func bytes(_ arrays: [GraphIR.Weights], _ path: String) throws(VoiceError) -> [UInt8] {
    do throws(TensorFileError) { return try TensorFileText(arrays, file: path).bytes } catch {
      throw .failed(error.description)
    }
  }

  private func text(weightsIn name: String) throws(VoiceError) -> [UInt8] {
    guard var object = (try? JSONSerialization.jsonObject(with: text)) as? [String: Any] else {
      throw .failed("voices.json: is damaged; legato-voices train writes it anew")
    }
    object["weights"] = ["file": name]
    return Array(try Self.json(object))
  }

  private static func write(_ files: [(path: String, bytes: [UInt8])], replaces: Bool) throws(VoiceError) {
    do throws(AudioFileError) {
      try FilesTogether(
        files.map { FilesTogether.File(path: $0.path, bytes: $0.bytes) }, replaceExisting: replaces
      ).commit()
    } catch {
      throw .failed(error.description)
    }
  }

  private static func arrays(_ path: String) throws(VoiceError) -> [GraphIR.Weights] {
    do throws(TensorError) {
      let file = try TensorArchive(contentsOf: path)
      var arrays: [GraphIR.Weights] = []
      for name in file.names {
        let tensor = try file.tensor(name)
        arrays.append(GraphIR.Weights(name: name, shape: tensor.shape, values: Numbers(tensor.values)))
      }
      return arrays
    } catch {
      throw .failed(error.description)
    }
  }

  /// The text of an encoder's model with a last layer, and all weights.
  private static func joined(
    _ path: String, _ names: [String], _ rows: [String: [[Float]]], _ bias: [Float], hop: Int
  ) throws(VoiceError) -> (Data, [GraphIR.Weights]) {
    guard var object = (try? JSONSerialization.jsonObject(with: VoiceFolder.read(path))) as? [String: Any],
      var graph = object["graph"] as? [String: Any], let own = object["weights"] as? [String: Any],
      let file = own["file"] as? String
    else { throw .failed("\(path): its weights have to be a file, and its graph expressions") }
    graph["scores"] = "dense(voice, '\(Self.weight)', '\(Self.bias)')"
    graph["probabilities"] = "softmax(scores)"
    graph["whitened"] = "dense(voice, '\(Self.whitening)')"
    graph["nearness"] =
      "dense(whitened / sqrt(sum(whitened * whitened, axis: 0) + 1e-20), '\(Self.centres)')"
    object["graph"] = graph
    object["name"] = "Who speaks"
    object["sampleRate"] = Speech.rate
    object["listen"] = ["hop": hop]
    object["description"] =
      "Says who of some people speaks: probabilities, and how near each one's usual voice is. It names one of silence, too."
    object["outputs"] =
      [
        ["name": "probabilities", "labels": names], ["name": "nearness", "labels": names], ["name": "scores"],
        ["name": "voice"],
      ] as [[String: Any]]
    var arrays = try arrays(PathText.path(PathText.folder(of: path), file))
    for (name, rows) in rows.sorted(by: { $0.key < $1.key }) {
      arrays.append(
        GraphIR.Weights(
          name: name, shape: [rows.count, rows[0].count], values: Numbers(rows.flatMap { $0 })))
    }
    arrays.append(GraphIR.Weights(name: Self.bias, shape: [names.count], values: Numbers(bias)))
    return (try json(object), arrays)
  }

  /// A model whose weights are in memory, read from a folder that is gone afterwards.
  private static func model(_ text: Data, _ arrays: [GraphIR.Weights]) throws(VoiceError) -> Model {
    let folder = FileManager.default.temporaryDirectory.appending(path: "legato-voices-\(UUID().uuidString)")
    try VoiceFolder.make(folder.path())
    defer { try? FileManager.default.removeItem(at: folder) }
    guard var object = (try? JSONSerialization.jsonObject(with: text)) as? [String: Any] else {
      throw .failed("the model is damaged")
    }
    object["weights"] = ["file": "voices.safetensors"]
    let path = folder.path() + "/voices.json"
    try write(
      [
        (folder.path() + "/voices.safetensors", try bytes(arrays, "voices.safetensors")),
        (path, Array(try json(object))),
      ], replaces: false)
    do throws(ModelError) { return try Model(contentsOf: path) } catch { throw .failed(error.description) }
  }

  private static func json(_ object: [String: Any]) throws(VoiceError) -> Data {
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
      throw .failed("the model cannot be written as JSON")
    }
    return data
  }

  private static func pretty(_ value: some Encodable) throws(VoiceError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do { return try encoder.encode(value) } catch { throw .failed("people.json cannot be written: \(error)") }
  }

  // MARK: People

  /// The same without one of its people; nil where fewer than two would be left.
  package func without(_ name: String) throws(VoiceError) -> TrainedVoices? {
    guard let row = people.people.firstIndex(of: name) else { return self }
    guard people.people.count > 2 else { return nil }
    return try TrainedVoices(removing: row, from: self)
  }

  private init(removing row: Int, from whole: TrainedVoices) throws(VoiceError) {
    people = whole.people
    people.people.remove(at: row)
    people.nearness.remove(at: row)
    let left = whole.people.people.indices.filter { $0 != row }
    arrays = whole.arrays.map { array in
      guard [Self.weight, Self.bias, Self.centres].contains(array.name) else { return array }
      let (size, numbers) = (array.shape.dropFirst().reduce(1, *), Array(array.values))
      return GraphIR.Weights(
        name: array.name, shape: [left.count] + array.shape.dropFirst(),
        values: Numbers(left.flatMap { Array(numbers[$0 * size..<($0 + 1) * size]) }))
    }
    guard var object = (try? JSONSerialization.jsonObject(with: whole.text)) as? [String: Any],
      var outputs = object["outputs"] as? [[String: Any]], !outputs.isEmpty
    else { throw .failed("voices.json: is damaged; legato-voices train writes it anew") }
    for index in outputs.indices where outputs[index]["labels"] != nil {
      outputs[index]["labels"] = people.people
    }
    object["outputs"] = outputs
    text = try Self.json(object)
    model = try Self.model(text, arrays)
  }
}

/// A trained model at work.
package final class Identifier {
  /// Who speaks, as likely as the model says.
  package struct Answer: Sendable {
    /// By name, in the model's order; the mean over the windows in which somebody speaks.
    package let probabilities: [(name: String, share: Double)]
    /// Whether the voice is about as near to each one's usual one as that one's own is.
    package let isNear: [Bool]
    /// Windows that were looked at.
    package let windows: Int

    package init(probabilities: [(name: String, share: Double)], isNear: [Bool], windows: Int) {
      (self.probabilities, self.isNear, self.windows) = (probabilities, isNear, windows)
    }

    /// The one who speaks; nil for nobody who is known.
    package func name(threshold: Double) -> String? {
      guard let best = probabilities.indices.max(by: { probabilities[$0].share < probabilities[$1].share }),
        probabilities[best].share >= threshold, isNear[best], probabilities[best].name != VoiceFolder.others
      else { return nil }
      return probabilities[best].name
    }
  }

  private let names: [String]
  private let nearness: [Double]
  package let cutting: Cutting
  private var runner: StepRunner

  package init(_ voices: TrainedVoices) throws(VoiceError) {
    (names, cutting) = (voices.people.people, voices.people.cutting)
    nearness = voices.people.nearness
    do throws(ModelError) { runner = try StepRunner(voices.model.compilation()) } catch {
      throw .failed(error.description)
    }
  }

  /// Who speaks; nil where nobody does.
  package func answer(_ speech: Speech) throws(VoiceError) -> Answer? {
    var sums = [Double](repeating: 0, count: names.count)
    var cosines = sums
    var windows = 0
    for window in cutting.windows(of: speech) {
      windows += 1
      let found: [String: Tensor]
      do throws(RequestError) { found = try runner.step(["sound": Tensor(window)]) } catch {
        throw .failed(error.description)
      }
      func add(_ output: String, to sums: inout [Double]) {
        for (row, number) in (found[output]?.values ?? []).enumerated() {
          sums[row] += Double(number)
        }
      }
      add("probabilities", to: &sums)
      add("nearness", to: &cosines)
    }
    guard windows > 0 else { return nil }
    func mean(_ sum: Double) -> Double { sum / Double(windows) }
    return Answer(
      probabilities: Array(zip(names, sums.map(mean))), isNear: zip(cosines.map(mean), nearness).map(>=),
      windows: windows)
  }
}
