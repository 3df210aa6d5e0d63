// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Legato
import LiveEngine
import TestEquipment
import Testing

@testable import LiveHost

@Suite("MIDI", .waits)
struct MIDITests {
  private static let text = """
    { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
      "parameters": {
        "drive": { "default": 0.5, "minimum": 0, "maximum": 1, "midi": 21 },
        "cutoff": { "default": 440, "minimum": 20, "maximum": 20480, "unit": "Hz", "scale": "logarithmic", "midi": 22 },
        "tone": { "default": 0, "minimum": -1, "maximum": 1 } },
      "graph": { "y": "x * drive * cutoff + tone" }, "outputs": ["y"],
      "presets": { "Low": { "cutoff": 20 }, "Loud": { "drive": 1 } } }
    """

  private final class Queue {
    var events: [MIDIEvent] = []
  }

  /// A player, and the events that are sent to it.
  private final class Rig {
    let control: LiveControl
    let midi: MIDIControl
    private let send: ([MIDIEvent]) -> Void

    init(_ maps: [String] = [], pickup: Bool = false) throws {
      let model = try Model(MIDITests.text).with([.bypass])
      let playing = try LiveProgram(
        try model.compile(), contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 64)
      var map = MIDIMap(model)
      try map.add(maps, of: model)
      control = LiveControl(model, playing)
      let queue = Queue()
      midi = MIDIControl(control, map, pickup: pickup, descriptors: []) {
        queue.events.isEmpty ? nil : queue.events.removeFirst()
      }
      send = { queue.events += $0 }
    }

    func turn(_ events: MIDIEvent...) {
      send(events)
      midi.take()
    }

    func value(_ name: String) throws -> Float { control.value(of: try #require(control.knob(named: name))) }
  }

  private func cc(_ number: Int, _ value: Int, on channel: Int = 1) -> MIDIEvent {
    .control(channel: channel, number: number, value: value)
  }

  @Test("a controller turns what the model says, along the parameter's scale")
  func model() throws {
    let rig = try Rig()
    rig.turn(cc(21, 127), cc(22, 0, on: 7), cc(23, 3))
    #expect(try rig.value("drive") == 1)
    #expect(try rig.value("cutoff") == 20)
    rig.turn(cc(21, 0), cc(22, 127))
    #expect(try rig.value("drive") == 0)
    #expect(try rig.value("cutoff") == 20480)
    rig.turn(cc(22, 64))
    let ratio = try rig.value("cutoff") / 20
    #expect(abs(ratio - Float(pow(1024, 64.0 / 127))) < 0.01)
    #expect(try rig.value("tone") == 0)
    #expect(rig.control.controllers == ["drive": "CC 21", "cutoff": "CC 22"])
  }

  @Test("the command line goes before the model, a channel before any")
  func mapping() throws {
    let rig = try Rig(["50=drive", "2:22=tone", "51=bypass", "50=tone"])
    rig.turn(cc(21, 0), cc(50, 127), cc(51, 127))
    #expect(try rig.value("drive") == 1)
    #expect(try rig.value("tone") == 1)
    #expect(rig.control.isBypassed == true)
    rig.turn(cc(22, 0, on: 2))
    #expect(try rig.value("tone") == -1)
    #expect(try rig.value("cutoff") == 440)
    rig.turn(cc(22, 127, on: 3))
    #expect(try rig.value("cutoff") == 20480)
    #expect(rig.control.controllers["tone"] == "CC 2:22, CC 50")
  }

  @Test(
    "what a map cannot mean is said",
    arguments: [
      ("21", "map takes CONTROLLER=NAME"), ("120=drive", "map takes CONTROLLER=NAME"),
      ("17:1=drive", "map takes CONTROLLER=NAME"), ("0:1=drive", "map takes CONTROLLER=NAME"),
      ("1:2:3=drive", "map takes CONTROLLER=NAME"), ("=drive", "map takes CONTROLLER=NAME"),
      ("21=drve", "'Test' has no parameter 'drve'; did you mean 'drive'?"),
      ("21=", "'Test' has no parameter ''"),
    ])
  func refusals(_ text: String, _ message: String) throws {
    let model = try Model(Self.text)
    var map = MIDIMap(model)
    #expect {
      try map.add([text], of: model)
    } throws: { error in
      (error as? RequestError)?.description.contains(message) == true
    }
  }

