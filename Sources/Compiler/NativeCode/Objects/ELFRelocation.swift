// SPDX-License-Identifier: Apache-2.0

/// One row of a table of relocations: a place in a section's bytes that is filled in when it is known where the parts
/// of the object stand.
struct ELFRelocation {
  /// The bytes of the section before the place.
  let offset: UInt64
  /// The index of the symbol that is referred to.
  let symbol: Int
  /// The machine's number of the formula.
  let type: UInt32
  let addend: Int64

  private static let rowSize = 24

  static func rows(of table: LittleEndianBytes) throws(NativeCodeError) -> [ELFRelocation] {
    guard table.count.isMultiple(of: rowSize) else {
      throw .damagedObject("a table of relocations has \(table.count) bytes")
    }
    var relocations: [ELFRelocation] = []
    for start in stride(from: 0, to: table.count, by: rowSize) {
      relocations.append(
        ELFRelocation(
          offset: try table.number(at: start),
          symbol: Int(try table.number(at: start + 12, as: UInt32.self)),
          type: try table.number(at: start + 8),
          addend: Int64(bitPattern: try table.number(at: start + 16))))
    }
    return relocations
  }
}
