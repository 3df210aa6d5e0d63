// SPDX-License-Identifier: Apache-2.0

/// How a place in code comes of the address that it refers to.
///
/// S is the symbol's address, A the addend, P the place's own address; Page clears the lowest 12 bits. The formulas are
/// those of the *System V Application Binary Interface, AMD64 Architecture Processor Supplement*, table "Relocation
/// Types", and of the *ELF for the Arm 64-bit Architecture*, section "Relocation".
enum RelocationForm {
  /// S + A - P, signed, in 32 bits: R_X86_64_PC32 and _PLT32.
  case distance
  /// (S + A - P) / 4 in the lowest 26 bits of an instruction: R_AARCH64_JUMP26 and _CALL26.
  case branch
  /// (Page(S + A) - Page(P)) / 4096 in the 21 bits of ADRP: R_AARCH64_ADR_PREL_PG_HI21.
  case page
  /// The lowest 12 bits of S + A, counted in units, in bits 10 to 21 of an instruction: R_AARCH64_ADD_ABS_LO12_NC and
  /// _LDST8_, …, _LDST128_ABS_LO12_NC.
  case placeInPage(unit: Int)

  /// The form of a type; nil where it is none that the code generator makes.
  init?(type: UInt32, machine: Machine) {
    let forms =
      switch machine {
      case .amd64: Self.amd64
      case .aarch64: Self.aarch64
      }
    guard let form = forms[type] else { return nil }
    self = form
  }

  private static let amd64: [UInt32: RelocationForm] = [2: .distance, 4: .distance]

  private static let aarch64: [UInt32: RelocationForm] = [
    275: .page, 277: .placeInPage(unit: 1), 278: .placeInPage(unit: 1), 282: .branch, 283: .branch,
    284: .placeInPage(unit: 2), 285: .placeInPage(unit: 4), 286: .placeInPage(unit: 8),
    299: .placeInPage(unit: 16),
  ]

  /// The relocated word at a place; nil where the address is out of reach of this form.
  ///
  /// - Parameters:
  ///   - place: P, counted from the beginning of a page.
  ///   - address: S + A, counted from the same.
  func word(_ word: UInt32, at place: Int, referringTo address: Int) -> UInt32? {
    let distance = address - place
    switch self {
    case .distance:
      return Int32(exactly: distance).map(UInt32.init(bitPattern:))
    case .branch:
      guard distance.isMultiple(of: 4), (-1 << 27..<1 << 27).contains(distance) else { return nil }
      return word & 0xFC00_0000 | UInt32(truncatingIfNeeded: distance >> 2) & 0x03FF_FFFF
    case .page:
      let pages = (address >> 12) - (place >> 12)
      guard (-1 << 20..<1 << 20).contains(pages) else { return nil }
      let bits = UInt32(truncatingIfNeeded: pages)
      return word & 0x9F00_001F | (bits & 3) << 29 | (bits >> 2 & 0x7_FFFF) << 5
    case .placeInPage(let unit):
      let offset = address & 0xFFF
      guard offset.isMultiple(of: unit) else { return nil }
      return word & 0xFFC0_03FF | UInt32(offset / unit) << 10
    }
  }
}

extension RelocationForm {
  /// The machines whose objects can be placed in memory.
  enum Machine: String {
    case amd64 = "x86_64"
    case aarch64

    /// By the number in an object's header.
    init?(number: UInt16) {
      switch number {
      case 62: self = .amd64
      case 183: self = .aarch64
      case _: return nil
      }
    }
  }
}
