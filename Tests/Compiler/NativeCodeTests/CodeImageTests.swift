// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode
import TestEquipment
import Testing

/// Whatever bytes are placed in memory: an image, or an error.
@Suite struct CodeImageTests {
  static let targets = [Target.x86(level: "x86-64")!, .aarch64]

  private static func object(_ target: Target) throws -> [UInt8] {
    try ObjectFile.emit(ir: SampleText.adder(), target: target).bytes
  }

  private static func image(_ bytes: [UInt8]) throws(NativeCodeError) -> CodeImage {
    try CodeImage(ELFContents(bytes), pageSize: 4096)
  }

  @Test(arguments: targets) func survivesEveryChangedByte(target: Target) throws {
    let object = try Self.object(target)
    let whole = try Self.image(object)
    var (refused, other) = (0, 0)
    for index in object.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = object
        bytes[index] = value
        do throws(NativeCodeError) {
          let image = try Self.image(bytes)
          if image.bytes != whole.bytes { other += 1 }
        } catch {
          refused += 1
        }
      }
    }
    #expect(refused > 100 && other > 100, "\(refused) refused, \(other) made other images")
  }

  @Test(arguments: targets) func survivesManyChangedBytes(target: Target) throws {
    let object = try Self.object(target)
    var random = SplitMix(seed: 7)
    var (read, refused) = (0, 0)
    for _ in 0..<4000 {
      var bytes = object
      for _ in 0..<(1 + random.below(8)) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      if (try? Self.image(bytes)) == nil { refused += 1 } else { read += 1 }
    }
    #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
  }

  @Test(arguments: [
    ("a variable", "@v = internal global i32 1", "store volatile i32 2, ptr @v"),
    ("zeroed memory", "@v = internal global [64 x i32] zeroinitializer", "store volatile i32 2, ptr @v"),
    ("an address in a table", "@t = constant [1 x ptr] [ptr @execute]", "store volatile i32 2, ptr undef"),
  ])
  func refusesWhatCodeWritesTo(_ what: String, data: String, line: String) throws {
    for target in Self.targets {
      let text = "\(data)\ndefine void @execute() nounwind {\n  \(line)\n  ret void\n}\n"
      let object = try ObjectFile.unchecked(ir: text, target: target)
      #expect(throws: NativeCodeError.self, "\(what)") { try Self.image(object.bytes) }
    }
  }

  /// The rows of an object's table of sections that describe relocations with addends.
  private static func relocations(_ bytes: [UInt8]) -> [Int] {
    let (start, count) = (number(bytes, at: 40), Int(bytes[60]))
    return (0..<count).map { start + 64 * $0 }.filter { bytes[$0 + 4] == 4 }
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> Int {
    bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static let tableReader = """
    @table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
    define void @execute() nounwind {
      %value = load volatile i32, ptr getelementptr ([4 x i32], ptr @table, i64 0, i64 2)
      ret void
    }
    """

  @Test(arguments: targets) func refusesRelocationsWithoutAddends(target: Target) throws {
    var bytes = try ObjectFile.emit(ir: Self.tableReader, target: target).bytes
    let rows = Self.relocations(bytes)
    for row in rows { bytes[row + 4] = 9 }
    #expect(!rows.isEmpty)
    #expect(throws: NativeCodeError.self) { try Self.image(bytes) }
  }

  @Test(arguments: targets, [1 << 16, -(1 << 16)])
  func refusesWhatRefersToTheOutside(target: Target, distance: Int) throws {
    let object = try ObjectFile.emit(ir: Self.tableReader, target: target).bytes
    var tried = 0
    for row in Self.relocations(object) {
      let (start, size) = (Self.number(object, at: row + 24), Self.number(object, at: row + 32))
      for addend in stride(from: start + 16, to: start + size, by: 24) {
        var bytes = object
        for byte in 0..<8 { bytes[addend + byte] = UInt8(truncatingIfNeeded: distance >> (8 * byte)) }
        #expect(throws: NativeCodeError.self) { try Self.image(bytes) }
        tried += 1
      }
    }
    #expect(tried > 0)
  }

  @Test(arguments: targets) func namesWhatIsNotDefined(target: Target) throws {
    let text =
      "declare void @malloc()\ndefine void @execute() nounwind {\n  call void @malloc()\n  ret void\n}\n"
    let object = try ObjectFile.unchecked(ir: text, target: target)
    #expect(throws: NativeCodeError.undefinedSymbols(["malloc"])) { try Self.image(object.bytes) }
  }

  @Test func onlyFunctionsThatAreThereHaveAPlace() throws {
    let image = try Self.image(Self.object(Self.targets[0]))
    #expect(image.offset(ofFunction: "execute") != nil)
    #expect(image.offset(ofFunction: "process") == nil && image.offset(ofFunction: "") == nil)
  }
}
