// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading
import ModelFiles
import TestEquipment
import Testing

@Suite struct ModelDocumentTests {
  private func decode(_ text: String, file: String = "models/some.model.json") throws -> ModelDocument {
    try ModelDocument.decode(Array(text.utf8), file: file)
  }

  @Test func theShippedBitcrusherIsUnderstood() throws {
    let bytes = try bytes(ofModel: "bitcrusher.json")
    let model = try ModelDocument.decode(bytes, file: "models/bitcrusher.json")
    #expect(model.name == "Bitcrusher")
    #expect(model.clock == nil)
    #expect(model.inputs.map(\.name) == ["src"])
    #expect(model.inputs[0].shape.map(\.extent) == [.symbol("channels"), .symbol("frames")])
    #expect(model.parameters.map(\.name) == ["resolution", "saturationGain", "dryWet", "rate"])
    #expect(model.parameters.map(\.defaultValue) == [8, 1, 1, 384_000])
    #expect(model.parameters.map(\.minimum) == [1, 0.1, 0, 100])
    #expect(model.parameters.map(\.maximum) == [256, 20, 1, 384_000])
    #expect(model.parameters.map(\.scale) == [.logarithmic, .linear, .linear, .logarithmic])
    #expect(model.parameters.map(\.unit) == ["levels", nil, nil, "Hz"])
    #expect(model.parameters.map(\.ramp) == [0.02, 0.02, 0.02, 0.02])
    #expect(model.graph.map(\.name) == ["turns", "isDue", "held", "saturated", "quantized", "dst"])
    #expect(model.graph[4].expression.text == "round(saturated * resolution) / resolution")
    #expect(model.outputs.map(\.name) == ["dst"])
    #expect(
      model.presets.map(\.name) == ["Eight bits", "Telephone", "Broken radio", "Early sampler", "Toy"])
    #expect(model.presets[1].settings.map(\.parameter) == ["resolution", "saturationGain"])
    #expect(model.presets[1].settings.map(\.value) == [24, 3])
  }

  @Test func theSmallestModelHasAVersionAndAnOutput() throws {
    let model = try decode("{\"legato\": 1, \"outputs\": [\"x\"]}")
    #expect(model.version == 1)
    #expect(model.name == "some.model")
    #expect(model.file == "models/some.model.json")
    #expect(model.inputs.isEmpty && model.parameters.isEmpty && model.graph.isEmpty)
    #expect(model.weights.isEmpty && model.presets.isEmpty)
  }

  @Test(arguments: [("1", 1), ("44100", 44_100), ("48e3", 48_000), ("768000.0", 768_000)])
  func aModelMayStateItsRate(text: String, hertz: Int) throws {
    let model = try decode("{\"legato\": 1, \"outputs\": [\"x\"], \"sampleRate\": \(text)}")
    #expect(model.sampleRate?.hertz == hertz)
    #expect(model.sampleRate?.place == Place(line: 1, column: 47))
    #expect(try decode("{\"legato\": 1, \"outputs\": [\"x\"]}").sampleRate == nil)
  }

  @Test func everythingHasItsPlace() throws {
    let model = try decode(
      """
      { "legato": 1, "outputs": ["y",
          "z"],
        "inputs": { "x": { "shape": [2, "frames"] }, "w": { "shape": [3, 4] }, "s": { "shape": [] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 2 } },
        "graph": { "y": "x\\u0020+ gain" },
        "weights": { "conv.weight": [1] },
        "presets": { "Loud": { "gain": 2 } }
      }
      """)
    #expect(model.outputs.map(\.place) == [Place(line: 1, column: 28), Place(line: 2, column: 5)])
    #expect(model.inputs.map(\.place) == [15, 48, 74].map { Place(line: 3, column: $0) })
    #expect(model.inputs[0].shape.map(\.place) == [32, 35].map { Place(line: 3, column: $0) })
    #expect(model.inputs[1].shape.map(\.place) == [65, 68].map { Place(line: 3, column: $0) })
    #expect(model.inputs[1].shape.map(\.extent) == [.number(3), .number(4)])
    #expect(model.inputs[2].shape.isEmpty)
    #expect(model.parameters[0].place == Place(line: 4, column: 19))
    #expect(model.graph[0].namePlace == Place(line: 5, column: 14))
    #expect(model.graph[0].expression.place == Place(line: 5, column: 19))
    #expect(model.graph[0].expression.place(atCharacter: 2) == Place(line: 5, column: 27))
    #expect(model.weights[0].place == Place(line: 6, column: 16))
    #expect(model.presets[0].place == Place(line: 7, column: 16))
    #expect(model.presets[0].settings[0].place == Place(line: 7, column: 26))
  }

  @Test func whatAModelSaysAboutItselfIsKept() throws {
    let model = try decode(
      """
      { "$schema": "legato.schema.json", "legato": 1, "name": "Größe 𝄞", "clock": "step", "description": "d", "prewarm": 9,
        "author": "a", "license": "MIT", "outputs": ["größe"],
        "inputs": { "größe": { "shape": ["sampleRate"], "description": "i" } },
        "parameters": { "p": { "default": -1, "minimum": -1, "maximum": 3e38, "ramp": 0, "description": "q",
          "unit": "dB", "scale": "linear", "midi": 119 } } }
      """)
    #expect(model.name == "Größe 𝄞")
    #expect(model.clock == .step)
    #expect(model.prewarm == 9)
    #expect([model.description, model.author, model.license] == ["d", "a", "MIT"])
    #expect(model.inputs[0].name == "größe")
    #expect(model.inputs[0].description == "i")
    #expect(model.parameters[0].ramp == 0)
    #expect(model.parameters[0].description == "q")
    #expect(model.parameters[0].unit == "dB")
    #expect(model.parameters[0].midi == 119)
  }

  @Test(
    arguments: [
      ("2.5", [], [2.5]), ("[1]", [1], [1]), ("[1, -2, 3e-3]", [3], [1, -2, 0.003]),
      ("[[1, 2, 3], [4, 5, 6]]", [2, 3], [1, 2, 3, 4, 5, 6]),
      ("[[[1], [2]], [[3], [4]], [[5], [6]]]", [3, 2, 1], [1, 2, 3, 4, 5, 6]),
    ] as [(String, [Int], [Float])])
  func weightsTakeTheShapeOfTheirArrays(text: String, shape: [Int], values: [Float]) throws {
    let model = try decode("{\"legato\": 1, \"outputs\": [\"x\"], \"weights\": {\"a.b 1\": \(text)}}")
    #expect(model.weights.map(\.name) == ["a.b 1"])
    #expect(model.weights[0].written?.shape == shape)
    #expect(model.weights[0].written?.numbers == Numbers(values))
  }

  @Test(arguments: ["a", "Z9_", "aB_0", "größe", "名前", "Ωmega", "𝒳"])
  func thisIsAName(text: String) {
    #expect(text.isName)
  }

  @Test(arguments: ["", "_a", "1a", "a-b", "a b", "a.b", "a\u{301}", "½", "a٣", "😀", "a\n"])
  func thisIsNone(text: String) {
    #expect(!text.isName)
  }

  @Test func howItLearnsIsUnderstood() throws {
    let text = """
      { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "graph": { "dst": "src" }, "outputs": ["dst"],
        "train": { "targets": { "wet": { "shape": [1, "frames"] } }, "loss": "esr(dst, wet)",
          "metrics": { "off": "mae(dst, wet)" }, "trainable": ["lstm.*"],
          "optimizer": { "sgd": { "rate": 0.1, "momentum": 0.9, "nesterov": true,
            "schedule": { "cosine": { "steps": 100, "to": 0.1 } } } },
          "window": 480, "warmup": 0, "chunk": 48, "batch": 4, "accumulate": 2, "epochs": 7, "patience": 3, "validate": 0.2 } }
      """
    let training = try #require(try decode(text).training)
    #expect(training.targets.map(\.name) == ["wet"])
    #expect(training.targets[0].shape.map(\.extent) == [.number(1), .symbol("frames")])
    #expect(training.loss?.expression == "esr(dst, wet)")
    #expect(training.metrics.map(\.name) == ["off"] && training.trainable == ["lstm.*"])
    let optimizer = try #require(training.optimizer)
    #expect(optimizer.rule == .sgd && optimizer.isNesterov)
    #expect(optimizer.numbers == ["rate": 0.1, "momentum": 0.9])
    #expect(optimizer.schedule?.kind == .cosine && optimizer.schedule?.numbers == ["steps": 100, "to": 0.1])
    #expect(
      training.counts
        == [.window: 480, .warmup: 0, .chunk: 48, .batch: 4, .accumulate: 2, .epochs: 7, .patience: 3])
    #expect(training.validate == 0.2)
    #expect(try decode("{\"legato\": 1, \"outputs\": [\"x\"]}").training == nil)
  }

  @Test func howItListensIsUnderstood() throws {
    func decoded(_ listen: String) throws -> ModelDocument.Listening? {
      try decode(
        """
        { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [50, 2] }, "h": { "shape": [4] } },
          "graph": { "y": "x", "hn": "h" }, "outputs": ["y", "hn"]\(listen) }
        """
      ).listening
    }
    #expect(try decoded("") == nil)
    let listening = try #require(
      try decoded(
        #", "listen": { "window": 50, "hop": 25, "columns": ["a", "b"], "states": { "h": "hn" } }"#))
    #expect(listening.counts == [.window: 50, .hop: 25])
    #expect(listening.columns == ["a", "b"] && listening.states == ["h": "hn"])
    for (section, message) in [
      (#"{ "hop": 0 }"#, "'hop' must be a whole number from 1 to 16777216, this is 0"),
      (#"{ "columns": [] }"#, "'columns' is empty; leave it out"),
      (#"{ "columns": 4 }"#, "'columns' must be a list of names"),
      (#"{ "columns": ["a", "a"] }"#, "the column 'a' stands twice"),
      (#"{ "states": { "g": "hn" } }"#, "unknown input 'g'"),
      (#"{ "states": { "h": "x" } }"#, "unknown output 'x'"),
      (#"{ "windows": 5 }"#, "did you mean 'window'?"),
    ] {
      let error = #expect(throws: Diagnostics.self) { try decoded(", \"listen\": \(section)") }
      #expect(error.map { "\($0)".contains(message) } == true, "\(section): \(error.map { "\($0)" } ?? "")")
    }
  }
}
