// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import TensorFiles
import TestEquipment
import Testing

/// Files that the package safetensors wrote, or somebody's hand; `files/make-files` made them.
@Suite struct TensorFileTests {
  @Test func aFileOfFloatsIsRead() throws {
    let file = try TensorBytes.open(try TensorBytes.sample("floats"))
    #expect(file.metadata == ["format": "np", "an amplifier": "größer\t\\"])
    #expect(file.entries.count == 6 && file.entries.allSatisfy { $0.element == .f32 })
    #expect(file.entry("layer.weight")?.shape == [2, 3])
    #expect(try file.numbers("layer.weight") == [-0.25, -0.125, 0, 0.125, 0.25, 0.375])
    let limits: [Float] = [0, -0.0, 0x1p-149, .greatestFiniteMagnitude, -.greatestFiniteMagnitude]
    #expect(try file.numbers("layer.bias") == Numbers(limits))
    #expect(try file.entry("gain")?.shape == [] && file.numbers("gain") == [0.5])
    #expect(try file.entry("nothing")?.shape == [0, 4] && file.numbers("nothing") == [])
    #expect(try file.numbers("dense/kernel:0") == [1.5])
    #expect(try file.numbers("Überraschung \"x\"\n") == [7])
    #expect(file.entry("layer") == nil)
  }

  /// To the bit, as NumPy has them.
  @Test(arguments: [("half", TensorElement.f16), ("brain", .bf16)])
  func halvesBecomeFloats(name: String, element: TensorElement) throws {
    let file = try TensorBytes.open(try TensorBytes.sample("halves"))
    #expect(file.entry(name)?.element == element)
    let (numbers, expected) = (try file.numbers(name), try file.numbers("\(name) as f32"))
    #expect(numbers.count > 100 && numbers == expected)
  }

  @Test func numbersMayBeginAnywhere() throws {
    let file = try TensorBytes.open(try TensorBytes.sample("odd"))
    #expect(file.entries.map(\.name) == ["b", "a"])
    #expect(try file.numbers("a") == [1, 2] && file.numbers("b") == [3])
  }

  @Test func otherKindsAreSeenAndNotRead() throws {
    let file = try TensorBytes.open(try TensorBytes.sample("kinds"))
    #expect(file.entry("count")?.element == .i64 && file.entry("mask")?.element == .boolean)
    #expect(try file.numbers("used") == [0.1, 0.2])
    #expect(
      throws: TensorFileError(
        "amp.safetensors", tensor: "exact", "holds F64; save it as one of F32, F16, BF16")
    ) {
      try file.numbers("exact")
    }
  }

  /// A window into the file, which stays as long as the window does.
  @Test func floatsAreNotCopied() throws {
    let tensors = [Weights(name: "a", shape: [4], values: [1, 2, 3, 4])]
    var file: TensorFile? = try TensorBytes.open(TensorFileText(tensors).bytes)
    let (first, second) = (try file!.numbers("a"), try file!.numbers("a"))
    #expect(unsafe first.unsafeBytes.baseAddress == second.unsafeBytes.baseAddress)
    file = nil
    #expect(first == [1, 2, 3, 4])
  }

  @Test(arguments: [0, FileBytes.mostRead]) func filesAreReadOrMapped(mostRead: Int) throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("a.safetensors", TensorBytes.sample("floats"))
    let descriptor = unsafe open(path, O_RDONLY)
    let bytes = try #require(FileBytes(descriptor: descriptor, mostRead: mostRead))
    close(descriptor)
    let file = try TensorFile(bytes, file: path)
    #expect(try file.numbers("layer.weight") == [-0.25, -0.125, 0, 0.125, 0.25, 0.375])
  }

  // MARK: Writing

  @Test func whatIsWrittenIsRead() throws {
    let tensors = [
      Weights(name: "lstm.weight_ih_l0", shape: [2, 1], values: [1, -2]),
      Weights(name: "\"\\\n ü", shape: [], values: [0.5]), Weights(name: "none", shape: [3, 0], values: []),
    ]
    let metadata = ["step": "12", "a \"b\"": "\u{1}"]
    let bytes = TensorFileText(tensors, metadata: metadata).bytes
    let file = try TensorBytes.open(bytes)
    #expect(file.metadata == metadata && file.entries.map(\.name) == tensors.map(\.name))
    for tensor in tensors {
      #expect(file.entry(tensor.name)?.shape == tensor.shape)
      #expect(try file.numbers(tensor.name) == tensor.values)
    }
    #expect(bytes == TensorFileText(tensors, metadata: metadata).bytes)
    #expect(try TensorBytes.open(TensorFileText([]).bytes).entries.isEmpty)
  }
}