  @Test("fine halves make 16,384 places of 128")
  func pairs() throws {
    let rig = try Rig()
    // A fine half before any coarse one says nothing.
    rig.turn(cc(53, 127))
    #expect(try rig.value("drive") == 0.5)
    rig.turn(cc(21, 64))
    #expect(try rig.value("drive") == Float(64.0 / 127))
    rig.turn(cc(53, 1))
    #expect(try rig.value("drive") == Float(Double(64 << 7 | 1) / 16383))
    rig.turn(cc(21, 127), cc(53, 127))
    #expect(try rig.value("drive") == 1)
    // A coarse half begins anew, on its channel.
    rig.turn(cc(21, 65))
    #expect(try rig.value("drive") == Float(Double(65 << 7) / 16383))
    rig.turn(cc(21, 127, on: 2))
    #expect(try rig.value("drive") == 1)
    rig.turn(.wideControl(channel: 1, number: 21, value: 0))
    #expect(try rig.value("drive") == 0)
    // A controller of its own is no half.
    let own = try Rig(["53=tone"])
    own.turn(cc(21, 64), cc(53, 127))
    #expect(try own.value("drive") == Float(64.0 / 127))
    #expect(try own.value("tone") == 1)
  }

  @Test("the next controller that moves is learnt, and turns nothing else")
  func learning() throws {
    let rig = try Rig()
    var said: [String] = []
    rig.midi.learnt = { said.append("\($0) turns \($1)") }
    rig.midi.learn("tone")
    rig.turn(.program(channel: 1, number: 9), cc(120, 0), cc(22, 127, on: 5), cc(23, 0, on: 5))
    #expect(said == ["CC 5:22 turns tone"])
    #expect(try rig.value("tone") == 1)
    #expect(try rig.value("cutoff") == 440)
    rig.midi.learn("drive")
    rig.midi.learn(nil)
    rig.turn(cc(30, 0))
    #expect(try rig.value("drive") == 0.5 && said.count == 1)
    // It moves on with the parameter.
    rig.midi.learn("tone")
    rig.turn(cc(40, 0))
    #expect(try rig.value("tone") == -1)
    rig.turn(cc(22, 127, on: 5))
    #expect(try rig.value("tone") == -1)
    #expect(rig.control.controllers == ["drive": "CC 21", "tone": "CC 1:40"])
    // What was learnt outlives the model.
    let other = try Model(Self.text.replacingOccurrences(of: #""midi": 22"#, with: #""midi": 99"#))
    rig.control.replace(
      other, try LiveProgram(try other.compile(), contexts: 1, inputs: [0], outputs: [0], block: 64))
    #expect(rig.control.controllers == ["drive": "CC 21", "cutoff": "CC 99", "tone": "CC 1:40"])
    #expect(rig.control.isBypassed == nil && rig.control.generation == 1)
    rig.turn(cc(40, 127), cc(99, 0))
    #expect(try rig.value("tone") == 1 && rig.value("cutoff") == 20)
  }

  @Test("a controller that picks up waits until it passes the value")
  func pickup() throws {
    let rig = try Rig(pickup: true)
    rig.turn(cc(21, 10))
    rig.turn(cc(21, 40))
    #expect(try rig.value("drive") == 0.5)
    rig.turn(cc(21, 100))
    #expect(try rig.value("drive") == Float(100.0 / 127))
    rig.turn(cc(21, 5))
    #expect(try rig.value("drive") == Float(5.0 / 127))
    // Somebody else turns it: it has to be picked up anew.
    rig.control.set("drive", to: 0.9)
    rig.turn(cc(21, 6))
    #expect(try rig.value("drive") == 0.9)
    rig.turn(cc(21, 120))
    #expect(try rig.value("drive") == Float(120.0 / 127))
    // Without, it jumps.
    let jumping = try Rig()
    jumping.turn(cc(21, 10))
    #expect(try jumping.value("drive") == Float(10.0 / 127))
  }

  @Test("a program is a preset; what that leaves out has its default, but a bypass stays")
  func presets() throws {
    let rig = try Rig()
    rig.control.toggleBypass()
    rig.turn(cc(21, 0), .program(channel: 3, number: 0))
    #expect(try rig.value("cutoff") == 20 && rig.value("drive") == 0.5 && rig.control.preset == 0)
    #expect(rig.control.isBypassed == true)
    rig.turn(.program(channel: 3, number: 1), cc(22, 127), .program(channel: 1, number: 2))
    #expect(try rig.value("drive") == 1 && rig.value("cutoff") == 20480 && rig.control.preset == 1)
  }

  @Test("a value that is typed is taken with its unit, or refused")
  func typing() throws {
    let rig = try Rig()
    try rig.control.set("cutoff", typed: "1.5kHz")
    #expect(try rig.value("cutoff") == 1500)
    #expect(throws: RequestError.self) { try rig.control.set("cutoff", typed: "1.5dB") }
    #expect(throws: RequestError.self) { try rig.control.set("cutoff", typed: "5") }
    #expect(try rig.value("cutoff") == 1500)
  }
}
