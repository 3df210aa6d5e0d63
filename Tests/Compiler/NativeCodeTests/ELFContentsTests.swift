// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode
import Testing

@Suite struct ELFContentsTests {
  static let bytes: [UInt8] = {
    let target = Target.x86(level: "x86-64")!
    return try! ObjectFile.emit(ir: SampleText.stackUser(floats: 4), target: target).bytes
  }()

  @Test func readsSectionsAndSymbols() throws {
    let contents = try ELFContents(Self.bytes)
    #expect(contents.definedFunctions.sorted() == ["execute", "frugal"])
    #expect(contents.undefinedSymbols.isEmpty)
    #expect(contents.sections.map(\.name).contains(".text"))
    #expect(contents.sections.map(\.name).contains(".symtab"))
  }

  /// The table of sections stands at the end: no shorter file is whole.
  @Test func refusesEveryTruncation() {
    for length in Self.bytes.indices {
      #expect(throws: NativeCodeError.self, "\(length) bytes") {
        try ELFContents(Array(Self.bytes.prefix(length)))
      }
    }
  }

  @Test(arguments: [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8])
  func survivesEveryChangedByte(value: UInt8) {
    var refused = 0
    for index in Self.bytes.indices {
      var bytes = Self.bytes
      bytes[index] = value
      do throws(NativeCodeError) {
        _ = try ELFContents(bytes)
      } catch {
        guard case .damagedObject = error else {
          Issue.record("byte \(index) set to \(value): \(error)")
          continue
        }
        refused += 1
      }
    }
    #expect(refused > 10)
  }

  @Test func survivesManyChangedBytes() {
    var state: UInt64 = 0x5DEE_CE66_D012_3457
    func random(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    var (read, refused) = (0, 0)
    for _ in 0..<2000 {
      var bytes = Self.bytes
      for _ in 0..<(1 + random(below: 8)) { bytes[random(below: bytes.count)] = UInt8(random(below: 256)) }
      if (try? ELFContents(bytes)) == nil { refused += 1 } else { read += 1 }
    }
    #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
  }

  /// A symbol's section is what says whether it is defined.
  @Test func seesASymbolThatHasLostItsDefinition() throws {
    var changed: [[String]] = []
    for index in Self.bytes.indices.dropLast() {
      var bytes = Self.bytes
      bytes[index] = 0
      bytes[index + 1] = 0
      if let contents = try? ELFContents(bytes), !contents.undefinedSymbols.isEmpty {
        changed.append(contents.undefinedSymbols)
      }
    }
    #expect(changed.contains(["execute"]))
    #expect(changed.contains(["frugal"]))
  }

  @Test(arguments: [[], Array("hello".utf8), [UInt8](repeating: 0, count: 4096)])
  func refusesWhatIsNoObject(bytes: [UInt8]) {
    #expect(throws: NativeCodeError.self) { try ELFContents(bytes) }
  }
}
