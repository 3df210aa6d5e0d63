// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TensorFiles
import Testing

/// Weights that stand in files of tensors beside a model.
@Suite struct WeightsInFilesTests {
  private static func tensors(_ arrays: (String, [Int], Numbers)...) -> [UInt8] {
    try! TensorFileText(arrays.map { Weights(name: $0.0, shape: $0.1, values: $0.2) }).bytes
  }

  private static let amp = tensors(
    ("conv.weight", [2, 1, 3], [1, 2, 3, 4, 5, 6]), ("conv.bias", [2], [0.5, -0.5]), ("unused", [1], [7]))

  private static func model(_ weights: String, _ graph: String = "conv1d(src, 'conv.weight', 'conv.bias')")
    -> String
  {
    """
    { "legato": 1, "name": "Test", "inputs": { "src": { "shape": [1, "frames"] } },
    "weights": { \(weights) }, "graph": { "dst": "\(graph)" }, "outputs": ["dst"] }
    """
  }

  private static let written = """
    "conv.weight": [[[1, 2, 3]], [[4, 5, 6]]], "conv.bias": [0.5, -0.5]
    """

  private func graph(_ text: String, _ files: UsedFiles) throws -> Graph {
    try Graph(importing: files.composed(text), sampleRate: 48_000)
  }

