// SPDX-License-Identifier: Apache-2.0

/// What stands in an ELF object file of a 64-bit little-endian machine: its sections and its symbols.
///
///     header ─▶ section headers ─▶ names of sections
///                      └─▶ symbol table ─▶ names of symbols
///
/// Any bytes may be given: what does not fit is an error.
package struct ELFContents {
  package private(set) var sections: [ObjectFile.Section] = []
  /// What the object refers to and does not define.
  package private(set) var undefinedSymbols: [String] = []
  package private(set) var definedFunctions: [String] = []
  /// What other objects may refer to.
  package private(set) var exportedSymbols: [String] = []

  package init(_ bytes: [UInt8]) throws(NativeCodeError) {
    let file = LittleEndianBytes(bytes)
    let headers = try Self.sectionHeaders(of: file)
    let names = try Self.names(at: Int(file.number(at: 62, as: UInt16.self)), headers, in: file)
    for header in headers where header.type != SectionHeader.unused {
      sections.append(try header.section(names: names, in: file))
      if header.type == SectionHeader.symbolTable {
        try readSymbols(of: header, names: Self.names(at: Int(header.link), headers, in: file), in: file)
      }
    }
  }

  private static let localBinding: UInt8 = 0

  private static func sectionHeaders(
    of file: LittleEndianBytes
  ) throws(NativeCodeError) -> [SectionHeader] {
    let magic: UInt32 = try file.number(at: 0)
    let format: UInt16 = try file.number(at: 4)
    let kind: UInt16 = try file.number(at: 16)
    guard magic == 0x464C_457F, format == 0x0102, kind == 1 else {
      throw .damagedObject("it is not a 64-bit little-endian ELF object")
    }
    let size: UInt16 = try file.number(at: 58)
    guard size == SectionHeader.size else {
      throw .damagedObject("a section header has \(size) bytes instead of \(SectionHeader.size)")
    }
    let table = try file.part(
      at: file.number(at: 40), count: UInt64(file.number(at: 60, as: UInt16.self)) * UInt64(size),
      what: "the table of sections")
    var headers: [SectionHeader] = []
    for offset in stride(from: 0, to: table.count, by: SectionHeader.size) {
      headers.append(try SectionHeader(at: offset, in: table))
    }
    return headers
  }

  /// The strings of the section at an index.
  private static func names(
    at index: Int, _ headers: [SectionHeader], in file: LittleEndianBytes
  ) throws(NativeCodeError) -> LittleEndianBytes {
    guard headers.indices.contains(index) else {
      throw .damagedObject("there is no section \(index) with names")
    }
    return try headers[index].contents(in: file, what: "a table of names")
  }

  private mutating func readSymbols(
    of header: SectionHeader, names: LittleEndianBytes, in file: LittleEndianBytes
  ) throws(NativeCodeError) {
    let symbolSize = 24
    let table = try header.contents(in: file, what: "the table of symbols")
    guard table.count.isMultiple(of: symbolSize) else {
      throw .damagedObject("the table of symbols has \(table.count) bytes")
    }
    // The first symbol is a placeholder.
    for offset in stride(from: symbolSize, to: table.count, by: symbolSize) {
      let name = try names.name(at: table.number(at: offset))
      let info: UInt8 = try table.number(at: offset + 4)
      let section: UInt16 = try table.number(at: offset + 6)
      let isFunction = info & 0xF == 2
      if section == 0 {
        undefinedSymbols.append(name)
      } else {
        if isFunction { definedFunctions.append(name) }
        if info >> 4 != Self.localBinding { exportedSymbols.append(name) }
      }
    }
  }
}

/// One row of an object's table of sections.
private struct SectionHeader {
  static let size = 64
  static let unused: UInt32 = 0
  static let symbolTable: UInt32 = 2
  /// The type of a section that has a size and no bytes in the file.
  static let zeros: UInt32 = 8

  var nameOffset: UInt32
  var type: UInt32
  var flags: UInt64
  var offset: UInt64
  var size: UInt64
  var link: UInt32

  init(at start: Int, in table: LittleEndianBytes) throws(NativeCodeError) {
    nameOffset = try table.number(at: start)
    type = try table.number(at: start + 4)
    flags = try table.number(at: start + 8)
    offset = try table.number(at: start + 24)
    size = try table.number(at: start + 32)
    link = try table.number(at: start + 40)
  }

  func contents(in file: LittleEndianBytes, what: String) throws(NativeCodeError) -> LittleEndianBytes {
    try file.part(at: offset, count: size, what: what)
  }

  func section(
    names: LittleEndianBytes, in file: LittleEndianBytes
  ) throws(NativeCodeError) -> ObjectFile.Section {
    let name = try names.name(at: nameOffset)
    if type != Self.zeros { _ = try contents(in: file, what: "the section '\(name)'") }
    guard let size = Int(exactly: size) else {
      throw .damagedObject("the section '\(name)' has \(size) bytes")
    }
    return ObjectFile.Section(
      name: name, size: size, isExecutable: flags & 4 != 0, isWritable: flags & 1 != 0)
  }
}
