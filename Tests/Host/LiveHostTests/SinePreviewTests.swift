// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LiveHost

@Suite("The wave of the view")
struct SinePreviewTests {
  private func preview(_ graph: String, parameters: String = "", rate: Int = 48000) throws -> SinePreview {
    let model = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": { \(parameters) }, "graph": { \(graph) }, "outputs": ["y"] }
      """)
    let program = try model.compile(channels: 2, sampleRate: Double(rate))
    return try #require(SinePreview(program, rate: rate))
  }

  private static let steps = """
    { "legato": 1, "name": "Test", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x" }, "outputs": ["y"] }
    """

  private func rest(_ preview: SinePreview) {
    // As far as it goes, where it never comes to rest.
    for _ in 0..<100 where !preview.isSettled { preview.advance(atMost: .seconds(1)) }
  }

  @Test("a period goes through, and the parameters that were turned are heard")
  func shape() throws {
    let preview = try preview(
      #""y": "x * gain""#, parameters: #""gain": { "default": 1, "minimum": 0, "maximum": 2 }"#)
    preview.set([("gain", 0.5), ("unknown", 3)])
    rest(preview)
    #expect(preview.isSettled)
    #expect(preview.period == 218 && abs(preview.hertz - 220.18) < 0.01)
    #expect(zip(preview.output, preview.input).allSatisfy { $0 == $1 * 0.5 })
    preview.set([("gain", 2)])
    #expect(!preview.isSettled)
    rest(preview)
    #expect(zip(preview.output, preview.input).allSatisfy { $0 == $1 * 2 })
    // Nothing was turned: nothing is done again.
    preview.set([("gain", 2)])
    #expect(preview.isSettled)
  }

  @Test("a delay turns the wave, however long nothing is heard", arguments: [1, 100, 218, 5000, 48001])
  func delay(_ frames: Int) throws {
    let preview = try preview(#""y": "delay(x, \#(frames))""#)
    preview.set([])
    rest(preview)
    #expect(preview.isSettled)
    let turned = preview.input.indices.map { preview.input[(($0 - frames) % 218 + 218) % 218] }
    #expect(preview.output == turned)
  }

  @Test("what a program is late by is turned back", arguments: [1, 100, 218, 5000])
  func latency(_ frames: Int) throws {
    let preview = try preview(#""y": "lookahead(x, \#(frames))""#)
    preview.set([])
    rest(preview)
    #expect(preview.isSettled)
    // Its output at a frame is the input of so many frames later.
    #expect(preview.output == preview.input.indices.map { preview.input[($0 + frames) % 218] })
  }

  @Test("an echo is given the time until it rests")
  func echo() throws {
    let preview = try preview(#""y": "x + delay(y, 100) * 0.9""#)
    preview.set([])
    rest(preview)
    #expect(preview.isSettled)
    let expected = zip(preview.input.indices, preview.output).allSatisfy { frame, sample in
      abs(preview.input[frame] + 0.9 * preview.output[(frame + 118) % 218] - sample) < 1e-2
    }
    #expect(expected)
  }

  @Test("what never rests is shown as it was last")
  func restless() throws {
    let preview = try preview(#""phase": "(delay(phase, 1) + 0.00001) % 1", "y": "x * phase""#, rate: 8000)
    preview.set([])
    rest(preview)
    #expect(!preview.isSettled)
    #expect(preview.output.contains { $0 != 0 })
  }

  @Test("steps, and programs that hear nothing, have no wave")
  func none() throws {
    #expect(SinePreview(try Model(Self.steps).compile(), rate: 48000) == nil)
  }
}
