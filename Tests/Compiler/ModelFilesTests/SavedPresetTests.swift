// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Presets that are put into the text of a model file, which keeps all else.
@Suite struct SavedPresetTests {
  private typealias Setting = ModelDocument.SavedSetting

  private static let head = """
    // A filter of mine.
    { "legato": 1, "inputs": { "x": { "shape": ["n", "frames"] } },
      "parameters": {
        "gain": { "default": 1, "minimum": 0, "maximum": 4 }, // loud
        "tone": { "default": 0.5, "minimum": 0, "maximum": 1 },
      },
      "graph": { "y": "x * gain + 0 * tone" },
    """

  private func saved(
    _ text: String, _ name: String = "Mine", gain: Float = 2, tone: Float = 0.5
  ) throws -> String {
    let settings = [
      Setting("gain", gain, isDefault: gain == 1), Setting("tone", tone, isDefault: tone == 0.5),
    ]
    let bytes = try ModelDocument.text(Array(text.utf8), file: "m.json", saving: name, settings)
    let presets = try ModelDocument.decode(bytes, file: "m.json").presets
    let values = try #require(presets.first { $0.name == name }).settings.map { ($0.parameter, $0.value) }
    let read = Dictionary(values) { $1 }
    #expect(Float(read["gain"] ?? 1) == gain && Float(read["tone"] ?? 0.5) == tone)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("the first preset, one more, and one that is there: comments and spaces stay")
  func all() throws {
    let none = Self.head + "\n  \"outputs\": [\"y\"]  // all\n}\n"
    let first = try saved(none)
    #expect(
      first == Self.head
        + "\n  \"outputs\": [\"y\"],  // all\n  \"presets\": {\n    \"Mine\": { \"gain\": 2 }\n  }\n}\n")
    let second = try saved(first, "Other", gain: 0.1, tone: 1)
    #expect(
      second
        == first.replacing(
          "{ \"gain\": 2 }", with: "{ \"gain\": 2 },\n    \"Other\": { \"gain\": 0.1, \"tone\": 1 }"))
    #expect(
      try saved(second, "Other", gain: 0.1, tone: 0.5)
        == second.replacing("\"tone\": 1", with: "\"tone\": 0.5"))
    #expect(try saved(second, gain: 1) == second.replacing("\"gain\": 2", with: "\"gain\": 1"))
    #expect(
      try saved(second, gain: 3, tone: 0.25)
        == second.replacing("\"gain\": 2", with: "\"gain\": 3, \"tone\": 0.25"))
  }

  @Test("in one line, behind a last comma, in an empty table, with Windows' lines and strange names")
  func forms() throws {
    let line = Self.head.replacing("\n", with: " ").replacing("// A filter of mine.", with: "")
      .replacing("// loud", with: "")
    #expect(
      try saved(line + "\"outputs\": [\"y\"] }")
        == line + "\"outputs\": [\"y\"], \"presets\": { \"Mine\": { \"gain\": 2 } } }")
    let comma = Self.head + "\"outputs\": [\"y\"],\n  \"presets\": { /* none */ }, // soon\n}"
    #expect(
      try saved(comma) == comma.replacing("/* none */ }", with: "/* none */ \n\"Mine\": { \"gain\": 2 }\n}"))
    #expect(
      try saved(comma.replacing(" /* none */ ", with: ""))
        == comma.replacing(" /* none */ ", with: " \"Mine\": { \"gain\": 2 } "))
    let windows = (Self.head + "\n  \"outputs\": [\"y\"],\n}\n").replacing("\n", with: "\r\n")
    let text = try saved(windows, "\"A\\B\" äöü", gain: 1)
    #expect(
      text.hasSuffix(
        "[\"y\"],\r\n  \"presets\": {\r\n    \"\\\"A\\\\B\\\" äöü\": {}\r\n  }\r\n}\r\n"))
  }

  @Test("what is no model, or would be none, is refused")
  func refused() {
    let long = String(repeating: "n", count: ModelDocument.maximumNameLength + 1)
    for (text, name) in [("{ \"legato\": 1,", "Mine"), (Self.head + "\"outputs\": [\"y\"] }", long)] {
      #expect(throws: Diagnostics.self) {
        try ModelDocument.text(Array(text.utf8), file: "m.json", saving: name, [])
      }
    }
  }
}
