// SPDX-License-Identifier: Apache-2.0

/// One row of an object's table of symbols.
struct ELFSymbol {
  let name: String
  /// The index of the section in which it stands; 0 where it is not defined.
  let section: Int
  /// The bytes of the section before it.
  let offset: UInt64
  let isFunction: Bool
  /// Whether no other object may refer to it.
  let isLocal: Bool

  var isDefined: Bool { section != 0 }

  private static let rowSize = 24

  static func rows(
    of table: LittleEndianBytes, names: LittleEndianBytes
  ) throws(NativeCodeError) -> [ELFSymbol] {
    guard table.count.isMultiple(of: rowSize) else {
      throw .damagedObject("the table of symbols has \(table.count) bytes")
    }
    var symbols: [ELFSymbol] = []
    for start in stride(from: 0, to: table.count, by: rowSize) {
      let info: UInt8 = try table.number(at: start + 4)
      symbols.append(
        ELFSymbol(
          name: try names.name(at: table.number(at: start)),
          section: Int(try table.number(at: start + 6, as: UInt16.self)),
          offset: try table.number(at: start + 8), isFunction: info & 0xF == 2, isLocal: info >> 4 == 0))
    }
    return symbols
  }
}
