// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import Foundation
import GraphIR
import JSONReading
import ModelFiles
import ReferenceInterpreter
import TensorFiles
import Testing

/// Captures compute what the networks do of which they are files.
@Suite struct ReferenceOutputTests {
  @Test func thereAreCapturesOfEachKind() { #expect(Captures.files.count >= 18) }

  @Test(arguments: Captures.names)
  func eachIsWhatTheNetworkMakes(name: String) throws {
    let parts = name.split(separator: " ")
    let bytes = try Captures.bytes(String(parts[0]))
    let size = parts.count > 1 ? try #require(Double(parts[2])) : 1
    let document = try ModelDocument.decode(bytes, file: name, size: size)
    var graph = try Graph(importing: document, sampleRate: document.sampleRate.map { Double($0.hertz) } ?? 0)
    // The package begins with the state that stands in the file.
    if name.contains("lstm") && name != "lstm-settled" && !Captures.isNetwork(name) { graph.prewarm = 0 }
    let sound = try #require(Captures.outputs["sound"]).map(Float.init)
    let inputs = [sound, sound.reversed()].prefix(graph.inputs[0].type.shape.count)
    let result = ReferenceInterpreter(graph.canonical()).run(inputs: Array(inputs), frames: sound.count)
    let made = result.outputs[0].map(\.value)
    let expected = try #require(Captures.outputs[name])
    #expect(made.count == expected.count)
    for (frame, (one, other)) in zip(made, expected).enumerated() {
      #expect(abs(one - other) < 1e-6, "\(name), frame \(frame): \(one), and the network makes \(other)")
    }
  }

  /// A network rests before the first frame; what rests of itself needs no silence.
  @Test(arguments: [
    ("wavenet", 30), ("convnet", 7), ("sequential", 7), ("linear", 0), ("lstm", 24_000),
    ("lstm-settled", 32), ("container", 6),
    ("keras-dense", 0), ("keras-conv", 11), ("keras-gru", 2048), ("guitarml-lstm", 2048),
  ])
  func silenceRunsBefore(name: String, frames: Int) throws {
    #expect(try ModelDocument.decode(try Captures.bytes(name), file: name).prewarm == frames)
  }

  /// A part that keeps silence hides nothing from the first that does not; each behind it needs its own time.
  @Test(arguments: [
    (["3", "5"], 0), (["3", "5 + bias", "4"], 3), (["5 + bias", "4", "9"], 11), (["3", "lstm"], 24_000),
    (["lstm", "5"], 24_004), (["lstm", "lstm"], 48_000),
  ])
  func partsSettleOneAfterTheOther(parts: [String], frames: Int) throws {
    let models = try parts.map { part in
      guard let taps = Int(part.prefix(1)) else {
        return String(decoding: try Captures.bytes(part), as: UTF8.self)
      }
      let hasBias = part.hasSuffix("bias")
      let weights = [String](repeating: "0.5", count: taps + (hasBias ? 1 : 0)).joined(separator: ", ")
      return #"{ "architecture": "Linear", "config": { "receptive_field": \#(taps), "bias": \#(hasBias) }, "#
        + #""weights": [\#(weights)] }"#
    }
    let text =
      #"{ "architecture": "Sequential", "config": { "models": [\#(models.joined(separator: ", "))] } }"#
    #expect(try ModelDocument.decode(Array(text.utf8), file: "a.nam").prewarm == frames)
  }

  /// The trainer writes the configurations of the parts and all their weights in a row, and not of what kind each is.
  @Test func partsOfTheTrainerAreTheSameAsWholeOnes() throws {
    func object(_ name: String) throws -> [String: Any] {
      let json = try JSONSerialization.jsonObject(with: Data(try Captures.bytes(name)))
      return try #require(json as? [String: Any])
    }
    var whole = try object("sequential")
    // A part of each kind, and parts within one.
    var parts = try ["convnet", "lstm", "wavenet-condition", "linear", "convnet-normalized"].map(object)
    parts.append(["architecture": "Sequential", "config": ["models": [parts[0], parts[3]]]])
    func bare(_ part: [String: Any]) throws -> (config: Any, weights: [Any]) {
      var config = try #require(part["config"] as? [String: Any])
      guard let models = config["models"] as? [[String: Any]] else {
        let weights = try #require(part["weights"] as? [Any])
        // As the trainer has it, the earliest frame is the first; a bias is the last in both.
        guard let taps = config["receptive_field"] as? Int else { return (config, weights) }
        return (config, weights.prefix(taps).reversed() + weights.dropFirst(taps))
      }
      let inner = try models.map(bare)
      config["models"] = inner.map(\.config)
      return (config, inner.flatMap(\.weights))
    }
    func document(_ whole: [String: Any]) throws -> ModelDocument {
      let data = try JSONSerialization.data(withJSONObject: whole, options: .sortedKeys)
      return try ModelDocument.decode([UInt8](data), file: "a.nam")
    }
    whole["config"] = ["models": parts]
    let expected = try document(whole)
    let flat = try bare(whole)
    (whole["config"], whole["weights"]) = (flat.config, flat.weights)
    let made = try document(whole)
    #expect(made.graph.map(\.expression.text) == expected.graph.map(\.expression.text))
    #expect(made.weights.map(\.name) == expected.weights.map(\.name))
    func numbers(_ document: ModelDocument) -> [[Float]] {
      document.weights.map { weight in
        switch weight.source {
        case .numbers(_, let numbers): Array(numbers)
        case .tensor, .sound: []
        }
      }
    }
    #expect(numbers(made) == numbers(expected))
    #expect(made.prewarm == expected.prewarm && made.prewarm > 0)
  }

  /// The rate of a part is that of the whole, where this states none.
  @Test func aPartStatesTheRate() throws {
    let part =
      #"{ "architecture": "Linear", "sample_rate": 44100, "config": { "receptive_field": 1 }, "weights": [1] }"#
    let text = #"{ "architecture": "Sequential", "config": { "models": [\#(part)] } }"#
    #expect(try ModelDocument.decode(Array(text.utf8), file: "a.nam").sampleRate?.hertz == 44_100)
  }

  @Test func whatAFileSaysOfItselfIsTheModels() throws {
    let document = try ModelDocument.decode(try Captures.bytes("wavenet"), file: "wavenet.nam")
    #expect(document.name == "Tiny")
    #expect(document.author == "Legato")
    #expect(document.description == "None Untrained, pedal, clean")
    #expect(document.sampleRate?.hertz == 48_000)
    #expect(document.levels == .init(loudness: -20.5, input: 12.5, output: 9.25))
    #expect(document.isCapture)
  }

  @Test func whatAidaSaysOfItselfIsTheModels() throws {
    let document = try ModelDocument.decode(try Captures.bytes("aida"), file: "aida.json")
    #expect(document.name == "Tiny")
    #expect(document.author == "Legato")
    #expect(document.license == "CC0")
    #expect(document.description == "Nothing, clean")
    #expect(document.sampleRate?.hertz == 44_100)
    let recurrent = try ModelDocument.decode(try Captures.bytes("guitarml-lstm"), file: "amp.json")
    #expect(recurrent.name == "amp")
    #expect(recurrent.sampleRate?.hertz == 44_100)
    let layers = try ModelDocument.decode(try Captures.bytes("keras-lstm"), file: "amp.json")
    #expect(layers.sampleRate?.hertz == 48_000)
  }

  /// The words of a capture about itself are kept with its weights, and a license stands where all can read it.
  @Test func importKeepsWhatACaptureSays() throws {
    let aida = try ModelDocument.decode(try Captures.bytes("aida"), file: "aida.json")
    let model = try ModelDocument.decode(Array(aida.text(weightsIn: "a.safetensors").utf8), file: "a.json")
    #expect(model.license == "CC0" && model.author == "Legato" && model.description == "Nothing, clean")
    let file = try TensorFile(
      FileReader(try aida.tensorFile("a.safetensors").bytes), file: "a.safetensors")
    let metadata = try #require(file.metadata["metadata"])
    #expect(metadata.contains(#""dataset": "none""#) && metadata.contains(#""esr": 0.5"#), "\(metadata)")
    // Whoever publishes a capture of the trainer's adds a license.
    let text = String(decoding: try Captures.bytes("wavenet"), as: UTF8.self)
      .replacing(#""name": "Tiny""#, with: #""name": "Tiny", "license": "CC BY 4.0""#)
    #expect(try ModelDocument.decode(Array(text.utf8), file: "a.nam").license == "CC BY 4.0")
  }

  /// Each of several sizes knows its loudness better than the whole, which is as loud as the largest.
  @Test(arguments: [(0, -30.5), (0.5, -20.5), (1, -20.5)])
  func aSizeHasItsOwnLevels(size: Double, loudness: Double) throws {
    let capture = String(decoding: try Captures.bytes("wavenet"), as: UTF8.self)
    let small = capture.replacing("-20.5", with: "-30.5")
    let large = capture.replacing(#""input_level_dbu": 12.5, "#, with: "")
    let text =
      #"{ "architecture": "SlimmableContainer", "metadata": { "loudness": -1, "input_level_dbu": 3 }, "#
      + #""config": { "submodels": [{ "max_value": 0.5, "model": \#(small) }, "#
      + #"{ "max_value": 1, "model": \#(large) }] } }"#
    let document = try ModelDocument.decode(Array(text.utf8), file: "a.nam", size: size)
    #expect(document.levels == .init(loudness: loudness, input: size < 0.5 ? 12.5 : 3, output: 9.25))
    #expect(document.capture?.hasSizes == true)
  }

  @Test(arguments: [
    ("container", true), ("wavenet-slimmable", true), ("wavenet", false), ("sequential", false),
    ("aida", false),
  ])
  func whatHasSizesIsKnown(name: String, hasSizes: Bool) throws {
    #expect(try ModelDocument.decode(try Captures.bytes(name), file: name).capture?.hasSizes == hasSizes)
  }

  /// A network of AIDA-X plays the signal and its knobs; the same in our own words, the knobs in the middle.
  @Test(arguments: [2, 3]) func furtherInputsOfAidaAreKnobs(inputs: Int) throws {
    func matrix(_ rows: Int, _ columns: Int, turned: Bool = false) -> String {
      let numbers = (0..<rows).map { row in
        let line = (0..<columns).map { column in
          let (first, second) = turned ? (column, row) : (row, column)
          return "\(Double((first * 7 + second * 5) % 11 - 5) / 8)"
        }
        return "[" + line.joined(separator: ", ") + "]"
      }
      return numbers.joined(separator: ", ")
    }
    let layers =
      #"{ "type": "lstm", "activation": "tanh", "shape": [null, null, 4], "weights": "#
      + #"[[\#(matrix(inputs, 16))], [\#(matrix(4, 16))], \#(matrix(1, 16))] }, "#
      + #"{ "type": "dense", "activation": "", "shape": [null, null, 1], "#
      + #""weights": [[[0.5], [0.25], [-1], [1]], [0.125]] }"#
    let text =
      #"{ "in_shape": [null, null, \#(inputs)], "in_skip": 1, "in_gain": 6, "out_gain": -3, "#
      + #""layers": [\#(layers)] }"#
    let document = try ModelDocument.decode(Array(text.utf8), file: "a.json")
    let names = inputs == 2 ? ["knob"] : ["knob1", "knob2"]
    #expect(document.parameters.map(\.name) == names)
    #expect(document.parameters.allSatisfy { $0.minimum == 0 && $0.maximum == 1 })
    #expect(document.inputs[0].shape[0].extent == .number(1))
    let knobs = names.map { _ in "broadcast(0.5, [1])" }.joined(separator: ", ")
    let own = """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } },
        "weights": { "w": [\(matrix(16, inputs, turned: true))], "u": [\(matrix(16, 4, turned: true))],
          "b": \(matrix(1, 16)), "h": [[0.5, 0.25, -1, 1]], "hb": [0.125] },
        "graph": { "d": "x * decibelsToGain(6)", "all": "concatenate([d, \(knobs)])",
          "y": "(dense(lstm(all, 'w', 'u', 'b', axis: 0), 'h', 'hb', axis: 0) + d) * decibelsToGain(-3)" },
        "outputs": ["y"] }
      """
    let sound = (0..<60).map { Float(sin(Double($0) * 0.4)) }
    func run(_ document: ModelDocument) throws -> [Double] {
      var graph = try Graph(importing: document, sampleRate: 48_000)
      graph.prewarm = 0
      let result = ReferenceInterpreter(graph.canonical()).run(inputs: [sound], frames: sound.count)
      return result.outputs[0].map(\.value)
    }
    #expect(try run(document) == run(ModelDocument.decode(Array(own.utf8), file: "own.json")))
  }

  /// Two channels in and two out are a signal of two channels.
  @Test func channelsStayChannels() throws {
    let row = "[1, 1, 1, 1, 1, 1]"
    let text =
      #"{ "in_shape": [null, null, 2], "layers": [{ "type": "gru", "activation": "tanh", "#
      + #""shape": [null, null, 2], "weights": [[\#(row), \#(row)], [\#(row), \#(row)], [\#(row), \#(row)]] }] }"#
    let document = try ModelDocument.decode(Array(text.utf8), file: "a.json")
    #expect(document.parameters.isEmpty && document.inputs[0].shape[0].extent == .number(2))
  }

  @Test func furtherInputsAreKnobs() throws {
    let document = try ModelDocument.decode(try Captures.bytes("guitarml-knobs"), file: "a.json")
    #expect(document.parameters.map(\.name) == ["knob1", "knob2"])
    #expect(document.parameters.map(\.defaultValue) == [0.5, 0.5])
    #expect(
      try ModelDocument.decode(try Captures.bytes("guitarml-knob"), file: "a").parameters.map(\.name) == [
        "knob"
      ])
  }

  @Test func knobsAreParameters() throws {
    let document = try ModelDocument.decode(try Captures.bytes("concat-wavenet"), file: "a.nam")
    #expect(document.parameters.map(\.name) == ["Gain_1", "mode"])
    #expect(document.parameters.map(\.maximum) == [10, 2])
    #expect(document.parameters.map(\.ramp) == [0.02, 0])
    #expect(document.parameters[1].description == "mode: 0 clean, 1 crunch, 2 fuzz")
  }
}
