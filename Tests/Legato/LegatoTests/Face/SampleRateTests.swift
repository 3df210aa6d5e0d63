// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import LegatoEquipment
import NativeCode
import RealtimeCore
import Testing

/// Models that state the one rate that they are for.
@Suite struct SampleRateTests {
  private static func text(_ rate: String, _ value: String = "x / sampleRate") -> String {
    """
    { "legato": 1, "name": "Rated", \(rate) "inputs": { "x": { "shape": [1, "frames"] } },
      "graph": { "y": "\(value)" }, "outputs": ["y"] }
    """
  }

  private let rated: Model
  private let plain: Model

  init() throws {
    rated = try Model(Self.text(#""sampleRate": 44100,"#), name: "rated.json")
    plain = try Model(Self.text(""), name: "plain.json")
  }

  /// The response to 1: a part of the rate that the program was made for.
  private func played(_ program: Program) throws -> Float {
    var context = try Context(program)
    var samples: [Float] = [1]
    var span = samples.mutableSpan
    context.execute(frames: 1, inPlace: &span)
    return samples[0]
  }

  @Test func aModelIsCompiledForTheRateThatItStates() throws {
    #expect(rated.sampleRate == 44_100 && plain.sampleRate == nil)
    #expect(try played(rated.compile()) == 1 / 44_100)
    #expect(try played(rated.compile(sampleRate: 44_100)) == 1 / 44_100)
    #expect(try played(plain.compile()) == 1 / 48_000)
    #expect(try played(plain.compile(sampleRate: 96_000)) == 1 / 96_000)
    #expect(try rated.graphText().hasPrefix("graph \"Rated\" stream 44100\n"))
    #expect(rated.documentText.contains("\nsampleRate 44100\n"))
    #expect(!plain.documentText.contains("sampleRate 44100"))
  }

  @Test func anotherRateIsAnErrorThatSaysBoth() throws {
    let error = #expect(throws: ModelError.self) { try rated.compile(sampleRate: 48_000) }
    #expect(
      error?.description
        == "rated.json:1:47: the model is for 44100 Hz, and 48000 Hz are asked for; ask for none, and resample the sound"
    )
  }

  @Test func chainsAreForTheRateOfThoseThatStateOne() throws {
    let chain = try plain.then(rated).then(plain)
    #expect(chain.sampleRate == 44_100 && chain.fileOfSampleRate == "rated.json")
    #expect(try chain.with([.mix]).sampleRate == 44_100)
    let other = try Model(Self.text(#""sampleRate": 48000,"#), name: "other.json")
    let error = #expect(throws: ModelError.self) { try chain.then(other) }
    #expect(error?.description.hasPrefix("other.json:1:47: 'Rated' is for 48000 Hz, and ") == true)
  }

  @Test func theBuilderAndTheFileGiveEqualGraphs() throws {
    let builder = GraphBuilder("Rated", sampleRate: 44_100)
    builder.output("y", builder.input("x", channels: 1) / 44_100)
    #expect(try builder.compilation().compiled.source == rated.compilation().compiled.source)
    let steps = GraphBuilder.steps("Rated", sampleRate: 50)
    steps.output("y", steps.input("x", shape: [1]) / 50)
    let file = try Model(
      """
      { "legato": 1, "name": "Rated", "sampleRate": 50, "inputs": { "x": { "shape": [1] } },
        "graph": { "y": "x / sampleRate" }, "outputs": ["y"] }
      """)
    #expect(try steps.compilation().compiled.source == file.compilation().compiled.source)
  }

  @Test func aPartOfAnotherRateIsRefusedByTheBuilder() throws {
    let builder = GraphBuilder("Whole")
    builder.output("y", builder.model(rated, builder.input("x", channels: 1), named: "part"))
    #expect(
      reportedProblems(of: builder) == [
        "Whole: 'part': rated.json:1:47: 'Rated' is for 44100 Hz, and the model that uses it is built for 48000 Hz; "
          + "build it for 44100 Hz, too"
      ])
    let fitting = GraphBuilder("Whole", sampleRate: 44_100)
    fitting.output("y", fitting.model(rated, fitting.input("x", channels: 1), named: "part"))
    #expect(try played(fitting.compile()) == 1 / 44_100)
  }
}
