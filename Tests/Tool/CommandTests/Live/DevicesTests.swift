// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing
import VirtualCards

/// Devices that ALSA's own plugins make out of nothing, as a configuration describes them.
@Suite("Command: devices", .waits)
struct DevicesTests {
  private let tool: Tool
  private let environment: [String: String]

  init() throws {
    tool = try Tool()
    try tool.make(
      "asound.conf",
      """
      pcm.fixed {
        type plug
        slave { pcm { type null } rate 48000 format S16_LE channels 2 }
        hint { show on description "Two channels\nof 16 bits" }
      }
      pcm.wide { type null hint { show on description "Anything" } }
      pcm.missing { type hw card 7 hint { show on description "A card that is not there" } }
      pcm.null { type null hint { show on description "A converter" } }
      pcm.default { type null hint { show on description "The usual" } }
      pcm.quiet { type plug slave { pcm { type null } rate 44100 format FLOAT_LE channels 1 } }
      """)
    // No libLLVM: the list needs none.
    environment = ["ALSA_CONFIG_PATH": tool.path("asound.conf"), "LEGATO_LLVM": "/nonexistent"]
  }

  @Test("a heading for each device, default first, and a line for each direction; ALSA says nothing")
  func table() throws {
    let run = try tool.run("devices", environment: environment)
    #expect(run.code == 0 && run.messages.isEmpty)
    #expect(
      run.output == """
        default  The usual
          capture   FLOAT S32 S24_3 S24 S16  any rate  1 or more channels  periods of 1 or more
          playback  FLOAT S32 S24_3 S24 S16  any rate  1 or more channels  periods of 1 or more
        fixed  Two channels of 16 bits
          capture   S16                      48000 Hz  2 channels          periods of 1 or more
          playback  S16                      48000 Hz  2 channels          periods of 1 or more
        wide  Anything
          capture   FLOAT S32 S24_3 S24 S16  any rate  1 or more channels  periods of 1 or more
          playback  FLOAT S32 S24_3 S24 S16  any rate  1 or more channels  periods of 1 or more
        missing  A card that is not there
          capture  no such device
          playback  no such device

        """)
  }

  @Test("the same as JSON")
  func json() throws {
    let run = try tool.run("devices", "--json", environment: environment)
    #expect(run.code == 0 && run.messages.isEmpty)
    let rows = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    #expect(rows.compactMap { $0["name"] as? String } == ["default", "fixed", "wide", "missing"])
    let fixed = try #require(rows[1]["playback"] as? [String: Any])
    #expect(rows[1]["description"] as? String == "Two channels of 16 bits")
    #expect(fixed["formats"] as? [String] == ["S16"])
    #expect(fixed["rates"] as? [Int] == [48000])
    #expect(fixed["minimumRate"] as? Int == 48000 && fixed["maximumRate"] as? Int == 48000)
    #expect(fixed["channels"] as? [[Int]] == [[2, 2]])
    #expect(fixed["access"] as? [String] == ["interleaved", "planar", "mapped interleaved", "mapped planar"])
    #expect((fixed["periods"] as? [Int])?.count == 2 && (fixed["buffers"] as? [Int])?.count == 2)
    #expect((rows[3]["capture"] as? [String: Any])?["problem"] as? String == "no such device")
  }

  @Test("devices that are asked for by name, listed or not")
  func named() throws {
    let run = try tool.run("devices", "quiet", "wide", "null", environment: environment)
    #expect(run.code == 0 && run.messages.isEmpty)
    let headings = run.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    #expect(headings == ["quiet", "wide  Anything", "null"])
    #expect(run.output.contains("  capture   FLOAT                    44100 Hz  1 channel "))
  }

  @Test(
    "devices that are not there: a line for each with the nearest name, the others are shown, and exit code 3"
  )
  func missing() throws {
    let run = try tool.run("devices", "fixd", "wide", "missing", "hw:0", environment: environment)
    #expect(run.code == 3)
    #expect(
      run.lines == [
        "fixd: no such device; did you mean fixed?", "missing: no such device",
        "hw:0: no such device; legato devices lists those that there are",
      ])
    #expect(run.output.hasPrefix("wide  Anything\n"))
  }

  @Test(
    "strange names are no danger",
    arguments: ["hw:{", "'", "hw:0'", "../x", "a b", "@", "plug:\"", "{}", "wide:1,2", "x:=", "x:a,=="])
  func strange(_ name: String) throws {
    let run = try tool.run("devices", name, environment: environment)
    #expect(run.code == 3 && run.output.isEmpty && run.lines.count == 1)
    #expect(run.lines.first?.hasPrefix(name + ": ") == true)
  }

  @Test("no device at all: one line, an empty list, and no error")
  func none() throws {
    try tool.make("empty.conf", "pcm.null { type null hint { show on } }\n")
    let environment = ["ALSA_CONFIG_PATH": tool.path("empty.conf")]
    for json in [false, true] {
      let run = try tool.run(["devices"] + (json ? ["--json"] : []), environment: environment)
      #expect(run.code == 0 && run.output == (json ? "[\n\n]\n" : ""))
      #expect(
        run.lines == [
          "devices: there are none: ALSA finds no card, and its configuration names no other device"
        ])
    }
    #expect(try tool.run("devices", "--quiet", environment: environment).messages.isEmpty)
  }

  @Test("a card, one direction of which is busy: what is free is shown, and why the other is not")
  func card() throws {
    var settings = CardSettings()
    settings.capture.busy = 1
    settings.playback.rates = [44100, 48000]
    settings.playback.formats = [.integer16, .packed24]
    settings.playback.channels = [2, 6]
    let card = try VirtualCard(settings)
    let run = try tool.run("devices", "duplex", environment: card.environment)
    #expect(run.code == 0 && run.messages.isEmpty)
    let lines = run.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3)
    #expect(lines[0] == "duplex  Legato's virtual card")
    #expect(
      lines[1].hasPrefix("  capture ") && lines[1].contains("the device is busy: another program has it open")
    )
    #expect(lines[2].hasPrefix("  playback  S24_3 S16  44100 and 48000 Hz  2 or 6 channels  periods of "))

    settings.capture.busy = 9
    settings.playback.busy = 9
    let busy = try VirtualCard(settings)
    let refused = try tool.run("devices", "duplex", environment: busy.environment)
    #expect(refused.code == 3 && refused.output.isEmpty)
    #expect(
      refused.lines == [
        "duplex: the device is busy: another program has it open; close it, or choose another device"
      ])
  }

  @Test("a configuration that is broken: its file and line, and exit code 1")
  func broken() throws {
    try tool.make("broken.conf", "pcm.x {\n")
    let run = try tool.run("devices", environment: ["ALSA_CONFIG_PATH": tool.path("broken.conf")])
    #expect(run.code == 1 && run.output.isEmpty && run.lines.count == 1)
    #expect(
      run.lines.first?.hasPrefix("ALSA: the configuration cannot be read: \(tool.path("broken.conf"))")
        == true)
  }
}
