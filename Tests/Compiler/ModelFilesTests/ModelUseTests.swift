// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Models in the expressions of others: what they become.
@Suite struct ModelUseTests {
  static let gain = """
    { "legato": 1, "name": "Gain", "inputs": { "x": { "shape": ["n", "frames"] } },
      "parameters": { "level": { "default": 1, "minimum": 0, "maximum": 2, "unit": "times" } },
      "graph": { "y": "x * level" }, "outputs": ["y"] }
    """
  private static let split = """
    { "legato": 1, "name": "Split", "inputs": { "x": { "shape": ["n", "frames"] } },
      "parameters": { "cut": { "default": 0.5, "minimum": 0, "maximum": 1 } },
      "weights": { "taps": [[[0.5, 0.25]]] },
      "graph": { "low": "x * (1 - cut) + cut * delay(low, 1)", "high": "x - low" },
      "outputs": ["low", "high"] }
    """
  private static let mono = """
    { "legato": 1, "name": "Mono", "inputs": { "x": { "shape": [1, "frames"] } },
      "weights": { "taps": [[[0.5, 0.25]]] }, "graph": { "y": "conv1d(x, 'taps')" }, "outputs": ["y"] }
    """
  static let files = ["gain.json": gain, "split.json": split, "mono.json": mono]

  private func graph(
    _ definitions: String, outputs: String = "dst", files: [String: String] = files,
    parameters: String = "", extents: [String: Int] = ["channels": 2]
  ) throws -> Graph {
    let text = UsedFiles.model(definitions, outputs: outputs, parameters: parameters)
    let model = try UsedFiles(files).composed(text)
    let graph = try Graph(importing: model, extents: extents, sampleRate: 48_000)
    #expect(Verifier.violations(in: graph) == [])
    let again = try Graph(parsing: graph.description)
    #expect(again == graph && again.description == graph.description, "print, parse, print is the identity")
    return graph
  }

  /// The same without models: their definitions written out, parameters called so in the end.
  private func plain(_ definitions: String, parameters: String = "", called names: [String] = []) throws
    -> Graph
  {
    var graph = try graph(definitions, parameters: parameters)
    for (row, name) in names.enumerated() { graph.parameters[row].name = name }
    return graph
  }

