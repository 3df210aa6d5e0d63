// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TensorFiles
import TestEquipment
import Testing

@Suite struct NumPyTests {
  static let grid = FloatArray(shape: [2, 3, 4], numbers: (0..<24).map { Float($0) / 8 - 1 })

  @Test(arguments: ["version-1.npy", "version-2.npy", "version-3.npy", "fortran.npy"])
  func anArrayIsRead(file: String) throws {
    #expect(try NumPySample.open(NumPySample.bytes(file)).names == nil)
    #expect(try NumPySample.array(file) == Self.grid)
  }

  @Test func shapesOfAllKinds() throws {
    #expect(try NumPySample.array("number.npy") == FloatArray(shape: [], numbers: [0.5]))
    #expect(try NumPySample.array("row.npy") == FloatArray(shape: [2], numbers: [1, -2]))
    #expect(try NumPySample.array("empty.npy") == FloatArray(shape: [3, 0], numbers: []))
    // However long the other axes are.
    let words = "{'descr': '>f8', 'fortran_order': True, 'shape': (0, \(Int.max), 9223372036854775807), }"
    let file = try NumPySample.open(NumPySample.npy(words))
    #expect(try file.array("").numbers.isEmpty && file.shape(of: "").count == 3)
  }

  /// To the bit, as NumPy has them.
  @Test func everyKindOfNumberBecomesFloats() throws {
    let file = try NumPySample.open(NumPySample.bytes("kinds.npz"))
    let names = try #require(file.names).filter { !$0.hasSuffix(" as f4") }
    #expect(names.count == 25)
    for name in names {
      let (read, expected) = (try file.array(name), try file.array("\(name) as f4"))
      #expect(read.shape == expected.shape)
      for (number, other) in zip(read.numbers, expected.numbers) where !(number.isNaN && other.isNaN) {
        #expect(number.bitPattern == other.bitPattern, "\(name): \(number), not \(other)")
      }
    }
  }

  /// Of a long array no more is read than is asked for, whichever numbers stand side by side.
  @Test func theFirstRowsAreRead() throws {
    let long = FloatArray(shape: [100_000, 2], numbers: (0..<200_000).map(Float.init))
    let file = try NumPySample.open(NumPyArchive.bytes([("x", long)], file: "in.npz"))
    let first = FloatArray(shape: [2, 2], numbers: [0, 1, 2, 3])
    #expect(try file.array("x", rows: 2) == first && file.array("x", rows: 100_001) == long)
    let words = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2)}"
    let columns = ([0, 2, 4, 1, 3, 5] as [Float]).flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32($0))) }
    }
    #expect(try NumPySample.open(NumPySample.npy(words) + columns).array("", rows: 2) == first)
    #expect(try NumPySample.open(NumPySample.npy(words) + columns).array("").numbers == [0, 1, 2, 3, 4, 5])
  }

  @Test func archivesOfAllKinds() throws {
    let stored = try NumPySample.open(NumPySample.bytes("stored.npz"))
    #expect(stored.names == ["x", "enc/größe"])
    #expect(try stored.array("x") == Self.grid && stored.array("enc/größe").numbers == [1.5, 2.5])
    let mixed = try NumPySample.open(NumPySample.bytes("mixed.npz"))
    #expect(mixed.names == ["a", "b"])
    #expect(try mixed.array("a") == mixed.array("b") && mixed.shape(of: "a") == [3, 4])
    #expect(try NumPySample.array("wide.npz", "x") == Self.grid)
    #expect(try NumPySample.open(NumPyArchive.bytes([], file: "none")).names == [])
  }

  @Test func tensorsAreReadThroughTheSameDoor() throws {
    let file = try NumPySample.open(NumPySample.bytes("floats.safetensors"))
    #expect(try file.names?.contains("layer.weight") == true && file.shape(of: "layer.weight") == [2, 3])
    #expect(try file.array("layer.weight").numbers == [-0.25, -0.125, 0, 0.125, 0.25, 0.375])
    #expect(throws: TensorFileError("in.npz", tensor: "no", "is not there")) { try file.array("no") }
    // Numbers of any kind, and what is infinite: weights are looked at elsewhere.
    let header =
      #"{"i":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},"#
      + #""b":{"dtype":"BOOL","shape":[2],"data_offsets":[16,18]},"f":{"dtype":"F64","shape":[1],"data_offsets":[18,26]},"#
      + #""h":{"dtype":"BF16","shape":[1],"data_offsets":[26,28]},"e":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[28,29]}}"#
    func little(_ bits: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }
    let kinds = try NumPySample.open(
      little(UInt64(header.utf8.count), 8) + Array(header.utf8) + little(UInt64(bitPattern: -7), 8)
        + little(9, 8)
        + [0, 1] + little(Double.infinity.bitPattern, 8) + little(UInt64(Float(-2).bitPattern >> 16), 2) + [0]
    )
    #expect(try kinds.array("i").numbers == [-7, 9] && kinds.array("b").numbers == [0, 1])
    #expect(try kinds.array("f").numbers == [.infinity] && kinds.array("h").numbers == [-2])
    #expect(
      throws: TensorFileError("in.npz", tensor: "e", "holds F8_E4M3, which is not read; save it as F32")
    ) {
      try kinds.array("e")
    }
    #expect(
      NumPySample.message(about: Array("RIFF and something".utf8))
        == "'in.npz' is no file of arrays; those of NumPy (.npy, .npz) and safetensors are read")
  }

  @Test(
    arguments: [
      ("objects", "objects of Python ('|O')"), ("texts", "texts ('<U2')"),
      ("complex", "complex numbers ('<c16')"), ("records", "records of several values"),
      ("dates", "dates ('<M8[D]')"), ("long", "numbers of an unknown kind ('<f16')"),
    ])
  func whatIsNoFloatIsRefusedByName(name: String, kind: String) throws {
    do throws(TensorFileError) {
      _ = try NumPySample.open(try! NumPySample.bytes("refused.npz")).array(name)
      Issue.record("\(name) was read")
    } catch {
      #expect(error.description.hasPrefix("the tensor '\(name)' of 'in.npz' holds \(kind)"), "\(error)")
    }
  }

  // MARK: Writing

  /// Byte for byte, so that NumPy reads what is written.
  @Test(arguments: ["version-1.npy", "number.npy", "row.npy", "empty.npy"])
  func anArrayIsWrittenAsNumPyDoes(file: String) throws {
    #expect(try NumPySample.array(file).npy == NumPySample.bytes(file))
  }

  @Test func whatIsWrittenIsRead() throws {
    let more = FloatArray(shape: [1, 1], numbers: [.infinity])
    let bytes = try NumPyArchive.bytes([("x", Self.grid), ("größe/\"y\"", more)], file: "out.npz")
    let file = try NumPySample.open(bytes)
    #expect(file.names == ["x", "größe/\"y\""])
    #expect(try file.array("x") == Self.grid && file.array("größe/\"y\"") == more)
    #expect(NumPySample.message(about: bytes) == nil)
    #expect(throws: TensorFileError("out.npz", tensor: "x", "stands twice")) {
      try NumPyArchive.bytes([("x", more), ("x", more)], file: "out.npz")
    }
  }
}
