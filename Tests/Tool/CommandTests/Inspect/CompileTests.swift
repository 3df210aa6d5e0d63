// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing

@Suite("Command: compile", .waits)
struct CompileTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("an object and a header, named for the model's file")
  func both() throws {
    let run = try tool.run("compile", Tool.bitcrusher, "--cpu", "x86-64-v3")
    #expect(run.code == 0 && run.output.isEmpty)
    #expect(run.messages.hasPrefix("bitcrusher.o, bitcrusher.h: bitcrusher_execute for x86-64-v3, 1 channel"))
    #expect(try tool.names == ["bitcrusher.h", "bitcrusher.o"])
    #expect(try tool.bytes("bitcrusher.o").prefix(4) == Data([0x7F, 0x45, 0x4C, 0x46]))
    let header = String(decoding: try tool.bytes("bitcrusher.h"), as: UTF8.self)
    for part in [
      "#define BITCRUSHER_PARAMETERS 4\n", "BITCRUSHER_PARAMETER_SATURATION_GAIN = 1,",
      "1 to 256 levels, 8 at first",
      "#define BITCRUSHER_INPUT_ROWS 1\n",
    ] { #expect(header.contains(part), "\(part)") }
  }

  @Test("an axis is as long as --bind says, and no other is called so")
  func bound() throws {
    try tool.make(
      "twice.json",
      """
      { "legato": 1, "name": "Twice", "inputs": { "x": { "shape": ["n"] } }, "graph": { "y": "2 * x" },
        "outputs": ["y"] }
      """)
    let made = try tool.run("compile", "twice.json", "--bind", "n=5")
    let header = String(decoding: try tool.bytes("twice.h"), as: UTF8.self)
    #expect(made.code == 0 && header.contains("TWICE_INPUT_PORT_X_LENGTH 5\n"), "\(made.messages)")
    #expect(try tool.run("verify", "twice.json", "--bind", "n=5", "--blocks", "0").code == 0)
    let asked = try tool.run("run", "twice.json", "--bind", "n=5")
    #expect(asked.output.contains("legato run twice.json --bind n=5 --input x=FILE"), "\(asked.output)")
    let none = try tool.run("compile", "twice.json", "--bind", "n=0", "--force")
    #expect(none.code == 2 && none.messages.hasPrefix("compile: --bind n=0: "), "\(none.messages)")
    for name in ["compile", "verify", "inspect"] {
      let refused = try tool.run(name, "twice.json", "--bind", "m=5")
      #expect(refused.code == 2 && refused.messages == "\(name): no axis is called 'm'; there is 'n'\n")
    }
  }

  @Test("a target, a place and a name of one's own")
  func chosen() throws {
    let words = [
      "compile", Tool.bitcrusher, "--target", "aarch64-linux-gnu", "-o", "wah.o", "--symbol", "Wah",
    ]
    let run = try tool.run(words + ["--channels", "2"])
    #expect(run.code == 0 && run.messages.contains("Wah_execute for aarch64, 2 channels"))
    // The machine's number in the header of an ELF file.
    #expect(try tool.bytes("wah.o")[18] == 183)
    let header = String(decoding: try tool.bytes("wah.h"), as: UTF8.self)
    #expect(header.contains("void Wah_execute(") && header.contains("__aarch64__"))
  }

  /// Sets and dictionaries have another order in each process.
  @Test("each process makes the same bytes of a model", arguments: ["eq8", "phaser", "compressor", "delay"])
  func isDeterministic(_ model: String) throws {
    let copies = try ["a", "b", "c"].map { name in
      let run = try tool.run(
        "compile", Tool.package + "/models/\(model).json", "-o", "\(name).o", "--symbol", "effect")
      #expect(run.code == 0, "\(run.messages)")
      return try tool.bytes("\(name).o")
    }
    #expect(copies[0].count > 1000 && Set(copies).count == 1)
  }

  @Test("what exists stays without --force, both or none", arguments: ["bitcrusher.o", "bitcrusher.h"])
  func exists(_ name: String) throws {
    try tool.make(name, "precious")
    let run = try tool.run("compile", Tool.bitcrusher)
    #expect(run.code == 1 && run.lines == ["\(name): the file exists; --force replaces it"])
    #expect(try tool.names == [name] && tool.bytes(name) == Data("precious".utf8))
    #expect(try tool.run("compile", Tool.bitcrusher, "--force").code == 0)
    #expect(try tool.names == ["bitcrusher.h", "bitcrusher.o"] && tool.bytes(name) != Data("precious".utf8))
  }

  @Test("a model that is wrong, and a place that is none, leave nothing")
  func failures() throws {
    try tool.make("m.json", "{")
    #expect(try tool.run("compile", "m.json").code == 1)
    #expect(
      try tool.run("compile", Tool.bitcrusher, "-o", "nowhere/x.o").lines == ["nowhere: no such folder"])
    #expect(try tool.names == ["m.json"])
  }

  @Test("code for size is smaller, and sounds the same")
  func size() throws {
    func bytes(_ goal: String) throws -> Int {
      let run = try tool.run("inspect", Tool.bitcrusher, "--json", "--optimize", goal, "--cpu", "x86-64-v3")
      return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).codeBytes
    }
    #expect(try bytes("size") * 3 < bytes("speed") * 2)
    for goal in ["speed", "size"] {
      let words = [
        "process", Tool.bitcrusher, Tool.sound, "\(goal).wav", "--optimize", goal, "--set", "resolution=5",
      ]
      #expect(try tool.run(words).code == 0)
    }
    #expect(try tool.bytes("speed.wav") == tool.bytes("size.wav"))
  }

  private struct Report: Decodable { let codeBytes: Int }
}
