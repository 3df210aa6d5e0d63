// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import ModelFiles
import ReferenceInterpreter
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

  /// What is silent of silence hides nothing from the first part that is not; each behind it needs its own time.
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
