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

  @Test func escapesInNamesAreRead() throws {
    let name = "\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\uDE00"
    let file = try TensorBytes.open(
      TensorBytes.file("{\"\(name)\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", zeros: 4))
    #expect(file.entries.map(\.name) == ["\"\\/\u{8}\u{C}\n\r\té€😀"])
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

  /// Once for all who have it, and not kept for nobody.
  @Test func aTensorIsReadOnce() throws {
    let file = try TensorBytes.open(try TensorBytes.sample("halves"))
    var first: Numbers? = try file.numbers("half")
    #expect(try first === file.numbers("half"))
    weak let watched = first
    first = nil
    #expect(watched == nil)
  }

  private static let stored = Weights(name: "a", shape: [4], values: [1, 2, 3, 4])

  private func open(_ path: String) throws -> TensorFile {
    let reader = try #require(FileReader(taking: unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC)))
    return try TensorFile(reader, file: "amp.safetensors")
  }

  private static let damages: [@Sendable (FileHandle) throws -> Void] = [
    { try $0.truncate(atOffset: 0) },
    { try $0.truncate(atOffset: $0.seekToEnd() - 1) },
    {
      try $0.seekToEnd()
      try $0.write(contentsOf: [0])
    },
    {
      try $0.write(contentsOf: [UInt8](repeating: 0xFF, count: 100))
      // However coarse the clock is.
      let times = [timespec](repeating: timespec(tv_sec: 1, tv_nsec: 0), count: 2)
      unsafe futimens($0.fileDescriptor, times)
    },
  ]

  /// Numbers that were read stay, and those that are not read any more are said.
  @Test(arguments: damages.indices) func aFileMayChangeWhileItIsUsed(damage: Int) throws {
    let folder = try TemporaryFolder()
    let more = Weights(name: "b", shape: [100], values: Numbers((0..<100).map(Float.init)))
    let path = try folder.make("a.safetensors", TensorFileText([Self.stored, more]).bytes)
    let file = try open(path)
    let numbers = try file.numbers("a")
    try Self.damages[damage](FileHandle(forUpdating: URL(fileURLWithPath: path)))
    #expect(numbers == [1, 2, 3, 4])
    #expect(throws: TensorFileError("amp.safetensors", tensor: "b", "was changed while it was read")) {
      try file.numbers("b")
    }
  }

  /// Another one gets its name, as careful writers do it.
  @Test func aFileMayBeReplacedWhileItIsUsed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("a.safetensors", TensorFileText([Self.stored]).bytes)
    let file = try open(path)
    #expect(unsafe rename(try folder.make("b"), path) == 0)
    #expect(try file.numbers("a") == [1, 2, 3, 4])
  }

  // MARK: Writing

  @Test func whatIsWrittenIsRead() throws {
    let tensors = [
      Weights(name: "lstm.weight_ih_l0", shape: [2, 1], values: [1, -2]),
      Weights(name: "\"\\\n ü", shape: [], values: [0.5]), Weights(name: "none", shape: [3, 0], values: []),
    ]
    let metadata = ["step": "12", "a \"b\"": "\u{1}"]
    let bytes = try TensorFileText(tensors, metadata: metadata).bytes
    let file = try TensorBytes.open(bytes)
    #expect(file.metadata == metadata && file.entries.map(\.name) == tensors.map(\.name))
    for tensor in tensors {
      #expect(file.entry(tensor.name)?.shape == tensor.shape)
      #expect(try file.numbers(tensor.name) == tensor.values)
    }
    #expect(try bytes == TensorFileText(tensors, metadata: metadata).bytes)
    #expect(try TensorBytes.open(TensorFileText([]).bytes).entries.isEmpty)
  }

  @Test(
    arguments: [
      ([Weights(name: "a", shape: [2], values: [1])], "takes 8 bytes, and has 4"),
      ([Weights(name: "a", shape: [-1], values: [1])], "has '-' where a whole number should be"),
      ([Weights(name: "a", shape: [.max, .max], values: [1])], "takes more than"),
      ([stored, stored], "the tensor 'a' of 'the file' stands twice"),
      ([Weights(name: "", shape: [1], values: [1])], "whose name has 0 characters, not 1 to 256"),
      (
        [Weights(name: String(repeating: "a", count: 257), shape: [1], values: [1])],
        "has 257 characters, not 1 to 256"
      ),
      ([Weights(name: "__metadata__", shape: [1], values: [1])], "has the name under which texts stand"),
      (
        [Weights(name: "a", shape: [Int](repeating: 1, count: 65), values: [1])],
        "has more than 64 numbers in an array"
      ),
    ])
  func whatNobodyWouldReadIsNotWritten(tensors: [Weights], message: String) {
    do throws(TensorFileError) {
      _ = try TensorFileText(tensors)
      Issue.record("made without \(message)")
    } catch {
      #expect(error.description.contains(message), "\(error)")
    }
  }
}
