// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TestEquipment
import Testing

/// Weights of files that are in memory once: as they were read, until they are packed, and then as the program reads them.
@Suite struct LargeWeightsTests {
  enum Place: CaseIterable { case file, fileBeside, model }

  private static let size = 512
  private static let names = ["one", "two", "three"]
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A product by three matrices, of which matrix k moves what it multiplies by k on to the next place.
  private func network(_ place: Place) throws -> (path: String, weights: String) {
    let size = Self.size
    let matrices = (1...3).map { k in
      var bytes = [UInt8](repeating: 0, count: 4 * size * size)
      let number = (0..<4).map { UInt8(truncatingIfNeeded: Float(k).bitPattern >> (8 * $0)) }
      for row in 0..<size - 1 {
        let place = 4 * (row * size + row + 1)
        bytes.replaceSubrange(place..<place + 4, with: number)
      }
      return bytes
    }
    let tensors = matrices.indices.map { k in
      guard place == .fileBeside else {
        return [size, size].flatMap { ONNXBytes.field(1, $0) } + ONNXBytes.field(2, 1)
          + ONNXBytes.field(9, matrices[k]) + ONNXBytes.field(8, Self.names[k])
      }
      return ONNXBytes.tensor(
        Self.names[k], shape: [size, size], file: "net.data", offset: k * matrices[k].count,
        length: matrices[k].count)
    }
    let values = ["x", "a", "b", "y"]
    let nodes = (0..<3).map { ONNXBytes.node("MatMul", [values[$0], Self.names[$0]], [values[$0 + 1]]) }
    let path = try folder.make("net.onnx", ONNXBytes.model(nodes, tensors: tensors, axes: ["1", "\(size)"]))
    switch place {
    case .file: return (path, path)
    case .fileBeside: return (path, try folder.make("net.data", matrices.joined()))
    case .model:
      let (text, weights) = try Model(contentsOf: path).imported(weightsIn: "net.safetensors")
      return (try folder.make("net.json", text), try folder.make("net.safetensors", weights))
    }
  }

  /// Weights that become halves are rounded, however many there are.
  @Test(arguments: [10, 70_000]) func halves(count: Int) throws {
    let number = (0..<4).map { UInt8(truncatingIfNeeded: Float(0.1).bitPattern >> (8 * $0)) }
    try folder.make("w.bin", (0..<count).flatMap { _ in number })
    let bytes = ONNXBytes.model(
      [
        ONNXBytes.node("Cast", ["w"], ["half"], attributes: [ONNXBytes.attribute("to", 10)]),
        ONNXBytes.node("Cast", ["half"], ["float"], attributes: [ONNXBytes.attribute("to", 1)]),
        ONNXBytes.node("Add", ["x", "float"], ["y"]),
      ], tensors: [ONNXBytes.tensor("w", shape: [count], file: "w.bin", offset: 0, length: 4 * count)],
      axes: ["\(count)"])
    let graph = try Model(contentsOf: folder.make("half.onnx", bytes)).graph(extents: [:], sampleRate: nil)
    #expect(graph.weights.map { Set($0.values) } == [[0.0999755859375]])
  }

  private func large(_ graph: Graph) -> [Numbers] {
    graph.weights.map(\.values).filter { $0.count == Self.size * Self.size }
  }

  private func check(_ compilation: Compilation) throws {
    var runner = try StepRunner(compilation)
    let x = (0..<Self.size).map { Float($0 % 7) }
    let made = try runner.step(["x": try Tensor(shape: [1, Self.size], values: x)])
    let expected = (0..<Self.size).map { $0 < 3 ? 0 : 6 * x[$0 - 3] }
    #expect(made["y"]?.values == expected)
  }

  @Test(arguments: Place.allCases) func whatIsPackedIsLetGo(place: Place) throws {
    let graph = try Model(contentsOf: network(place).path).graph(extents: [:], sampleRate: nil)
    let arrays = large(graph)
    let bytes = 3 * Self.size * Self.size * MemoryLayout<Float>.stride
    #expect(arrays.count == 3 && arrays.allSatisfy(\.canBeMadeAgain))
    // Those of MatMul are views of the file's.
    #expect(arrays.reduce(0) { $0 + $1.bytesInMemory } == (place == .model ? bytes : 0))
    let compilation = try Compilation(graph, CompilerOptions())
    #expect(compilation.weightsBytes == bytes)
    #expect(arrays.allSatisfy { $0.bytesInMemory == 0 })
    try check(compilation)
    // Once more, of numbers that are read again.
    try check(try Compilation(graph, CompilerOptions()))
    #expect(arrays.allSatisfy { $0.bytesInMemory == 0 })
  }

  /// A file that was touched, or written once more with the same bytes, is read again; one with others is refused.
  @Test(arguments: Place.allCases) func theNumbersTellWhetherTheyAreTheSame(place: Place) throws {
    let (path, weights) = try network(place)
    let graph = try Model(contentsOf: path).graph(extents: [:], sampleRate: nil)
    _ = try Compilation(graph, CompilerOptions())
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: weights)
    try check(try Compilation(graph, CompilerOptions()))
    let file = try FileHandle(forUpdating: URL(filePath: weights))
    let end = try file.seekToEnd()
    try file.seek(toOffset: end / 2 / 4 * 4)
    try file.write(contentsOf: Data([0, 0, 0x80, 0x3F]))
    try file.close()
    #expect(throws: (any Error).self) { try Compilation(graph, CompilerOptions()) }
  }

  /// A program keeps its weights, whatever becomes of the file; another one is refused.
  @Test(arguments: Place.allCases) func aFileThatShrinksEndsNothing(place: Place) throws {
    let (path, weights) = try network(place)
    let model = try Model(contentsOf: path)
    let graph = try model.graph(extents: [:], sampleRate: nil)
    let compilation = try Compilation(graph, CompilerOptions())
    #expect(unsafe truncate(weights, 100) == 0)
    try check(compilation)
    let isSaid = { (error: any Error) in "\(error)".contains("was changed while it was read") }
    #expect(performing: { try Compilation(graph, CompilerOptions()) }, throws: isSaid)
    #expect(performing: { try model.compilation() }, throws: isSaid)
  }
}
