// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TensorFiles
import TestEquipment
import Testing

@Suite struct TensorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aShapeHasItsNumbers() throws {
    let tensor = try Tensor(shape: [2, 3], values: [1, 2, 3, 4, 5, 6])
    #expect(tensor.shape == [2, 3] && tensor.values.count == 6)
    #expect(Tensor(2).shape == [] && Tensor([1, 2]).shape == [2])
    for (shape, message) in [
      ([2, 3], "a tensor of shape [2, 3] has 6 numbers, not 5"),
      ([-1], "a tensor of shape [-1] has no number of"),
      ([.max, .max], "has no number of numbers"), ([], "a tensor of shape [] has 1 numbers, not 5"),
    ] {
      do throws(TensorError) {
        _ = try Tensor(shape: shape, values: [1, 2, 3, 4, 5])
        Issue.record("\(shape) was taken")
      } catch {
        #expect(error.description.contains(message), "\(error)")
      }
    }
  }

  @Test func whatIsWrittenIsRead() throws {
    let tensor = try Tensor(shape: [2, 2], values: [1, -2, .infinity, 0.5])
    try tensor.write(to: folder("a.npy"))
    try tensor.write(to: folder("a.npy"))
    #expect(try Tensor(contentsOf: folder("a.npy")) == tensor)
    #expect(try folder.names == ["a.npy"])
    try folder.make("b.npz", TensorArchive.npz([("x", tensor), ("y", Tensor(1))]))
    let archive = try TensorArchive(contentsOf: folder("b.npz"))
    #expect(try archive.names == ["x", "y"] && archive.shape("y") == [])
    #expect(try Tensor(contentsOf: folder("b.npz"), named: "x") == tensor)
    let weights = Weights(name: "w", shape: [3], values: [1, 2, 3])
    try folder.make("c.safetensors", TensorFileText([weights]).bytes)
    #expect(try Tensor(contentsOf: folder("c.safetensors")) == Tensor([1, 2, 3]))
  }

  @Test func whatIsNotThereIsSaid() throws {
    try folder.make("b.npz", TensorArchive.npz([("in", Tensor(1)), ("out", Tensor(1))]))
    try Tensor(1).write(to: folder("a.npy"))
    try folder.make("text.npy", "no array")
    try folder.makeFolder("folder")
    for (file, name, reason) in [
      ("none.npy", nil, "no such file"), ("folder", nil, "is no ordinary file"),
      (
        "text.npy", nil, "the file is no file of arrays; those of NumPy (.npy, .npz) and safetensors are read"
      ),
      ("b.npz", nil, "the file has 'in' and 'out'; say which"),
      ("b.npz", "ou", "the file has no tensor 'ou'; did you mean 'out'?"),
      ("a.npy", "x", "the file has one tensor, which has no name, and 'x' is asked for"),
    ] as [(String, String?, String)] {
      #expect(throws: TensorError.unreadable(path: folder(file), reason: reason)) {
        try Tensor(contentsOf: folder(file), named: name)
      }
    }
    #expect(throws: TensorError.self) { try Tensor(1).write(to: folder("none/a.npy")) }
    #expect(throws: TensorError.unwritable(path: "npz", reason: "the tensor 'x' stands twice")) {
      try TensorArchive.npz([("x", Tensor(1)), ("x", Tensor(2))])
    }
  }

  @Test func differences() throws {
    let a = try Tensor(shape: [2, 2], values: [1, 2, .nan, .infinity])
    #expect(TensorDifference(of: a, from: a, beyond: 0) == nil)
    let b = try Tensor(shape: [2, 2], values: [1.5, 2.25, .nan, .infinity])
    let found = try #require(TensorDifference(of: a, from: b, beyond: 0.25))
    #expect(found.count == 1 && found.largest == 0.5 && found.position == [0, 0])
    #expect(found.found == 1 && found.expected == 1.5)
    let c = try Tensor(shape: [2, 2], values: [1, .nan, 0, -.infinity])
    let worst = try #require(TensorDifference(of: a, from: c, beyond: 1))
    #expect(worst.count == 3 && worst.largest == .infinity && worst.position == [0, 1])
    #expect(TensorDifference(of: Tensor(1), from: Tensor(3), beyond: 1)?.position == [])
  }
}
