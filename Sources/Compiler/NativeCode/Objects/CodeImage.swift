// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// An object's code and constants as they stand in memory, with every reference from one to another filled in.
///
///     .text                          executed and read, whole pages
///     .rodata.cst32, .rodata, …      read, from the next page on
///
/// All references are distances, or places in a page: the bytes are the same at whatever page they begin.
///
/// Any object may be given: what does not fit is an error.
package struct CodeImage {
  package private(set) var bytes: [UInt8]
  let machine: RelocationForm.Machine
  /// The bytes that are executed, whole pages; what follows is only read.
  package let codeSize: Int
  /// The offset of each section; sections that no running program needs are not among them.
  private let places: [Int: Int]
  private let object: ELFContents

  /// - Parameter pageSize: a power of two, from 4096 on.
  package init(_ object: ELFContents, pageSize: Int) throws(NativeCodeError) {
    self.object = object
    guard let machine = RelocationForm.Machine(number: object.machine) else {
      throw .damagedObject("it is for the machine \(object.machine)")
    }
    self.machine = machine
    let loaded = object.table.indices.filter { object.table[$0].isLoaded }
    for index in loaded { try Self.check(object.table[index], pageSize: pageSize) }
    for section in object.table where section.kind == .relocationsInPlace {
      guard !loaded.contains(Int(section.info)) else {
        throw .damagedObject("the section '\(section.name)' has relocations without addends")
      }
    }
    // Sections that overlap in the file would take more memory than the file says.
    guard loaded.reduce(0, { $0 + object.table[$1].size }) <= object.count else {
      throw .damagedObject("its sections are larger than the file")
    }
    var places: [Int: Int] = [:]
    var end = 0
    func place(_ index: Int) {
      let start = end.roundedUp(to: max(1, Int(object.table[index].alignment)))
      places[index] = start
      end = start + object.table[index].size
    }
    loaded.filter { object.table[$0].isExecutable }.forEach(place)
    codeSize = end.roundedUp(to: pageSize)
    end = codeSize
    loaded.filter { !object.table[$0].isExecutable }.forEach(place)
    self.places = places
    bytes = [UInt8](repeating: 0, count: end)
    for (index, start) in places {
      let contents = try object.contents(of: object.table[index])
      bytes.replaceSubrange(start..<start + contents.count, with: contents)
    }
    for index in loaded {
      for relocation in try object.relocations(ofSection: index) {
        try fillIn(relocation, inSection: index)
      }
    }
  }

  /// The bytes before the first of a function's; nil where there is no such function.
  package func offset(ofFunction name: String) -> Int? {
    guard let symbol = object.symbols.first(where: { $0.isFunction && $0.name == name }),
      let start = places[symbol.section], object.table[symbol.section].isExecutable,
      symbol.offset < UInt64(object.table[symbol.section].size)
    else { return nil }
    return start + Int(symbol.offset)
  }

  /// The bytes before a section's first; nil where there is no such section in memory.
  package func offset(ofSection name: String) -> Int? {
    places.first { object.table[$0.key].name == name }?.value
  }

  private static func check(_ section: ObjectFile.Section, pageSize: Int) throws(NativeCodeError) {
    switch section.kind {
    case .contents: break
    case .unused, .symbols, .relocations, .relocationsInPlace, .zeros:
      throw .damagedObject("the section '\(section.name)' has no contents for memory")
    }
    // All contexts of a program share its code.
    guard !section.isWritable else {
      throw .damagedObject("the section '\(section.name)' is one that code writes to")
    }
    guard section.alignment <= UInt64(pageSize), section.alignment.nonzeroBitCount <= 1 else {
      throw .damagedObject("the section '\(section.name)' is aligned to \(section.alignment)")
    }
  }

  /// The most bytes of an x86 instruction from the place of a distance on: the distance is counted from its end, and so
  /// that much less is referred to.
  private static let mostAfterPlace = 8

  private mutating func fillIn(
    _ relocation: ELFRelocation, inSection index: Int
  ) throws(NativeCodeError) {
    guard let form = RelocationForm(type: relocation.type, machine: machine) else {
      throw .linking("it has a relocation of type \(relocation.type)")
    }
    guard object.symbols.indices.contains(relocation.symbol) else {
      throw .damagedObject("a relocation names symbol \(relocation.symbol) of \(object.symbols.count)")
    }
    let symbol = object.symbols[relocation.symbol]
    guard symbol.isDefined else { throw .undefinedSymbols([symbol.name]) }
    let section = object.table[index]
    let width = UInt64(MemoryLayout<UInt32>.size)
    guard let start = places[index], let base = places[symbol.section],
      relocation.offset < UInt64(section.size), UInt64(section.size) - relocation.offset >= width,
      symbol.offset <= UInt64(object.table[symbol.section].size),
      let addend = Int32(exactly: relocation.addend)
    else {
      throw .damagedObject("a relocation in the section '\(section.name)' leads out of it")
    }
    let address = base + Int(symbol.offset) + Int(addend)
    guard (-Self.mostAfterPlace...bytes.count).contains(address) else {
      throw .damagedObject("a relocation in the section '\(section.name)' leads out of the image")
    }
    let place = start + Int(relocation.offset)
    let word = bytes[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let filled = form.word(word, at: place, referringTo: address) else {
      throw .damagedObject("a relocation in the section '\(section.name)' reaches too far")
    }
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: filled >> (8 * byte)) }
  }
}
