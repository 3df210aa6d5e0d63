// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import ModelFiles
import TestEquipment
import Testing

/// Files that are cut off, mutated, or made to be too much: each is read or refused with one line, soon.
@Suite struct DamagedFileTests {
  /// The messages about a file; none where it becomes a graph.
  private func messages(about bytes: [UInt8], extents: [String: Int] = [:]) -> [String] {
    do throws(Diagnostics) {
      let graph = try graph(bytes, extents)
      // A file that says little makes little, whatever it says.
      #expect(graph.nodes.count < 4096 + bytes.count)
      #expect(graph.weights.reduce(0) { $0 + $1.values.count } <= 1 << 24 + bytes.count)
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  private func graph(_ bytes: [UInt8], _ extents: [String: Int]) throws(Diagnostics) -> Graph {
    let document = try ModelDocument.decode(bytes, file: "net.onnx", extents: extents)
    let family = try ModelFamily(document, identity: [], reader: .none).bound(to: extents)
    return try Graph(importing: ComposedModel(family), extents: extents, sampleRate: nil)
  }

  private func isOneLine(_ message: String) -> Bool {
    message.hasPrefix("net.onnx:") && !message.contains("\n") && message.count < 4000
  }

  @Test(arguments: ["a function of the file, twice", "a branch is chosen", "Conv-11"])
  func truncatedAtEveryByte(name: String) throws {
    let one = try #require(ONNXCase.named(name))
    for length in 0..<one.model.count {
      let lines = messages(about: Array(one.model[..<length]), extents: one.extents)
      #expect(lines.allSatisfy(isOneLine), "\(name), cut to \(length) bytes: \(lines)")
      // What stands behind the graph may be missed by nobody.
      #expect(!lines.isEmpty || length > one.model.count / 2, "\(name), cut to \(length) bytes")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func mutated(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var refused = 0
    for round in 0..<500 {
      let one = ONNXCase.all[Int.random(in: ONNXCase.all.indices, using: &random)]
      var bytes = one.model
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      // As a file that was recognised.
      guard bytes.count > 3 else { continue }
      bytes[0..<3] = one.model[0..<3]
      let lines = messages(about: bytes, extents: one.extents)
      #expect(lines.allSatisfy(isOneLine), "seed \(seed), round \(round), \(one.name): \(lines)")
      refused += lines.isEmpty ? 0 : 1
    }
    #expect(refused > 200, "seed \(seed): mutations are hardly noticed")
  }

  /// Names, numbers and what is said of them.
  @Test(arguments: [
    (
      "unknown ops",
      ONNXBytes.model([
        ONNXBytes.node("Foo", ["x"], ["a"]), ONNXBytes.node("Bar", ["x"], ["b"]),
        ONNXBytes.node("Foo", ["b"], ["y"]),
      ]), "2 × Foo, 1 × Bar are not known"
    ),
    (
      "one unknown op", ONNXBytes.model([ONNXBytes.node("Foo", ["x"], ["y"])]), "1 × Foo is not known"
    ),
    (
      "an op of another domain",
      ONNXBytes.model([ONNXBytes.node("Add", ["x", "x"], ["y"], domain: "theirs")]),
      "1 × theirs.Add is not known"
    ),
    (
      "a name of nothing", ONNXBytes.model([ONNXBytes.node("Relu", ["z"], ["y"], name: "r")]),
      "node 'r' (Relu): no value is called 'z'; each node stands behind those that it needs"
    ),
    (
      "parts of other ranks",
      ONNXBytes.model(
        [
          ONNXBytes.node(
            "Concat", ["none", "short", "x"], ["y"], attributes: [ONNXBytes.attribute("axis", 1)])
        ],
        tensors: [ONNXBytes.tensor("none", [], shape: [2, 0]), ONNXBytes.tensor("short", [1])]),
      "the node of 'y' (Concat): there is no axis 1 of 1"
    ),
    (
      "pooling without axes to pool",
      ONNXBytes.model(
        [ONNXBytes.node("AveragePool", ["x"], ["y"], attributes: [ONNXBytes.attribute("kernel_shape", 2)])],
        axes: ["4"]), "the node of 'y' (AveragePool): "
    ),
    (
      "pads beyond all numbers",
      ONNXBytes.model(
        [ONNXBytes.node("Pad", ["x", "p"], ["y"])], tensors: [ONNXBytes.tensor("p", [Int.min, 0, 0, 0])]),
      "the node of 'y' (Pad): pads of -9223372036854775808 and 0 do not fit axis 0"
    ),
    (
      "no version of the standard ops",
      ONNXBytes.field(1, 8)
        + ONNXBytes.field(
          7,
          ONNXBytes.graph(
            [ONNXBytes.node("Relu", ["x"], ["y"])], inputs: [ONNXBytes.port("x", ["2"])], outputs: ["y"]))
        + ONNXBytes.field(8, ONNXBytes.opset("own", 1)), "it does not say of which version its ops are"
    ),
    (
      "a cycle", ONNXBytes.model([ONNXBytes.node("Add", ["x", "y"], ["y"])]),
      "the node of 'y' (Add): no value is called 'y'; each node stands behind those that it needs"
    ),
    (
      "a value twice",
      ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"]), ONNXBytes.node("Abs", ["x"], ["y"])]),
      "the node of 'y' (Abs): the value 'y' is there already"
    ),
    (
      "no output", ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["z"])]),
      "the output 'y': no value is called 'y'; each node stands behind those that it needs"
    ),
    (
      "a negative extent", ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"])], axes: ["-2"]),
      "the input 'x': a value would have the shape [-2]; every extent must be at least 1"
    ),
    (
      "extents whose product overflows",
      ONNXBytes.model(
        [ONNXBytes.node("Neg", ["x"], ["y"])], axes: ["4611686018427387904", "4611686018427387904"]),
      "the input 'x': a value would have the shape [4611686018427387904, 4611686018427387904]; 16777216 positions along one axis are the most"
    ),
    (
      "too many axes",
      ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"])], axes: Array(repeating: "1", count: 9)),
      "the input 'x': a value would have 9 axes; 8 are the most"
    ),
    (
      "a tensor with fewer numbers than its shape",
      ONNXBytes.model(
        [ONNXBytes.node("Reshape", ["x", "s"], ["y"])], tensors: [ONNXBytes.tensor("s", [6], shape: [2])]),
      "the node of 'y' (Reshape): the tensor 's' has 1 number, and its shape takes 2"
    ),
    (
      "a tensor with more numbers than its shape",
      ONNXBytes.model(
        [ONNXBytes.node("Reshape", ["x", "s"], ["y"])],
        tensors: [ONNXBytes.tensor("s", [6, 1, 1], shape: [1])]),
      "there are more numbers than the 1 of the shape"
    ),
    (
      "an old set of ops", ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"])], opset: 6),
      "its ops are those of version 6; 7 to 28 are known; onnx.version_converter makes others of them"
    ),
    (
      "a recurrent layer", ONNXBytes.model([ONNXBytes.node("LSTM", ["x"], ["y"])]),
      "the node of 'y' (LSTM): it takes an input of 3 axes, not [2, 3]"
    ),
    (
      "an attribute of the wrong kind",
      ONNXBytes.model([
        ONNXBytes.node(
          "Softmax", ["x"], ["y"], attributes: [ONNXBytes.field(1, "axis") + ONNXBytes.field(4, "1")])
      ]), "the attribute 'axis' must be an integer"
    ),
    (
      "an axis that is not there",
      ONNXBytes.model([
        ONNXBytes.node("Softmax", ["x"], ["y"], attributes: [ONNXBytes.attribute("axis", 1 << 62)])
      ]),
      "there is no axis 4611686018427387904 of 2"
    ),
  ])
  func eachIsSaid(what: String, bytes: [UInt8], message: String) {
    let lines = messages(about: bytes)
    #expect(lines.contains { $0.contains(message) }, "\(what): \(lines)")
    #expect(lines.allSatisfy(isOneLine))
  }

