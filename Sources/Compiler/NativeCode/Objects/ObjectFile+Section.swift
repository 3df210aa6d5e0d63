// SPDX-License-Identifier: Apache-2.0

extension ObjectFile {
  /// A part of the object as the linker sees it.
  package struct Section: Hashable, Sendable {
    enum Kind {
      case unused, symbols, relocations
      /// Has a size and no bytes in the file.
      case zeros
      /// Relocations whose addends stand in the places that they are about; no machine of ours has them.
      case relocationsInPlace
      case contents

      fileprivate init(number: UInt32) {
        self =
          switch number {
          case 0: .unused
          case 2: .symbols
          case 4: .relocations
          case 8: .zeros
          case 9: .relocationsInPlace
          case _: .contents
          }
      }
    }

    /// Such as `.text` or `.rodata.cst64`.
    package let name: String
    package let size: Int
    package let isExecutable: Bool
    package let isWritable: Bool
    /// Whether a running program has it in memory.
    let isLoaded: Bool
    let kind: Kind
    /// The alignment of its address in bytes; 0 and 1 are no constraint.
    let alignment: UInt64
    /// The index of the section with the names of symbols.
    let link: UInt32
    /// The index of the section that relocations are about.
    let info: UInt32
    private let offset: UInt64
  }
}

extension ObjectFile.Section {
  /// The bytes of a row of the table of sections.
  static let rowSize = 64

  static func rows(
    of table: LittleEndianBytes, namesIndex: Int, in file: LittleEndianBytes
  ) throws(NativeCodeError) -> [Self] {
    let start = namesIndex * rowSize
    guard start < table.count else { throw .damagedObject("there is no section \(namesIndex) with names") }
    let names = try file.part(
      at: table.number(at: start + 24), count: table.number(at: start + 32), what: "the names of sections")
    var sections: [Self] = []
    for start in stride(from: 0, to: table.count, by: rowSize) {
      sections.append(try Self(at: start, in: table, names: names, file: file))
    }
    return sections
  }

  private init(
    at start: Int, in table: LittleEndianBytes, names: LittleEndianBytes, file: LittleEndianBytes
  ) throws(NativeCodeError) {
    kind = Kind(number: try table.number(at: start + 4))
    name = kind == .unused ? "" : try names.name(at: table.number(at: start))
    let flags: UInt64 = try table.number(at: start + 8)
    (isWritable, isLoaded, isExecutable) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    offset = try table.number(at: start + 24)
    let bytes: UInt64 = try table.number(at: start + 32)
    link = try table.number(at: start + 40)
    info = try table.number(at: start + 44)
    alignment = try table.number(at: start + 48)
    guard let size = Int(exactly: bytes) else {
      throw .damagedObject("the section '\(name)' has \(bytes) bytes")
    }
    self.size = size
    if kind != .unused, kind != .zeros { _ = try contents(in: file) }
  }

  func contents(in file: LittleEndianBytes) throws(NativeCodeError) -> LittleEndianBytes {
    try file.part(at: offset, count: UInt64(size), what: "the section '\(name)'")
  }
}
