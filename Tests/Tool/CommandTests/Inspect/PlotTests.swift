// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Command: plot", .waits)
struct PlotTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  /// A model with one parameter, `gain`, from -100 to 100, where the graph reads it.
  private static func model(_ graph: String, shape: String = #"["frames"]"#, outputs: String = #""y""#)
    -> String
  {
    let gain = graph.contains("gain") ? #""gain": { "default": 1, "minimum": -100, "maximum": 100 }"# : ""
    return """
      { "legato": 1, "name": "Test <&>", "inputs": { "x": { "shape": \(shape) } },
        "parameters": { \(gain) },
        "graph": { \(graph) }, "outputs": [\(outputs)] }
      """
  }

  private func sine(_ hertz: Double, _ amplitude: Float = 1, channels: Int = 1, seconds: Double = 0.5)
    -> Sound
  {
    let row = (0..<Int(48_000 * seconds)).map {
      amplitude * Float(sin(2 * .pi * hertz * Double($0) / 48_000))
    }
    return Sound(samples: Array(repeating: row, count: channels))
  }

  private func isXML(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }

  // MARK: Two sounds

  private struct Report: Decodable {
    struct Figures: Decodable {
      let peakDecibels, rmsDecibels, crestDecibels: Double?
      let mean: Double
      let fullScaleSamples, nonFiniteSamples: Int
    }
    struct Sound: Decodable {
      let sampleRate, channels, frames: Int
      let all: Figures
      let eachChannel: [Figures]
    }
    let input, output: Sound
  }

  @Test("the numbers of two sounds of different rates, channels and lengths, and their picture")
  func sounds() throws {
    try sine(1000).write(tool.path("a.wav"))
    var other = sine(2000, 0.5, channels: 2, seconds: 0.25)
    other.samples[1] = other.samples[1].map { _ in 0 }
    other.sampleRate = 96_000
    try other.write(tool.path("b <&>.wav"))
    let run = try tool.run("plot", "a.wav", "b <&>.wav", "-o", "c.svg", "--json")
    #expect(run.code == 0 && run.lines.count == 1 && run.messages.hasPrefix("c.svg: "), "\(run.messages)")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    let (before, after) = (report.input.all, report.output.all)
    #expect(abs(try #require(before.peakDecibels)) < 1e-3)
    #expect(abs(try #require(before.rmsDecibels) + 3.0103) < 1e-3)
    #expect(abs(try #require(before.crestDecibels) - 3.0103) < 1e-3)
    #expect(abs(before.mean) < 1e-6)
    // Twelve is a quarter of 48: each cycle of 48 frames has its highest and its lowest on a frame.
    #expect(before.fullScaleSamples == 1000 && after.fullScaleSamples == 0)
    #expect(abs(try #require(after.peakDecibels) + 6.0206) < 1e-3)
    #expect(abs(try #require(after.rmsDecibels) + 12.041) < 1e-3)
    #expect(
      report.output.eachChannel[1].peakDecibels == nil && report.output.eachChannel[1].rmsDecibels == nil)
    #expect(
      report.output.sampleRate == 96_000 && report.output.channels == 2 && report.output.frames == 12_000)
    let picture = String(decoding: try tool.bytes("c.svg"), as: UTF8.self)
    #expect(isXML(picture))
    for text in [
      ">before: a.wav<", ">after: b &lt;&amp;&gt;.wav<", "peak 0.0 dBFS · RMS −3.0 dBFS · crest 3.0 dB",
      "1000 samples at full scale", "nothing clipped", ">20 kHz<",
      ">0.12 s, 2 channels at 96000 Hz, 32 bit float<",
    ] { #expect(picture.contains(text), "\(text)") }
    // The same picture on the standard output.
    for words in [[], ["-o", "-"]] {
      let printed = try tool.run(["plot", "a.wav", "b <&>.wav"] + words)
      #expect(printed.output == picture && printed.messages.isEmpty)
    }
    #expect(try tool.names == ["a.wav", "b <&>.wav", "c.svg"])
  }

  @Test("one of the sounds may come through a pipe")
  func pipe() throws {
    try sine(1000, channels: 2).write(tool.path("a.wav"))
    let run = try tool.shell(
      "$LEGATO process --quiet \(Tool.bitcrusher) a.wav - --set dryWet=0 | $LEGATO plot a.wav - --json")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.output.frames == report.input.frames)
    #expect(report.output.all.rmsDecibels == report.input.all.rmsDecibels)
    let raw = try tool.shell(
      "$LEGATO process --quiet \(Tool.bitcrusher) a.wav - --set dryWet=0 --raw 48000:2"
        + " | $LEGATO plot - a.wav --json --raw 48000:2")
    #expect(raw.code == 0 && raw.messages.isEmpty, "\(raw.messages)")
    let same = try JSONDecoder().decode(Report.self, from: Data(raw.output.utf8))
    #expect(same.input.frames == report.input.frames && same.input.channels == 2)
    #expect(same.input.all.rmsDecibels == report.input.all.rmsDecibels)
  }

  @Test("names may hold any bytes, and neither break a line nor the picture")
  func names() throws {
    try sine(1000).write(tool.path("a.wav"))
    let run = try tool.shell(
      #"cp a.wav "$(printf 'caf\351\n\033.wav')" && $LEGATO plot a.wav "$(printf 'caf\351\n\033.wav')""#)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(isXML(run.output) && run.output.contains(#">after: caf\xE9\n\x1B.wav<"#))
    let missing = try tool.shell(#"$LEGATO plot a.wav "$(printf 'n\351\n.wav')""#)
    #expect(missing.code == 1 && missing.lines == [#"n\xE9\n.wav: no such file"#])
  }

  @Test("samples that are no numbers are counted, said, and drawn as silence")
  func nonFinite() throws {
    let sound = Sound(samples: [[0.25, 0.75, -0.25, 0.25]])
    try sound.write(tool.path("a.wav"))
    var bytes = [UInt8](try tool.bytes("a.wav"))
    let place = try #require(
      bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [0, 0, 0x40, 0x3F] })
    bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0xC0, 0x7F])
    try Data(bytes).write(to: URL(fileURLWithPath: tool.path("b.wav")))
    let run = try tool.run("plot", "a.wav", "b.wav", "--json")
    #expect(run.code == 0 && run.lines == ["b.wav: 1 sample infinite or not a number, drawn as silence"])
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.output.all.nonFiniteSamples == 1 && report.input.all.nonFiniteSamples == 0)
    #expect(abs(try #require(report.output.all.peakDecibels) + 12.0412) < 1e-3)
  }

  @Test("silence can be drawn")
  func silence() throws {
    try Sound(samples: [[0]]).write(tool.path("a.wav"))
    let run = try tool.run("plot", "a.wav", "a.wav")
    #expect(
      run.code == 0 && run.output.contains("peak silent") && isXML(run.output))
    #expect(!run.output.lowercased().contains("nan") && !run.output.contains("inf"))
  }

  // MARK: Models

  private struct Response: Decodable {
    struct Gain: Decodable { let hertz: Double, decibels: Double? }
    struct Pair: Decodable { let input, output: Double }
    struct Channel: Decodable {
      let name: String
      let frequencyResponse: [Gain]
      let impulseResponse: [Double]
      let transfer: [Pair]
    }
    let levelDependenceDecibels, transferHysteresis: Double
    let channels: [Channel]
  }

  private func response(_ text: String, _ words: String...) throws -> (Response, String) {
    try tool.make("m.json", text)
    let run = try tool.run(["plot", "--model", "m.json", "-o", "m.svg", "--force", "--json"] + words)
    #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
    let picture = String(decoding: try tool.bytes("m.svg"), as: UTF8.self)
    #expect(isXML(picture))
    return (try JSONDecoder().decode(Response.self, from: Data(run.output.utf8)), picture)
  }

  @Test("a filter: its response is the one that its formula has, and no level changes it")
  func onePole() throws {
    let (response, picture) = try response(
      Self.model(#""y": "0.2 * x + 0.8 * delay(y, 1)""#), "--rate", "8000")
    let channel = response.channels[0]
    #expect(response.channels.count == 1 && channel.frequencyResponse.count > 300)
    let errors = try channel.frequencyResponse.map { gain in
      let angle = 2 * Double.pi * gain.hertz / 8000
      return abs(try #require(gain.decibels) - 10 * log10(0.04 / (1 - 1.6 * cos(angle) + 0.64)))
    }
    #expect((errors.max() ?? 1) < 0.1)
    let differences = channel.impulseResponse.enumerated().map { abs($1 - 0.2 * pow(0.8, Double($0))) }
    #expect((differences.max() ?? 1) < 1e-6)
    #expect(response.levelDependenceDecibels < 0.05)
    #expect(
      picture.contains(">linear: the same at −40, −20 and 0 dBFS<") && picture.contains("Test &lt;&amp;&gt;"))
  }

  @Test("a saturation: its transfer curve is the one that its formula has, and levels matter")
  func saturation() throws {
    let (response, picture) = try response(
      Self.model(#""y": "tanh(x * gain)""#), "--rate", "1000", "--set", "gain=3")
    let transfer = response.channels[0].transfer
    #expect(transfer.first?.input == -1 && transfer.contains { $0.input == 1 } && transfer.last?.input == -1)
    let errors = transfer.map { point in abs(point.output - tanh(3 * point.input)) }
    #expect(try #require(errors.max()) < 1e-6)
    #expect(response.transferHysteresis < 1e-6)
    #expect(response.levelDependenceDecibels > 3)
    #expect(picture.contains("depends on the level: up to ") && picture.contains(">gain 3<"))
    #expect(picture.contains(">at −20 dBFS, drawn as of an impulse of 1<"))
    // A quiet sine passes with the slope at 0.
    let (quiet, other) = try self.response(
      Self.model(#""y": "tanh(x * gain)""#), "--rate", "1000", "--level", "-60.5dB")
    #expect(other.contains(">at −60.5 dBFS, drawn as of an impulse of 1<"))
    let gains = try quiet.channels[0].frequencyResponse.map { try #require($0.decibels) }
    #expect((gains.map(abs).max() ?? 1) < 0.01)
  }

  @Test("each channel has its line, and what a model plays by itself is no part of its response")
  func channels() throws {
    let text = Self.model(#""y": "concatenate([x, x * -0.5]) + 0.25""#, shape: #"[1, "frames"]"#)
    let (response, picture) = try response(text, "--rate", "1000")
    #expect(response.channels.map(\.name) == ["y 1", "y 2"])
    for (channel, gain) in zip(response.channels, [1, 0.5]) {
      let errors = try channel.frequencyResponse.map { abs(try #require($0.decibels) - 20 * log10(gain)) }
      #expect((errors.max() ?? 1) < 0.01)
    }
    #expect(abs(response.channels[1].impulseResponse[0] + 0.5) < 1e-6)
    #expect(response.channels[1].transfer[0].output == 0.75)
    #expect(picture.contains(">y 2<") && picture.contains("plays by itself"))
    let one = try self.response(text, "--rate", "1000", "--outputs", "2").0
    #expect(one.channels.map(\.name) == ["y 2"] && abs(one.channels[0].impulseResponse[0] + 0.5) < 1e-6)
  }

  @Test("models in series answer as one, with what is set in each")
  func chain() throws {
    try tool.make("half.json", Self.model(#""y": "x * 0.5 * gain""#))
    let (response, picture) = try response(
      Self.model(#""y": "x * gain""#), "--rate", "1000", "--then", "half.json", "--set", "2.gain=0.5",
      "--set", "1.gain=-1")
    let gains = try response.channels[0].frequencyResponse.map { try #require($0.decibels) }
    let expected = -20 * log10(4.0)
    let errors = gains.map { gain in abs(gain - expected) }
    #expect(try #require(errors.max()) < 0.01)
    #expect(abs(response.channels[0].impulseResponse[0] + 0.25) < 1e-6)
    #expect(picture.contains("2.gain 0.5"))
    let refused = try tool.run(
      "plot", "--model", "m.json", "--then", "half.json", "-o", "half.json", "--force")
    #expect(refused.code == 2)
    #expect(refused.lines == ["plot: 'half.json' is what the result is made of; name another file"])
  }

  @Test("a model that makes nothing of its input is silent")
  func deaf() throws {
    let (response, picture) = try response(Self.model(#""y": "x * 0""#), "--rate", "1000")
    #expect(response.channels[0].frequencyResponse.allSatisfy { $0.decibels == nil })
    #expect(picture.contains(">silent at this level<") && !picture.contains("inf"))
  }

  @Test("numbers without a picture are of as many channels as there are")
  func manyChannels() throws {
    try tool.make("many.json", Self.model(#""y": "x * 2""#, shape: #"[8, "frames"]"#))
    let run = try tool.run("plot", "--model", "many.json", "--rate", "1000", "--json")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let channels = try JSONDecoder().decode(Response.self, from: Data(run.output.utf8)).channels
    #expect(channels.map(\.name) == (1...8).map { "y \($0)" })
    #expect(channels.allSatisfy { $0.transfer.last?.output == -2 })
  }

  @Test("the shipped models are drawn, the same each time", arguments: ["bitcrusher", "echo", "amplifier"])
  func shipped(_ name: String) throws {
    let words = ["plot", "--model", Tool.package + "/models/\(name).json", "--rate", "2000"]
    let run = try tool.run(words)
    #expect(run.code == 0 && run.messages.isEmpty && isXML(run.output))
    #expect(try tool.run(words).output == run.output)
    // The bitcrusher is silent where the amplifier and the echo are not.
    #expect(run.output.contains("60 dB or more") == (name == "bitcrusher"))
  }
}