  /// All at once, each once.
  @Test func nothingHidesAnother() {
    let bytes = ONNXBytes.model([
      ONNXBytes.node("Foo", ["x"], ["a"]), ONNXBytes.node("Relu", ["z"], ["b"]),
      ONNXBytes.node("Add", ["a", "b"], ["c"]), ONNXBytes.node("Neg", ["x", "x"], ["y"]),
    ])
    #expect(messages(about: bytes).count == 3)
  }

  @Test func axesWithoutNumbersAreListed() throws {
    let bytes = ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"])], axes: ["batch", "", "frames"])
    #expect(
      messages(about: bytes) == [
        "net.onnx: axes without numbers: 'batch' of 'x', 'x_1' of 'x', 'frames_' of 'x'; give each one, such as "
          + "--bind batch=1 --bind x_1=1 --bind frames_=1"
      ])
    #expect(messages(about: bytes, extents: ["batch": 2, "x_1": 1, "frames_": 3]) == [])
    let document = try ModelDocument.decode(bytes, file: "net.onnx", extents: ["x_1": 4])
    #expect(document.symbols == ["batch", "frames_"])
  }

  // MARK: Too much

  /// Constants of many numbers, of few bytes.
  @Test(arguments: [
    ("ConstantOfShape", [1 << 40]), ("ConstantOfShape", [1 << 24, 1 << 24]), ("ConstantOfShape", [-1]),
    ("Expand", [1 << 30, 2, 3]), ("Tile", [1 << 31, 1]), ("Reshape", [Int.max, 2]), ("Reshape", [-1, -1]),
  ])
  func shapesOfNothing(op: String, shape: [Int]) {
    let inputs = op == "ConstantOfShape" ? ["s"] : ["x", "s"]
    let bytes = ONNXBytes.model(
      [ONNXBytes.node(op, inputs, ["y"])], tensors: [ONNXBytes.tensor("s", shape)])
    let lines = messages(about: bytes)
    #expect(lines.count == 1 && lines.allSatisfy(isOneLine), "\(op) \(shape): \(lines)")
  }

  /// Sixteen million numbers, a thousand times over.
  @Test func constantsHaveABudget() {
    let nodes = (0..<1000).map { ONNXBytes.node("ConstantOfShape", ["s"], ["c\($0)"]) }
    let bytes = ONNXBytes.model(
      nodes + [ONNXBytes.node("Neg", ["x"], ["y"])], tensors: [ONNXBytes.tensor("s", [1 << 24])])
    #expect(
      messages(about: bytes).contains { $0.contains("too many numbers would be made of its constants") })
  }

  @Test func aFunctionCannotUseItself() {
    let (one, other) = (
      ONNXBytes.function(
        "F", [ONNXBytes.node("G", ["a"], ["b"], domain: "own")], inputs: ["a"], outputs: ["b"]),
      ONNXBytes.function(
        "G", [ONNXBytes.node("F", ["a"], ["b"], domain: "own")], inputs: ["a"], outputs: ["b"])
    )
    let bytes = ONNXBytes.model([ONNXBytes.node("F", ["x"], ["y"], domain: "own")], functions: [one, other])
    #expect(messages(about: bytes) == ["net.onnx: the node of 'b' (F): a function cannot use itself"])
  }

  /// Ten functions, of which each uses the next four times, are a million nodes.
  @Test func functionsWithinFunctionsHaveABudget() {
    let functions = (0..<10).map { level in
      ONNXBytes.function(
        "F\(level)",
        (0..<4).map { turn in
          let (input, output) = (turn == 0 ? "a" : "v\(turn)", turn == 3 ? "b" : "v\(turn + 1)")
          return level == 9
            ? ONNXBytes.node("Neg", [input], [output])
            : ONNXBytes.node("F\(level + 1)", [input], [output], domain: "own")
        }, inputs: ["a"], outputs: ["b"])
    }
    let bytes = ONNXBytes.model([ONNXBytes.node("F0", ["x"], ["y"], domain: "own")], functions: functions)
    let lines = messages(about: bytes)
    #expect(!lines.isEmpty && lines.allSatisfy(isOneLine), "\(lines.prefix(3))")
  }

  @Test func loopsHaveAnEnd() {
    let body = ONNXBytes.graph(
      [ONNXBytes.node("Identity", ["on"], ["still"]), ONNXBytes.node("Neg", ["v"], ["w"])],
      inputs: [ONNXBytes.port("i", []), ONNXBytes.port("on", []), ONNXBytes.port("v", ["2", "3"])],
      outputs: ["still", "w"])
    let bytes = ONNXBytes.model([
      ONNXBytes.node(
        "Loop", ["", "", "x"], ["y"], name: "l", attributes: [ONNXBytes.attribute("body", graph: body)])
    ])
    #expect(
      messages(about: bytes) == [
        "net.onnx: node 'l' (Loop): it turns more than 64 times, and no constant says how often"
      ])
  }

  // MARK: Files beside it

  /// Weights in other files: those of the model's folder, as far as they go.
  @Test(
    arguments: [
      ("w.bin", 4, 24, nil), ("w.bin", 8, 24, "would be 24 bytes from byte 8 of 'w.bin', which has 28"),
      ("w.bin", Int.max, 24, "would be 24 bytes from byte \(Int.max)"),
      ("w.bin", 4, 20, "has 20 bytes; 6 numbers of its kind take 24"),
      ("v.bin", 0, 24, "the file 'v.bin' is not there"),
      ("../w.bin", 4, 24, "the file '../w.bin' lies outside the folder"),
      ("/etc/passwd", 0, 24, "the file '/etc/passwd' lies outside the folder"),
      ("link.bin", 4, 24, "the file 'link.bin' is a link that leads out of the folder"),
    ] as [(String, Int, Int, String?)])
  func weightsInOtherFiles(path: String, offset: Int, length: Int, message: String?) throws {
    let folder = try TemporaryFolder()
    let numbers = [9, 1, 2, 3, 4, 5, 6].map { Float($0).bitPattern }
    try folder.makeFolder("inner")
    let data = numbers.flatMap { bits in (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } }
    try folder.make("inner/w.bin", data)
    try FileManager.default.createSymbolicLink(
      atPath: folder("inner/link.bin"), withDestinationPath: try folder.make("w.bin", data))
    let tensor = ONNXBytes.tensor("w", shape: [2, 3], file: path, offset: offset, length: length)
    let bytes = ONNXBytes.model([ONNXBytes.node("Add", ["x", "w"], ["y"])], tensors: [tensor])
    let file = try folder.make("inner/net.onnx", bytes)
    do {
      let model = try Model(contentsOf: file)
      #expect(message == nil, "\(path) was read")
      let result = try model.graph(extents: [:], sampleRate: nil)
      #expect(result.weights.map { Array($0.values) } == [[1, 2, 3, 4, 5, 6]])
    } catch {
      let text = "\(error)"
      #expect(message.map { text.contains($0) } == true, "\(path): \(text)")
    }
  }

  /// Also those of a node, of a body and of a function.
  @Test(arguments: ["node", "body", "function"]) func numbersOfNodesInOtherFiles(place: String) throws {
    let folder = try TemporaryFolder()
    try folder.make(
      "w.bin",
      [1, 2, 3, 4, 5, 6].flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: Float(number).bitPattern >> (8 * $0)) }
      })
    let tensor = ONNXBytes.tensor("", shape: [2, 3], file: "w.bin", offset: 0, length: 24)
    let constant = ONNXBytes.node(
      "Constant", [], ["w"], attributes: [ONNXBytes.attribute("value", tensor: tensor)])
    let sum = ONNXBytes.node("Add", ["x", "w"], ["y"])
    let bytes: [UInt8]
    switch place {
    case "node": bytes = ONNXBytes.model([constant, sum])
    case "body":
      let body = ONNXBytes.graph([constant, sum], outputs: ["y"])
      let condition = ONNXBytes.tensor("yes", [1], shape: [], areTruths: true)
      bytes = ONNXBytes.model(
        [
          ONNXBytes.node(
            "If", ["yes"], ["y"],
            attributes: ["then_branch", "else_branch"].map { ONNXBytes.attribute($0, graph: body) })
        ], tensors: [condition])
    default:
      let function = ONNXBytes.function("Shifted", [constant, sum], inputs: ["x"], outputs: ["y"])
      bytes = ONNXBytes.model(
        [ONNXBytes.node("Shifted", ["x"], ["y"], domain: "own")], functions: [function])
    }
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes))
    let graph = try model.graph(extents: [:], sampleRate: nil)
    #expect(graph.weights.map { Array($0.values) } == [[1, 2, 3, 4, 5, 6]])
  }
}