  @Test("presets of models that are used set what is a parameter still, and the whole's set theirs")
  func presets() throws {
    let files = Self.files.merging([
      "gain.json": Self.gain.replacing(
        "}, \"outputs\"", with: "}, \"presets\": { \"Loud\": { \"level\": 2 } }, \"outputs\"")
    ]) { $1 }
    let parameters = #""p": { "default": 0, "minimum": 0, "maximum": 1 }"#
    let text = UsedFiles.model(
      "'a': 'model(`gain.json`, src)', 'b': 'model(`gain.json`, a, level: p)', 'dst': 'a + b'",
      parameters: parameters)
    func presets(_ own: String) throws -> [Composition.Preset] {
      let text = text.replacing("\"outputs\"", with: "\"presets\": { \(own) }, \"outputs\"")
      let model = try UsedFiles(files).composed(text)
      try model.checkUses()
      return model.composition.presets
    }
    let all = try presets(#""Both": { "a.level": 0.5, "p": 1 }"#)
    #expect(all.map(\.name) == ["Both", "a.Loud"])
    #expect(all.map(\.values) == [["a.level": 0.5, "p": 1], ["a.level": 2]] && all[1].others == [])
    #expect(try presets(#""One": { "p": 1 }"#)[0].others == ["a.level"])
    // Of two of one name the outer model's counts.
    #expect(try presets(#""a.Loud": { "a.level": 1 }"#).map(\.values) == [["a.level": 1]])
    for (own, message) in [
      (#""Bad": { "a.level": 3 }"#, "'a.level' must lie within 0 to 2, this is 3"),
      (#""Bad": { "a.levl": 1 }"#, "unknown parameter 'a.levl'; did you mean 'a.level'?"),
      (#""Bad": { "b.level": 1 }"#, "unknown parameter 'b.level'; did you mean 'a.level'?"),
      (
        (0..<ModelDocument.maximumPresets).map { "\"\($0)\": {}" }.joined(separator: ", "),
        "with those of the models that are used there are more than 4096 presets (used by m.json:3:20)"
      ),
    ] {
      let error = #expect(throws: Diagnostics.self) { try presets(own) }
      #expect(error?.all.map(\.message) == [message])
    }
  }

  private static let level = """
    "level": { "default": 1, "minimum": 0, "maximum": 2, "unit": "times" }
    """

  @Test func aModelStandsInThePlaceOfItsUse() throws {
    let used = try graph("'dst': 'tanh(model(`gain.json`, 2 * src))'")
    let written = try plain(
      "'dst': 'tanh((2 * src) * level)'", parameters: Self.level, called: ["dst.level"])
    #expect(used == written)
  }

  @Test func argumentsGoByPositionAndName() throws {
    let used = try graph(
      "'dst': 'model(`gain.json`, level: knob * 0.5, x: src)'",
      parameters: #""knob": { "default": 1, "minimum": 0, "maximum": 2 }"#)
    let written = try graph(
      "'dst': 'src * (knob * 0.5)'", parameters: #""knob": { "default": 1, "minimum": 0, "maximum": 2 }"#)
    #expect(used == written)
  }

  @Test func aNumberInPlaceOfAParameterIsANumber() throws {
    #expect(
      try graph("'dst': 'model(`split.json`, src, cut: 0.25)', 'low': 'dst.low'", outputs: "low").parameters
        .isEmpty)
    let used = try graph("'dst': 'model(`gain.json`, src, level: 0.5 * 2)'")
    #expect(used == (try graph("'dst': 'src * 1'")))
  }

  @Test func oneOfSeveralOutputsIsNamed() throws {
    let used = try graph("'parts': 'model(`split.json`, src)', 'dst': 'parts.low - parts.high'")
    let written = try plain(
      "'low': 'src * (1 - cut) + cut * delay(low, 1)', 'dst': 'low - (src - low)'",
      parameters: #""cut": { "default": 0.5, "minimum": 0, "maximum": 1 }"#, called: ["parts.cut"])
    // Weights that nothing reads come along.
    #expect(used.nodes == written.nodes && used.parameters == written.parameters)
  }

  @Test func severalUsesInOneDefinitionAreNumbered() throws {
    let used = try graph("'dst': 'model(`gain.json`, model(`gain.json`, src) + model(`gain.json`, src))'")
    #expect(used.parameters.map(\.name) == ["dst.2.level", "dst.3.level", "dst.level"])
  }

  @Test func aCycleGoesThroughAModel() throws {
    let used = try graph(
      "'dst': 'model(`gain.json`, src + fed, level: 0.5)', 'fed': 'delay(dst, 3)'")
    #expect(used == (try graph("'dst': '(src + fed) * 0.5', 'fed': 'delay(dst, 3)'")))
    let forward = try graph("'fed': 'delay(dst, 3)', 'dst': 'model(`gain.json`, src + fed, level: 0.5)'")
    #expect(used == forward)
  }

  @Test func modelsOfOneFileShareTheirWeights() throws {
    let used = try graph(
      "'a': 'model(`mono.json`, slice(src, 0, 0))', 'b': 'model(`mono.json`, slice(src, 0, 1))', 'dst': 'a + b'"
    )
    #expect(used.weights.map(\.name) == ["a.taps"])
  }

  @Test func aNumberStretchesAndAxesOfOneComeAndGo() throws {
    let files = [
      "wide.json": UsedFiles.model("'dst': 'src * 2'", shape: "[2, `frames`]"),
      "flat.json": UsedFiles.model("'dst': 'src * 2'", shape: "[`frames`]"),
    ]
    let stretched = try graph(
      "'one': 'slice(src, 0, 0)', 'dst': 'model(`wide.json`, one) + src'", files: files)
    #expect(stretched == (try graph("'one': 'slice(src, 0, 0)', 'dst': 'broadcast(one, [2]) * 2 + src'")))
    let flat = try graph("'one': 'slice(src, 0, 0)', 'dst': 'model(`flat.json`, one) + src'", files: files)
    #expect(flat == (try graph("'one': 'slice(src, 0, 0)', 'dst': 'reshape(one, []) * 2 + src'")))
  }

  @Test func modelsWithinModelsAreFoundFromTheirOwnFolder() throws {
    let files = [
      "rack/eq.json": UsedFiles.model("'dst': 'model(`bands/low.json`, src)'"),
      "rack/bands/low.json": Self.gain,
    ]
    let used = try graph("'eq': 'model(`rack/eq.json`, src)', 'dst': 'eq * 2'", files: files)
    #expect(used.parameters.map(\.name) == ["eq.dst.level"])
  }

  @Test func placesOfUsedFilesSayTheirFile() throws {
    let used = try graph("'dst': 'model(`gain.json`, tanh(src))'")
    let places = used.nodes.compactMap { used.origins.places[$0.result] }
    #expect(Set(places.map(\.file)) == [nil, "gain.json"])
  }

  @Test func chainsAreOneGraph() throws {
    let files = UsedFiles(Self.files)
    let first = try files.composed(UsedFiles.model("'dst': 'src * level'", parameters: Self.level))
    let second = ModelFamily(
      try ModelDocument.decode(Array(Self.gain.utf8), file: "gain.json"), identity: Array("2".utf8),
      reader: files.reader)
    let chain = ComposedModel(first.family.then(second).then(second))
    let used = try Graph(importing: chain, extents: ["channels": 2], sampleRate: 48_000)
    #expect(used.parameters.map(\.name) == ["test.level", "gain2.level", "gain3.level"])
    #expect(chain.name == "Test + Gain + Gain" && used.outputs.map(\.name) == ["y"])
    #expect(try Graph(parsing: used.description) == used)
    let other = ComposedModel(first.family.then(first.family).then(second))
    #expect(other.composition.parameters.map(\.name) == ["test1.level", "test2.level", "gain.level"])
  }
}
