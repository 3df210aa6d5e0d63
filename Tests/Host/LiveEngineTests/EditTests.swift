// SPDX-License-Identifier: Apache-2.0

import Foundation
import LiveEngine
import LiveEquipment
import RealtimeCore
import Testing

/// Whatever is edited in the middle of a sine, no click is heard: nothing jumps by more than one and a half times the
/// largest step that the signal itself has before or after.
struct EditTests {
  /// Two versions of a model. Each is edited into the other one.
  struct Edit: CustomTestStringConvertible {
    let what: String
    let one: [String: String]
    let other: [String: String]
    var parameters: ([String: String], [String: String]) = ([:], [:])
    var testDescription: String { what }
  }

  private static let gain = "{ \"default\": 0.5, \"minimum\": 0, \"maximum\": 1 }"
  private static let wide = "{ \"default\": 0.9, \"minimum\": 0.7, \"maximum\": 4 }"

  static let edits = [
    Edit(what: "a coefficient", one: ["y": "0.5 * x"], other: ["y": "0.9 * x"]),
    Edit(what: "the sign", one: ["y": "x"], other: ["y": "-x"]),
    Edit(
      what: "a filter's coefficient", one: ["y": "0.1 * x + 0.9 * delay(y, 1)"],
      other: ["y": "0.4 * x + 0.6 * delay(y, 1)"]),
    Edit(what: "an op", one: ["y": "x"], other: ["y": "tanh(2 * x)"]),
    Edit(
      what: "a filter", one: ["y": "x"],
      other: ["low": "0.1 * x + 0.9 * delay(low, 1)", "y": "2 * x - low"]),
    Edit(what: "a delay", one: ["y": "x"], other: ["y": "0.6 * x + 0.6 * delay(x, 9600)"]),
    Edit(what: "a short delay", one: ["y": "x"], other: ["y": "0.6 * x + 0.6 * delay(x, 700)"]),
    Edit(what: "a delay with a name", one: ["y": "x"], other: ["b": "0.8 * x", "y": "delay(b, 3000)"]),
    Edit(
      what: "an echo", one: ["y": "x"],
      other: ["echo": "x + 0.5 * delay(echo, 7000)", "y": "0.7 * echo"]),
    Edit(what: "a delay's length", one: ["y": "delay(x, 100)"], other: ["y": "delay(x, 14400)"]),
    Edit(
      what: "an echo's length", one: ["y": "x + 0.5 * delay(y, 2000)"],
      other: ["y": "x + 0.5 * delay(y, 11000)"]),
    Edit(
      what: "channels of what is remembered", one: ["y": "delay(x, 5000)"],
      other: [
        "two": "concatenate([reshape(x, [1]), reshape(0.5 * x, [1])], axis: 0)",
        "y": "sum(delay(two, 5000), axis: 0)",
      ]),
    Edit(
      what: "a convolution", one: ["y": "x"],
      other: ["y": "0.3 * (x + delay(x, 13) + delay(x, 99) - delay(x, 300))"]),
    Edit(what: "a parameter", one: ["y": "x"], other: ["y": "x * gain"], parameters: ([:], ["gain": gain])),
    Edit(
      what: "a parameter's name", one: ["y": "x * gain"], other: ["y": "x * level"],
      parameters: (["gain": gain], ["level": wide])),
    Edit(
      what: "a parameter's range", one: ["y": "x * gain"], other: ["y": "x * gain"],
      parameters: (["gain": gain], ["gain": wide])),
    Edit(
      what: "what is sampled", one: ["y": "x * control(gain)"], other: ["y": "0.5 * x / control(gain)"],
      parameters: (["gain": gain], ["gain": gain])),
    Edit(what: "silence", one: ["y": "x"], other: ["y": "0 * x"]),
  ]

  private static func sine(_ hertz: Double) -> [Float] {
    (0..<120_000).map { Float(0.5 * sin(2 * .pi * hertz / 48_000 * Double($0))) }
  }

  private static let sines: [(hertz: Double, samples: [Float])] = [150.0, 440, 3000].map { ($0, sine($0)) }

  @Test(arguments: edits) func doesNotClick(edit: Edit) throws {
    let one = try LiveModels.program(edit.one, parameters: edit.parameters.0)
    let other = try LiveModels.program(edit.other, parameters: edit.parameters.1)
    for (hertz, sine) in Self.sines { try expectNoClick(one, other, sine, "\(hertz) Hz") }
  }

  private func expectNoClick(
    _ one: Program, _ other: Program, _ input: [Float], _ what: String
  ) throws {
    let largest = max(
      try Self.largestStep(rendered(one, input)), try Self.largestStep(rendered(other, input)))
    for (phase, blocks) in [(0, [64]), (37, [441]), (91, [1, 128, 1024])] {
      let playing = try Playing(one, input, blocks: blocks)
      playing.play(to: 20_000 + phase)
      for program in [other, one, other] {
        try playing.post(program)
        playing.play(to: playing.position + 25_000 + phase)
        #expect(!playing.isSwapping && playing.mailbox.collect() != nil)
      }
      playing.play()
      let step = Self.largestStep(playing.output)
      #expect(
        step <= 1.5 * largest, "\(what): \(step / largest) times the largest step, with blocks of \(blocks)")
    }
  }

  static func largestStep(_ samples: [Float]) -> Float {
    // Bare memory is quick in a debug build, too.
    unsafe samples.withUnsafeBufferPointer { samples in
      var largest: Float = 0
      for index in 1..<samples.count {
        largest = max(largest, abs(unsafe samples[index] - samples[index - 1]))
      }
      return largest
    }
  }
}
