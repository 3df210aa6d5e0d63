// SPDX-License-Identifier: Apache-2.0

/// The sections, symbols and relocations of an ELF object file of a 64-bit little-endian machine.
///
///     header ─▶ section headers ─▶ names of sections
///                      ├─▶ symbol table ─▶ names of symbols
///                      └─▶ relocations of a section
///
/// Any bytes may be given: what does not fit is an error.
package struct ELFContents {
  /// The machine's number in the header.
  let machine: UInt16
  /// All rows of the table of sections, whose indices symbols and relocations name.
  let table: [ObjectFile.Section]
  /// All rows of the table of symbols, whose indices relocations name; the first is a placeholder.
  let symbols: [ELFSymbol]
  private let file: LittleEndianBytes

  package init(_ bytes: [UInt8]) throws(NativeCodeError) {
    file = LittleEndianBytes(bytes)
    machine = try Self.machine(of: file)
    let sections = try Self.sections(of: file)
    table = sections
    var symbols: [ELFSymbol] = []
    for section in sections where section.kind == .symbols {
      guard symbols.isEmpty else { throw .damagedObject("there are two tables of symbols") }
      guard sections.indices.contains(Int(section.link)) else {
        throw .damagedObject("there is no section \(section.link) with names")
      }
      let names = try sections[Int(section.link)].contents(in: file)
      symbols = try ELFSymbol.rows(of: section.contents(in: file), names: names)
    }
    self.symbols = symbols
  }

  package var sections: [ObjectFile.Section] { table.filter { $0.kind != .unused } }
  /// Names that the object refers to and does not define.
  package var undefinedSymbols: [String] {
    symbols.dropFirst().filter { !$0.isDefined }.map(\.name)
  }
  package var definedFunctions: [String] { symbols.filter { $0.isDefined && $0.isFunction }.map(\.name) }
  /// Names that other objects may refer to.
  package var exportedSymbols: [String] { symbols.filter { $0.isDefined && !$0.isLocal }.map(\.name) }

  /// The bytes of the file.
  var count: Int { file.count }

  func contents(of section: ObjectFile.Section) throws(NativeCodeError) -> ArraySlice<UInt8> {
    try section.contents(in: file).bytes
  }

  /// The references in a section's bytes.
  func relocations(ofSection index: Int) throws(NativeCodeError) -> [ELFRelocation] {
    var relocations: [ELFRelocation] = []
    for section in table where section.kind == .relocations && Int(section.info) == index {
      relocations += try ELFRelocation.rows(of: section.contents(in: file))
    }
    return relocations
  }

  private static func machine(of file: LittleEndianBytes) throws(NativeCodeError) -> UInt16 {
    let magic: UInt32 = try file.number(at: 0)
    let format: UInt16 = try file.number(at: 4)
    let kind: UInt16 = try file.number(at: 16)
    guard magic == 0x464C_457F, format == 0x0102, kind == 1 else {
      throw .damagedObject("it is not a 64-bit little-endian ELF object")
    }
    return try file.number(at: 18)
  }

  private static func sections(of file: LittleEndianBytes) throws(NativeCodeError) -> [ObjectFile.Section] {
    let size: UInt16 = try file.number(at: 58)
    guard size == ObjectFile.Section.rowSize else {
      throw .damagedObject("a section header has \(size) bytes instead of \(ObjectFile.Section.rowSize)")
    }
    let table = try file.part(
      at: file.number(at: 40), count: UInt64(file.number(at: 60, as: UInt16.self)) * UInt64(size),
      what: "the table of sections")
    return try ObjectFile.Section.rows(
      of: table, namesIndex: Int(file.number(at: 62, as: UInt16.self)), in: file)
  }
}
