// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Messages about models that use others wrongly, and about those that are used.
@Suite struct ModelUseErrorTests {
  private static let files = ModelUseTests.files.merging([
    "typo.json": UsedFiles.model("'low': 'src * cut', 'dst': 'low + lwo + '"),
    "other.json": UsedFiles.model("'low': 'src * cut', 'dst': 'low + src'"),
    "step.json": UsedFiles.model("'dst': 'src * 2'", shape: "[4]"),
    "broken.json": "{ \"legato\": 1,",
    "self.json": UsedFiles.model("'dst': 'model(`self.json`, src)'"),
    "a.json": UsedFiles.model("'dst': 'model(`b.json`, src)'"),
    "b.json": UsedFiles.model("'dst': 'model(`a.json`, src)'"),
    "none.json": UsedFiles.model("'dst': 'src'", outputs: "dts"),
    "tight.json": UsedFiles.model("'dst': 'src * reshape(src, [4])'"),
    "late.json": UsedFiles.model("'dst': 'src'", shape: "[`frames`, 2]"),
    "two.json": """
    { "legato": 1, "name": "Two", "inputs": { "a": { "shape": ["n", "frames"] }, "b": { "shape": ["n", "frames"] } },
      "graph": { "y": "a * b" }, "outputs": ["y"] }
    """,
  ]) { $1 }

  /// The messages, without the places in the model's own file.
  private func messages(_ definitions: String, outputs: String = "dst") throws -> [String] {
    do throws(Diagnostics) {
      let text = UsedFiles.model(definitions, outputs: outputs)
      let document = try ModelDocument.decode(Array(text.utf8), file: "m.json")
      let model = ComposedModel(
        ModelFamily(document, identity: Array("m.json".utf8), reader: UsedFiles(Self.files).reader))
      try model.checkUses()
      _ = try Graph(importing: model, extents: ["channels": 2], sampleRate: 48_000)
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  @Test(
    "one line for each, at its place",
    arguments: [
      ("model(src)", ["m.json:3:28: model takes the name of a file first, such as model('cabinet.json', x)"]),
      ("model(`gain.jsn`, src)", ["m.json:3:28: the model 'gain.jsn' is not there"]),
      ("model(`gain.json`)", ["m.json:3:22: the input 'x' of 'Gain' is missing"]),
      (
        "model(`gain.json`, src, src)",
        ["m.json:3:46: one argument too many; the inputs of 'Gain' are 'x', and parameters go by name"]
      ),
      (
        "model(`gain.json`, src, levl: 1)",
        ["m.json:3:46: 'Gain' has no such argument: unknown input or parameter 'levl'; did you mean 'level'?"]
      ),
      ("model(`gain.json`, src, x: src)", ["m.json:3:46: 'x' is given twice"]),
      ("model(`gain.json`, src, level: 3)", ["m.json:3:53: 'level' takes 0 to 2, this is 3"]),
      (
        "model(`mono.json`, src)",
        [
          "m.json:3:41: 'Mono' takes 'x' as [1, frames], this is [2, frames]; slice(…) and sum(…, axis: 0) make fewer "
            + "channels, concatenate([…]) more"
        ]
      ),
      (
        "model(`two.json`, src, sum(src, axis: 0))",
        [
          "m.json:3:45: 'Two' takes 'b' as [n, frames], this is [frames], and 'n' is 2 by another input; make them alike: "
            + "broadcast(x, shape: [2])"
        ]
      ),
      (
        "model(`step.json`, src)",
        [
          "m.json:3:28: 'Test' has the clock 'step', and this model 'stream'; models of one clock go together"
        ]
      ),
      (
        "model(`split.json`, src)",
        [
          "m.json:4:15: 'dst' is a model with several outputs; write one of 'dst.low', 'dst.high'"
        ]
      ),
      (
        "1 + model(`split.json`, src)",
        [
          "m.json:3:26: 'Split' has the outputs 'low', 'high'; let a definition be the call alone, such as \"parts\", "
            + "and write parts.low"
        ]
      ),
      (
        "src.low",
        [
          "m.json:3:22: no value is called 'src.low'; a name with a dot is an output of a definition that is a model"
        ]
      ),
      (
        "model(`self.json`, src)",
        ["self.json:3:28: a model cannot use itself: self.json uses self.json (used by m.json:3:28)"]
      ),
      (
        "model(`a.json`, src)",
        ["b.json:3:28: a model cannot use itself: a.json uses b.json uses a.json (used by a.json:3:28)"]
      ),
      (
        "model(`broken.json`, src)",
        [
          "broken.json:1:15: expected a key or '}', but the file ends inside the object that begins at 1:1 (used by m.json:3:28)"
        ]
      ),
      (
        "model(`none.json`, src)",
        ["none.json:4:15: no value is called 'dts'; did you mean 'dst'? (used by m.json:3:22)"]
      ),
      (
        "model(`tight.json`, src)",
        ["tight.json:3:28: [2, frames] has 2 numbers and cannot become [4] (used by m.json:3:22)"]
      ),
      ("model(`late.json`, src)", ["late.json:1:63: 'frames' must be the last axis (used by m.json:3:22)"]),
    ])
  func wrong(_ use: String, _ lines: [String]) throws {
    let found = try messages("'dst': '\(use)'")
    #expect(found == lines)
  }

  @Test func everythingIsSaidAtOnceAndOnce() throws {
    let lines = try messages(
      """
      'a': 'model(`typo.json`, nope)', 'b': 'model(`typo.json`, src)', 'c': 'model(`other.json`, src, gain: 2)',
      'd': 'model(`other.json`, src)', 'e': '2 *', 'dst': 'a + b + c + d + e + f'
      """)
    #expect(
      lines.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" } == [
        "no value is called 'nope'",
        "'Test' has no such argument: unknown input or parameter 'gain'; known are 'src'",
        "expected a number, a name or '(', found the end",
        "no value is called 'f'",
        "no value is called 'cut' (used by m.json:3:20)",
        "expected a number, a name or '(', found the end (used by m.json:3:20)",
        "no value is called 'cut' (used by m.json:3:85)",
      ])
  }

