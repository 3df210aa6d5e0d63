// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ImageFiles
import ModelFiles
import Testing

/// Inputs that take pictures, and outputs whose numbers have labels.
@Suite struct LabelTests {
  private static func model(_ labels: String, shape: String = "[2]") -> String {
    """
    { "legato": 1, "clock": "step", "inputs": { "x": { "shape": \(shape) } }, "graph": { "y": "2 * x" },
      "outputs": ["x", { "name": "y", "labels": \(labels) }] }
    """
  }

  private func problems(_ text: String, _ files: UsedFiles) throws -> [String] {
    do {
      let model = try files.composed(text)
      try model.checkUses()
      _ = try Graph(importing: model, sampleRate: 48_000)
      return []
    } catch let error as Diagnostics {
      return error.all.map(\.description)
    }
  }

  @Test(arguments: [
    "cat\ndog", "cat\ndog\n", "cat\r\ndog\r\n\r\n", "\u{FEFF}cat\ndog",
  ]) func aFileHasANameInEachLine(text: String) throws {
    let files = UsedFiles(["names.txt": text])
    let model = try files.composed(Self.model("\"names.txt\""))
    #expect(model.family.labels == [nil, ["cat", "dog"]])
    #expect(model.family.usedFiles == ["names.txt"])
    #expect(try files.composed(Self.model("[\"cat\", \"dog\"]")).family.labels == [nil, ["cat", "dog"]])
  }

  private static let refusals: [(text: String, message: String)] = [
    (
      "cat",
      "the output 'y' has 1 label, and its shape is [2]; there is a label for each number along the last axis"
    ),
    ("", "the file 'names.txt' has 0 labels; from 1 to 65536 are read, one in each line"),
    ("cat\n\ndog", "the file 'names.txt' has no name of a label in line 2"),
    (
      String(repeating: "x", count: 257) + "\ndog",
      "the file 'names.txt' has 257 characters in line 1; at most 256 are a label's"
    ),
    (
      String(repeating: "x\n", count: 65_537),
      "the file 'names.txt' has 65537 labels; from 1 to 65536 are read, one in each line"
    ),
    (
      String(repeating: "x", count: 1 << 23 + 1),
      "the file 'names.txt' has more than 8388608 bytes, which are the most of a file of labels"
    ),
  ]

  @Test(arguments: refusals.indices) func aFileIsRefusedInOneLine(row: Int) throws {
    let (text, message) = Self.refusals[row]
    let files = UsedFiles(["names.txt": text])
    let found = try problems(Self.model("\"names.txt\""), files)
    #expect(found.count == 1 && found[0].hasSuffix(": \(message)"), "\(found)")
  }

  @Test func aFileThatIsNotThere() throws {
    let found = try problems(Self.model("\"none.txt\""), UsedFiles([:]))
    #expect(found == ["m.json:2:45: the file 'none.txt' is not there"])
  }

  @Test func bytesThatAreNoText() {
    #expect(throws: LabelText.Refusal.self) { try LabelText.labels([0x63, 0xFF]) }
  }

  /// Of a part of another model only the numbers count.
  @Test func labelsOfAPartAreNotRead() throws {
    let files = UsedFiles(["part.json": Self.model("\"none.txt\"")])
    let whole = """
      { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [2] } },
        "graph": { "part": "model('part.json', x)", "z": "part.y" }, "outputs": ["z"] }
      """
    #expect(try problems(whole, files).isEmpty)
    #expect(try files.composed(whole).family.labels == [nil])
  }

  @Test(arguments: [
    ("\"shape\": [3, 8, 9], \"type\": \"image\"", "RGB,[0,1]"),
    (
      "\"shape\": [8, 9, 3], \"type\": \"image\", \"format\": \"BGR\", \"normalize\": \"[-1, 1]\"",
      "BGR,[-1,1]"
    ),
    (
      "\"shape\": [\"batch\", 3, \"h\", \"w\"], \"type\": \"image\", \"normalize\": \"ImageNet\"",
      "RGB,mean=[0.485,0.456,0.406],deviation=[0.229,0.224,0.225]"
    ),
    (
      "\"shape\": [\"h\", \"w\"], \"type\": \"image\", \"format\": \"grey\", \"resize\": \"area\","
        + "\"normalize\": { \"mean\": [0.5], \"deviation\": [0.25] }", "grey,mean=[0.5],deviation=[0.25],area"
    ),
  ]) func anInputTakesPictures(fields: String, form: String) throws {
    let text = """
      { "legato": 1, "clock": "step", "inputs": { "x": { \(fields) } }, "graph": { "y": "2 * x" }, "outputs": ["y"] }
      """
    let document = try ModelDocument.decode(Array(text.utf8), file: "m.json")
    #expect(document.inputs[0].image?.description == form)
  }
}
