// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Legato
import RealtimeCore
import TestEquipment
import Testing

@testable import LegatoTool

/// No graph is planned with a latency: a delay says here that it is one.
@Suite("Rendering a program that is late")
struct LatencyTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  private func late(by frames: Int) throws -> Program {
    let text = TestModels.model(shape: #"["frames"]"#, graph: "\"y\": \"delay(x, \(frames))\"")
    let program = try Model(text).compile()
    var layout = program.layout
    layout.latency = frames
    return unsafe try Program(
      name: "late", layout: layout, entry: program.entry, weights: program.weights, owner: program)
  }

  @Test(
    "the output stands where the input stood, in any blocks",
    arguments: [1, 3, 64, 4096], [0, 1, 2, 63, 64, 65, 5000])
  func aligned(_ block: Int, _ frames: Int) throws {
    let sound = Sound.waves(channels: 1, frames: frames)
    try sound.write(tool.path("in.wav"))
    for (latency, tail) in [(1, 0), (64, 0), (200, 0), (64, 30)] {
      let renderer = try Renderer(
        late(by: latency), contexts: 1, channels: 1, inputs: [0], outputs: [0], block: block)
      var options = AudioFileWriter.Options()
      options.replaceExisting = true
      let writer = try AudioFileWriter(
        path: tool.path("a.wav"), channels: 1, sampleRate: 48_000, options: options)
      let seconds = Double(tail) / 48_000
      try renderer.render(
        SoundSource(AudioFileReader(path: tool.path("in.wav"))), to: SoundSink(writer, channels: 1),
        tail: .seconds(seconds)
      ) { _, _ in }
      try writer.finish()
      let silence = [Float](repeating: 0, count: tail)
      #expect(try Sound.read(tool.path("a.wav")).samples == [sound.samples[0] + silence], "\(latency)")
    }
  }

  @Test("the last frame that is audible is found where it will stand")
  func audible() throws {
    try Sound(samples: [[0, 0.5, 0.25, 0, 0]]).write(tool.path("in.wav"))
    for latency in [1, 200] {
      let renderer = try Renderer(
        late(by: latency), contexts: 1, channels: 1, inputs: [0], outputs: [0], block: 64)
      let path = tool.path("\(latency).wav")
      let writer = try AudioFileWriter(path: path, channels: 1, sampleRate: 48_000)
      try renderer.render(
        SoundSource(AudioFileReader(path: tool.path("in.wav"))), to: SoundSink(writer, channels: 1),
        tail: .audible
      ) { _, _ in }
      try writer.finish()
      #expect(try Sound.read(path).samples == [[0, 0.5, 0.25, 0, 0]])
    }
  }
}
