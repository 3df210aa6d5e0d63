// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import LegatoEquipment
import NativeCode
import RealtimeCore
import TensorFiles
import TestEquipment
import Testing

/// Files of weights beside models on a disk, and in a builder.
@Suite struct WeightsFileTests {
  private static let model = """
    { "legato": 1, "name": "Amp", "inputs": { "x": { "shape": [2, "frames"] } },
      "weights": { "file": "FILE" }, "graph": { "y": "dense(x, 'head.weight', axis: 0)" }, "outputs": ["y"] }
    """

  private static let weights = Weights(name: "head.weight", shape: [2, 2], values: [0.5, 1, -1, 2])

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("rig")
    try folder.make("rig/amp.safetensors", try TensorFileText([Self.weights]).bytes)
    try folder.make("outside.safetensors", TensorFileText([Self.weights]).bytes)
  }

  private func model(_ file: String) throws -> Model {
    try folder.make("rig/m.json", Self.model.replacing("FILE", with: file))
    return try Model(contentsOf: folder("rig/m.json"))
  }

  @Test func aModelAndABuilderMakeTheSame() throws {
    let model = try model("amp.safetensors")
    #expect(model.usedFiles == [folder("rig/amp.safetensors")])
    #expect(model.files == [folder("rig/m.json"), folder("rig/amp.safetensors")])
    let builder = GraphBuilder("Amp")
    let file = try WeightsFile(contentsOf: folder("rig/amp.safetensors"))
    #expect(file.tensors.map(\.name) == ["head.weight"] && file.tensors.map(\.type) == ["F32"])
    #expect(file.tensors.map(\.shape) == [[2, 2]])
    builder.output(
      "y", builder.input("x", channels: 2).dense(weight: builder.weights("head.weight", from: file), axis: 0))
    #expect(try builder.compilation().graphText == model.compilation().graphText)
  }

  /// A recurrent layer that names a module has all of its layers, by the names that PyTorch gives them.
  @Test func aModuleIsAllItsLayers() throws {
    func array(_ name: String, _ shape: [Int]) -> GraphIR.Weights {
      let count = shape.reduce(1, *)
      return Weights(name: name, shape: shape, values: Numbers((0..<count).map { Float($0 - 2) / 8 }))
    }
    let arrays = [
      array("rec.weight_ih_l0", [6, 2]), array("rec.weight_hh_l0", [6, 2]), array("rec.bias_ih_l0", [6]),
      array("rec.bias_hh_l0", [6]), array("rec.weight_ih_l1", [6, 2]), array("rec.weight_hh_l1", [6, 2]),
      array("rec.bias_ih_l1", [6]), array("rec.bias_hh_l1", [6]),
    ]
    try folder.make("rig/amp.safetensors", TensorFileText(arrays).bytes)
    func model(_ expression: String) throws -> Model {
      let text = Self.model.replacing("FILE", with: "amp.safetensors")
      try folder.make(
        "rig/m.json", text.replacing("dense(x, 'head.weight', axis: 0)", with: expression))
      return try Model(contentsOf: folder("rig/m.json"))
    }
    let file = try WeightsFile(contentsOf: folder("rig/amp.safetensors"))
    let builder = GraphBuilder("Amp")
    builder.output("y", builder.input("x", channels: 2).gru("rec", from: file, reset: .before, axis: 0))
    let text = try model("gru(x, 'rec', reset: 'before', axis: 0)").compilation().graphText
    #expect(try builder.compilation().graphText == text)
    let layers = [
      "'rec.weight_ih_l0', 'rec.weight_hh_l0', 'rec.bias_ih_l0', 'rec.bias_hh_l0'",
      "'rec.weight_ih_l1', 'rec.weight_hh_l1', 'rec.bias_ih_l1', 'rec.bias_hh_l1'",
    ]
    let written =
      "gru(gru(x, \(layers[0]), reset: 'before', axis: 0), \(layers[1]), reset: 'before', axis: 0)"
    #expect(try model(written).compilation().graphText == text)
    #expect(
      reportedProblems { _ = try model("gru(x, 'rec', initial: 'rec.bias_ih_l0')").compilation() }.count == 1)
    #expect(
      reportedProblems { _ = try model("gru(x, 'rec', bias: 'rec.bias_ih_l0')").compilation() }.count == 1)
    try folder.make(
      "rig/amp.safetensors", TensorFileText(arrays + [array("rec.weight_ih_l0_reverse", [6, 2])]).bytes)
    let found = reportedProblems { _ = try model("gru(x, 'rec')").compilation() }
    #expect(found.count == 1 && found[0].contains("'rec' goes in both directions"), "\(found)")
  }

  /// A module that is not whole is another sound.
  @Test(arguments: [
    (["weight_ih_l0", "weight_hh_l0"], "weight_ih_l2", "weight_ih_l0"),
    (["weight_ih_l1", "weight_hh_l1", "bias_ih_l1"], "weight_ih_l2", "weight_ih_l1"),
    (["weight_hh_l2"], "weight_hh_l1", "weight_hh_l2"), (["weight_ih_l2"], "weight_ih_l1", "weight_ih_l2"),
    (["bias_ih_l0"], "bias_ih_l2", "bias_ih_l0"), (["bias_ih_l2"], "bias_ih_l1", "bias_ih_l2"),
  ])
  func aModuleIsPlayedWhole(gone: [String], known: String, missing: String) throws {
    let names = (0..<3).flatMap { layer in
      ["weight_ih_l", "weight_hh_l", "bias_ih_l"].map { "\($0)\(layer)" }
    }
    let arrays = names.filter { !gone.contains($0) }.map { name in
      let shape = name.hasPrefix("bias") ? [2] : [2, 2]
      return Weights(
        name: "a.rec.\(name)", shape: shape,
        values: Numbers([Float](repeating: 0.25, count: shape.reduce(1, *))))
    }
    try folder.make("rig/amp.safetensors", TensorFileText(arrays).bytes)
    let text = Self.model.replacing("FILE", with: "amp.safetensors")
    try folder.make(
      "rig/m.json", text.replacing("dense(x, 'head.weight', axis: 0)", with: "rnn(x, 'a.rec', axis: 0)"))
    let message =
      "the module 'a.rec' has 'a.rec.\(known)', and no 'a.rec.\(missing)'; a module is played whole"
    let found = reportedProblems { _ = try Model(contentsOf: folder("rig/m.json")).compilation() }
    #expect(found.count == 1 && found[0].hasSuffix(": \(message)"), "\(found)")
    let builder = GraphBuilder("Amp")
    let file = try WeightsFile(contentsOf: folder("rig/amp.safetensors"))
    builder.output("y", builder.input("x", channels: 2).rnn("a.rec", from: file, axis: 0))
    #expect(reportedProblems(of: builder) == ["Amp: \(message)"])
    // Within another model the file says the same.
    try folder.make(
      "rig/whole.json",
      text.replacing("\"weights\": { \"file\": \"amp.safetensors\" }, ", with: "")
        .replacing("dense(x, 'head.weight', axis: 0)", with: "model('m.json', x)"))
    let within = reportedProblems { _ = try Model(contentsOf: folder("rig/whole.json")).compilation() }
    #expect(within.count == 1 && within[0].contains(message), "\(within)")
  }

  /// Panels lie where the program has them, and nowhere else.
  @Test func aProgramHasThePlansWeights() throws {
    let compilation = try model("amp.safetensors").compilation()
    let bytes = unsafe try #require(compilation.program().weights).bytes
    #expect(unsafe bytes.baseAddress == compilation.compiled.plan.weights.unsafeBytes.baseAddress)
    #expect(bytes.count == 16)
  }

  @Test(
    arguments: [
      ("../outside.safetensors", "lies outside the folder of"),
      ("/etc/hostname", "lies outside the folder of"),
      ("link.safetensors", "is a link that leads out of the folder"), ("gone.safetensors", "is not there"),
      ("sub", "is no ordinary file"), ("pipe", "is no ordinary file"),
    ])
  func theyStayInTheModelsFolder(file: String, message: String) throws {
    try folder.makeFolder("rig/sub")
    unsafe mkfifo(folder("rig/pipe"), 0o600)
    unsafe symlink("../outside.safetensors", folder("rig/link.safetensors"))
    let found = reportedProblems { _ = try model(file) }
    #expect(found.count == 1 && found[0].contains(message) && found[0].contains("rig/m.json:2:"), "\(found)")
  }

  @Test func aLinkWithinTheFolderIsFollowed() throws {
    unsafe symlink("amp.safetensors", folder("rig/link.safetensors"))
    #expect(try model("link.safetensors").compilation().weightsBytes == 16)
  }

  @Test func whatABuilderCannotHaveIsSaid() throws {
    let builder = GraphBuilder("Amp")
    let file = try WeightsFile(contentsOf: folder("rig/amp.safetensors"))
    builder.output("y", builder.input("x", channels: 2) * builder.weights("tail", from: file))
    let found = reportedProblems { _ = try builder.compilation() }
    #expect(
      found.contains { $0.contains("the tensor 'tail' of") && $0.hasSuffix("is not there") }, "\(found)")
    #expect(throws: ModelError.self) { try WeightsFile(contentsOf: folder("gone.safetensors")) }
    #expect(throws: ModelError.self) { try WeightsFile(contentsOf: folder("rig")) }
    try folder.make("text.safetensors", "text, and more of it")
    #expect(reportedProblems { _ = try WeightsFile(contentsOf: folder("text.safetensors")) }.count == 1)
  }

  /// Whoever shortens it, or writes into it, changes nothing of what was read, however long it is; what was let go is
  /// not read from another file.
  @Test func aLongFileIsTheModelsOwn() throws {
    let count = 2500
    let numbers = Numbers(count: count * count) { for place in $0.indices { $0[place] = Float(place % 7) } }
    let long = Weights(name: "head.weight", shape: [count, count], values: numbers)
    let file = try folder.make("rig/long.safetensors", TensorFileText([long]).bytes)
    let text = Self.model.replacing("FILE", with: "long.safetensors").replacing("[2, ", with: "[\(count), ")
    try folder.make("rig/m.json", text)
    let model = try Model(contentsOf: folder("rig/m.json"))
    #expect(unsafe truncate(file, 100) == 0)
    let packed = try model.compilation().compiled.plan.weights
    func counts(_ numbers: Numbers) -> [Int] {
      numbers.reduce(into: [Int](repeating: 0, count: 7)) { $0[Int($1)] += 1 }
    }
    #expect(counts(packed)[1...] == counts(numbers)[1...])
    let found = reportedProblems { _ = try model.compilation() }
    #expect(found.count == 1 && found[0].contains("was changed while it was read"), "\(found)")
    #expect(try !String(contentsOfFile: "/proc/self/maps", encoding: .utf8).contains(file))
  }

  @Test func foldersThatAreLinksAreFollowedWithinTheModels() throws {
    try folder.makeFolder("rig/sub")
    try folder.make("rig/sub/amp.safetensors", TensorFileText([Self.weights]).bytes)
    unsafe symlink("sub", folder("rig/inside"))
    unsafe symlink("..", folder("rig/outwards"))
    unsafe symlink("rig", folder("linked"))
    #expect(try model("inside/amp.safetensors").compilation().weightsBytes == 16)
    // The model itself may be reached by any link.
    #expect(
      try Model(contentsOf: folder("linked/m.json")).usedFiles == [folder("linked/inside/amp.safetensors")])
    let found = reportedProblems { _ = try model("outwards/outside.safetensors") }
    #expect(found.count == 1 && found[0].contains("is a link that leads out of the folder"), "\(found)")
  }

  /// It begins with the file, which is named once.
  @Test func messagesAboutABuildersFile() throws {
    let short = try folder.make("text.safetensors", "short")
    #expect(
      reportedProblems { _ = try WeightsFile(contentsOf: short) }
        == ["\(short): the file is no safetensors file: it has 5 bytes"])
    let cut = try folder.make("cut.safetensors", TensorFileText([Self.weights]).bytes.dropLast())
    #expect(
      reportedProblems { _ = try WeightsFile(contentsOf: cut) }
        == ["\(cut): the tensor 'head.weight' ends 1 byte behind the end of the file; it is cut off"])
  }
}
