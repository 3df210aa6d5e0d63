// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
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
    try folder.make("rig/amp.safetensors", TensorFileText([Self.weights]).bytes)
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

  /// A file that is too long to be read is mapped; its numbers are used where they stand.
  @Test func aLongFileIsMapped() throws {
    let count = 2500
    let numbers = Numbers(count: count * count) { for place in $0.indices { $0[place] = Float(place % 7) } }
    let long = Weights(name: "head.weight", shape: [count, count], values: numbers)
    try folder.make("rig/long.safetensors", TensorFileText([long]).bytes)
    let text = Self.model.replacing("FILE", with: "long.safetensors").replacing("[2, ", with: "[\(count), ")
    try folder.make("rig/m.json", text)
    let graph = try Model(contentsOf: folder("rig/m.json")).compilation().compiled.source
    #expect(graph.weights[0].values == numbers)
    let address = UInt(bitPattern: unsafe graph.weights[0].values.unsafeBytes.baseAddress)
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
    let map = maps.first { line in
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      return ends.count == 2 && (ends[0]..<ends[1]).contains(address)
    }
    #expect(map?.hasSuffix("rig/long.safetensors") == true, "\(map ?? "")")
  }
}
