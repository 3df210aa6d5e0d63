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
    let size = parts.count > 1 ? 0.0 : 1.0
    let document = try ModelDocument.decode(bytes, file: name, size: size)
    let graph = try Graph(importing: document, sampleRate: 48_000)
    let sound = try #require(Captures.outputs["sound"]).map(Float.init)
    let result = ReferenceInterpreter(graph.canonical()).run(inputs: [sound], frames: sound.count)
    let heard = result.outputs[0].map(\.value)
    let expected = try #require(Captures.outputs[name])
    #expect(heard.count == expected.count)
    for (frame, (one, other)) in zip(heard, expected).enumerated() {
      #expect(abs(one - other) < 1e-6, "\(name), frame \(frame): \(one), and the network makes \(other)")
    }
  }

  /// A network rests before the first frame; what rests of itself needs no silence.
  @Test(arguments: [
    ("wavenet", 30), ("convnet", 7), ("sequential", 7), ("linear", 0), ("lstm", 0), ("container", 6),
  ])
  func silenceRunsBefore(name: String, frames: Int) throws {
    #expect(try ModelDocument.decode(try Captures.bytes(name), file: name).prewarm == frames)
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

  @Test func knobsAreParameters() throws {
    let document = try ModelDocument.decode(try Captures.bytes("concat-wavenet"), file: "a.nam")
    #expect(document.parameters.map(\.name) == ["Gain_1", "mode"])
    #expect(document.parameters.map(\.maximum) == [10, 2])
    #expect(document.parameters.map(\.ramp) == [0.02, 0])
    #expect(document.parameters[1].description == "mode: 0 clean, 1 crunch, 2 fuzz")
  }
}