  private func problems(
    _ text: String, _ files: UsedFiles, mostWeights: Int = Limits.weights
  ) -> [String] {
    do {
      let model = try files.composed(text, mostWeights: mostWeights)
      try model.checkUses()
      _ = try Graph(importing: model, sampleRate: 48_000)
      return []
    } catch let error as Diagnostics {
      return error.all.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  /// However they are named, the graph is that of a model with the numbers in it.
  @Test(
    arguments: [
      #""file": "amp.safetensors""#,
      #""conv.weight": "amp.safetensors:conv.weight", "conv.bias": "amp.safetensors:conv.bias""#,
      #""conv.weight": [[[1, 2, 3]], [[4, 5, 6]]], "file": "amp.safetensors""#,
    ])
  func theyAreTheSameAsWrittenOnes(weights: String) throws {
    let files = UsedFiles([:], tensors: ["amp.safetensors": Self.amp])
    let found = try graph(Self.model(weights), files)
    let expected = try graph(Self.model(Self.written), files)
    #expect(found.description == expected.description)
    #expect(files.opened == ["amp.safetensors"])
  }

  @Test("many names of one tensor: it is read once, and they are the same numbers")
  func manyNames() throws {
    let files = UsedFiles([:], tensors: ["amp.safetensors": Self.amp])
    let names = (0..<1_500).map { "\"b\($0)\": \"amp.safetensors:conv.bias\"" }.joined(separator: ", ")
    let text = Self.model("\(names), \"file\": \"amp.safetensors\"", "concatenate(['b0', 'b1499']) + 0 * src")
    let found = try self.graph(text, files).weights
    let (first, last) = (found.first { $0.name == "b0" }, found.first { $0.name == "b1499" })
    #expect(try #require(first).values === #require(last).values)
    #expect(files.opened == ["amp.safetensors"])
  }

  @Test func oneThatIsWrittenWins() throws {
    let files = UsedFiles([:], tensors: ["amp.safetensors": Self.amp])
    let found = try graph(Self.model(#""file": "amp.safetensors", "conv.bias": [8, 9]"#), files)
    #expect(found.weights.first { $0.name == "conv.bias" }?.values == [8, 9])
    let other = try graph(
      Self.model(
        #""file": "amp.safetensors", "b": "amp.safetensors:conv.bias""#, "conv1d(src, 'conv.weight', 'b')"),
      files)
    #expect(other.weights.map(\.name) == ["b", "conv.weight"])
  }

  /// In its own folder; a file is opened once, whoever uses it.
  @Test func modelsThatAreUsedHaveTheirOwnFiles() throws {
    let part = Self.model(#""file": "amp.safetensors""#, "sum(conv1d(src, 'conv.weight'), axis: 0)")
    let files = UsedFiles(
      ["parts/cab.json": part, "parts/other.json": part],
      tensors: ["parts/amp.safetensors": Self.amp, "amp.safetensors": Self.tensors(("w", [1], [3]))])
    let text = Self.model(
      #""file": "amp.safetensors""#,
      "reshape(model('parts/cab.json', src * 'w') + model('parts/other.json', src), [1])")
    let model = try files.composed(text)
    let graph = try Graph(importing: model, sampleRate: 48_000)
    #expect(graph.weights.map(\.name).sorted() == ["dst.2.conv.weight", "dst.conv.weight", "w"])
    #expect(files.opened.sorted() == ["amp.safetensors", "parts/amp.safetensors"])
    #expect(
      model.family.usedFiles.sorted() == [
        "amp.safetensors", "parts/amp.safetensors", "parts/cab.json", "parts/other.json",
      ])
  }

  /// Over all files and models; a tensor counts once, however many names and users it has.
  @Test func theirSumIsLimited() {
    let part = Self.model(#""file": "amp.safetensors""#)
    let files = UsedFiles(
      ["parts/a.json": part, "parts/b.json": part], tensors: ["parts/amp.safetensors": Self.amp])
    let text = Self.model(
      #""one": [1, 2], "same": "parts/amp.safetensors:conv.bias""#,
      "'one' * (model('parts/a.json', src) + model('parts/b.json', src)) + 'same'")
    #expect(problems(text, files, mostWeights: 10) == [])
    let message = "the weights of the model and of those that it uses have too many numbers; all in all"
    let found = problems(text, files, mostWeights: 9)
    #expect(found.count == 1 && found[0].contains("m.json:2:14: \(message)"), "\(found)")
    let deep = problems(text, files, mostWeights: 7)
    #expect(deep.count == 1 && deep[0].hasPrefix("parts/a.json:2:22: \(message)"), "\(deep)")
  }

  /// The model that names it can be right: another file has to change.
  @Test func theFileThatIsDamagedOrMissingIsKnown() throws {
    let files = UsedFiles(
      [:],
      tensors: [
        "sub/short.safetensors": Array(Self.amp.prefix(40)), "sub/whole.safetensors": Self.amp,
      ])
    func culprits(_ weights: String, _ graph: String = "conv1d(src, 'conv.weight')") throws -> [String?] {
      let error = #expect(throws: Diagnostics.self) {
        try files.composed(Self.model(weights, graph)).checkUses()
      }
      return try #require(error).all.map(\.culprit)
    }
    #expect(try culprits(#""file": "sub/short.safetensors""#) == ["sub/short.safetensors"])
    #expect(try culprits(#""file": "./sub/short.safetensors""#) == ["./sub/short.safetensors"])
    #expect(try culprits(#""conv.weight": "sub/whole.safetensors:w""#) == ["sub/whole.safetensors"])
  }

  @Test(
    arguments: [
      (#""file": "gone.safetensors""#, "m.json:2:22: the file 'gone.safetensors' is not there"),
      (
        #""conv.weight": "gone.safetensors:w", "conv.bias": [1, 2]"#,
        "m.json:2:29: the file 'gone.safetensors' is not there"
      ),
      (
        #""file": "amp.safetensors", "conv.bias": "amp.safetensors:conv.bais""#,
        "m.json:2:54: 'amp.safetensors' has no tensor 'conv.bais'; did you mean 'conv.bias'?"
      ),
      (
        #""file": "text.safetensors""#,
        "m.json:2:22: 'text.safetensors' is no safetensors file: its header would have"
      ),
      (#""file": "short.safetensors""#, "m.json:2:22: 'short.safetensors' is cut off: its header has"),
      (
        #""file": "nan.safetensors""#,
        "m.json:2:22: the tensor 'conv.bias' of 'nan.safetensors' holds nan at [1]; each number must be finite"
      ),
      (
        #""file": "kinds.safetensors""#,
        "m.json:2:22: the tensor 'conv.bias' of 'kinds.safetensors' holds I32; save it as one of F32, F16, BF16"
      ),
      (
        #""file": "large.safetensors""#,
        "m.json:2:22: the tensor 'conv.bias' of 'large.safetensors' would have the shape [16777217]; 16777216 positions along one axis are the most"
      ),
      (
        #""file": "amp.safetensors", "conv.bias": "amp.safetensors""#,
        "m.json:2:54: a weight of a file is written as the file, a colon and the name of the tensor, such as"
      ),
    ])
  func mistakesAreSaidOnceAndWhereTheyAre(weights: String, message: String) {
    var large = Array(#"{"conv.bias":{"dtype":"F16","shape":[16777217],"data_offsets":[0,33554434]}}"#.utf8)
    large = [UInt8(large.count), 0, 0, 0, 0, 0, 0, 0] + large + [UInt8](repeating: 0, count: 33_554_434)
    let kinds = Self.replacing("F32", by: "I32", in: Self.amp)
    let files = UsedFiles(
      [:],
      tensors: [
        "amp.safetensors": Self.amp, "text.safetensors": Array("something else".utf8),
        "short.safetensors": Array(Self.amp.prefix(40)), "large.safetensors": large,
        "kinds.safetensors": kinds,
        "nan.safetensors": Self.tensors(("conv.weight", [2, 1, 1], [1, 2]), ("conv.bias", [2], [1, .nan])),
      ])
    let graph =
      message.contains("'conv.bias' of")
      ? "src * sum('conv.bias')" : "conv1d(src, 'conv.weight', 'conv.bias')"
    let found = problems(Self.model(weights, graph), files)
    #expect(found.count == 1 && found[0].hasPrefix(message), "\(found)")
  }

  private static func replacing(_ old: String, by new: String, in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    while let place = bytes.firstRange(of: old.utf8) { bytes.replaceSubrange(place, with: new.utf8) }
    return bytes
  }

  /// A text of its own has no folder.
  @Test func aTextAloneHasNoFiles() {
    let found = messages(about: Array(Self.model(#""file": "amp.safetensors""#).utf8), file: "m")
    #expect(found == ["m:2:22: the file 'amp.safetensors' cannot be read: a text has no folder"])
  }

  /// A name in an expression that no file has.
  @Test func aTensorThatIsNotThereIsUnknown() {
    let files = UsedFiles([:], tensors: ["amp.safetensors": Self.amp])
    let found = problems(Self.model(#""file": "amp.safetensors""#, "conv1d(src, 'conv.wait')"), files)
    #expect(found.count == 1 && found[0].contains("there are no weights called 'conv.wait'"), "\(found)")
  }
}