  /// Ten files that each use the next one ten times: ten thousand million models.
  @Test func aBombOfModelsIsRefusedBeforeItGoesOff() throws {
    var files: [String: String] = ["b0.json": UsedFiles.model("'dst': 'src * 2'")]
    for level in 1...9 {
      let uses = Array(repeating: "model(`b\(level - 1).json`, src)", count: 10).joined(separator: " + ")
      files["b\(level).json"] = UsedFiles.model("'dst': '\(uses)'")
    }
    let model = try UsedFiles(files).composed(UsedFiles.model("'dst': 'model(`b9.json`, src)'"))
    let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
    #expect(
      error?.all.map(\.description) == [
        "m.json:3:22: the model and those that it uses have more than 65536 values, which are the most"
      ])
  }

  /// Names within names within names: thirty levels of long names, each with many values.
  @Test func aBombOfNamesIsRefused() throws {
    let long = String(repeating: "n", count: 250)
    let values = (0..<2000).map { "'v\($0)': 'src'" }.joined(separator: ", ")
    var files: [String: String] = ["n0.json": UsedFiles.model("\(values), '\(long)': 'src'", outputs: long)]
    for level in 1...20 {
      let use = "'\(long)': 'model(`n\(level - 1).json`, src)'"
      files["n\(level).json"] = UsedFiles.model(
        "'w': 'model(`n\(level - 1).json`, src)', \(use)", outputs: long)
      if level > 4 { files["n\(level).json"] = UsedFiles.model(use, outputs: long) }
    }
    func messages(_ level: Int) throws -> [String] {
      let model = try UsedFiles(files).composed(files["n\(level).json"]!)
      do throws(Diagnostics) {
        try model.checkUses()
        return []
      } catch {
        return error.all.map(\.message)
      }
    }
    #expect(try messages(4) == [])
    #expect(
      try messages(20) == [
        "the model and those that it uses have more than 268435456 bytes of names, which are the most"
      ])
  }

  @Test func modelsNestSoDeepAndNoDeeper() throws {
    func messages(_ levels: Int) throws -> [String] {
      var files: [String: String] = ["d0.json": UsedFiles.model("'dst': 'src * 2'")]
      for level in 1..<levels {
        files["d\(level).json"] = UsedFiles.model("'dst': 'model(`d\(level - 1).json`, src)'")
      }
      let model = try UsedFiles(files).composed(files["d\(levels - 1).json"]!)
      do throws(Diagnostics) {
        try model.checkUses()
        return []
      } catch {
        return error.all.map(\.message)
      }
    }
    #expect(try messages(ModelFamily.maximumLevels) == [])
    let deeper = try messages(ModelFamily.maximumLevels + 1)
    #expect(deeper.count == 1 && deeper[0].hasPrefix("models nest deeper than 32 levels (used by"))
  }

  @Test func aFileOfManyNamesIsReadOnce() throws {
    let names = (0..<60).map { String(repeating: "./", count: $0) }
    for (file, text) in [("gain.json", ModelUseTests.gain), ("broken.json", "{")] {
      let files = UsedFiles([file: text])
      let sum = names.map { "model(`\($0)\(file)`, src)" }.joined(separator: " + ")
      let model = try files.composed(UsedFiles.model("'dst': '\(sum)'"))
      #expect(files.found == names.map { $0 + file } && files.read == [file])
      if file == "gain.json" {
        try model.checkUses()
      } else {
        let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
        #expect(error?.all.count == 1, "what is wrong with it is said once")
      }
    }
  }

  @Test func aModelDoesNotReadItselfUnderAnotherName() throws {
    let text = UsedFiles.model("'dst': 'model(`./m.json`, src)'")
    let files = UsedFiles(["m.json": text])
    let model = try files.composed(text)
    let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
    #expect(
      error?.all.map(\.message) == ["a model cannot use itself: m.json uses ./m.json"] && files.read == [])
  }

  @Test func pathsAreLookedUpUpToALimit() throws {
    let most = ModelFamily.maximumPaths
    let names = (0...most + 10).map { number in
      (0..<11).map { number >> $0 & 1 == 0 ? "./" : ".//" }.joined() + "gain.json"
    }
    let files = UsedFiles(["gain.json": ModelUseTests.gain])
    let sum = names.map { "model(`\($0)`, src)" }.joined(separator: " + ")
    let model = try files.composed(UsedFiles.model("'dst': '\(sum)'"))
    #expect(files.found == Array(names[..<most]) && files.read == ["gain.json"])
    let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
    #expect(
      error?.all.map(\.message) == [
        "the models that are used are named by more than 1024 paths, which are the most"
      ])
  }

  @Test func noMoreFilesAreReadThanFit() throws {
    let most = ModelFamily.maximumFiles
    let files = UsedFiles(
      Dictionary(uniqueKeysWithValues: (0..<most + 10).map { ("\($0).json", ModelUseTests.gain) }))
    let definitions = (0..<most + 10).map { "'v\($0)': 'model(`\($0).json`, src)'" }.joined(separator: ", ")
    let model = try files.composed(UsedFiles.model(definitions, outputs: "v0"))
    #expect(files.read == (0..<most).map { "\($0).json" })
    let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
    #expect(
      error?.all.map(\.message) == [
        "the models that are used have more than 256 files or 67108864 bytes, which are the most"
      ])
  }

  /// The space in front makes a file large that is quickly read.
  @Test func noMoreBytesAreReadThanFit() throws {
    let large = String(repeating: " ", count: 40 << 20) + ModelUseTests.gain
    let files = UsedFiles(["a.json": large, "b.json": large, "c.json": large])
    let model = try files.composed(
      UsedFiles.model("'dst': 'model(`a.json`, src) + model(`b.json`, src) + model(`c.json`, src)'"))
    #expect(files.read == ["a.json", "b.json"])
    #expect(files.bytes == (64 << 20) + 1, "as many as there may be, and one that is too many")
    let error = #expect(throws: Diagnostics.self) { try model.checkUses() }
    #expect(error?.all.count == 1)
  }

  /// Whatever is damaged in a used file, the whole is understood or refused with a place.
  @Test(arguments: 0..<4 as Range<UInt64>) func damagedFilesAreRefused(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let root = UsedFiles.model(
      "'parts': 'model(`split.json`, src, cut: 0.5)', 'dst': 'model(`gain.json`, parts.low) + parts.high'")
    for _ in 0..<400 {
      var files = ModelUseTests.files
      let victim = ["gain.json", "split.json", "m"].randomElement(using: &random)!
      var bytes = Array((files[victim] ?? root).utf8)
      random.damage(&bytes)
      files[victim] = String(decoding: bytes, as: UTF8.self)
      do throws(Diagnostics) {
        let document = try ModelDocument.decode(Array((files["m"] ?? root).utf8), file: "m")
        let model = ComposedModel(
          ModelFamily(document, identity: Array("m".utf8), reader: UsedFiles(files).reader))
        try model.checkUses()
        let graph = try Graph(importing: model, extents: ["channels": 2], sampleRate: 48_000)
        #expect(Verifier.violations(in: graph) == [])
      } catch {
        #expect(!error.all.isEmpty)
      }
    }
  }
}
