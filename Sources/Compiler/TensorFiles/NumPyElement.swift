// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The kind of an npy array's numbers, by the word that NumPy has for it.
///
///     <f4   little-endian, float, 4 bytes        >i2   big-endian, integer, 2 bytes        |b1   a boolean
struct NumPyElement {
  private enum Kind: Character {
    case float = "f"
    case integer = "i"
    case natural = "u"
    case boolean = "b"
    /// The upper halves of floats, for which NumPy has no word.
    case brain = "-"

    var widths: [Int] {
      switch self {
      case .float: [2, 4, 8]
      case .integer, .natural: [1, 2, 4, 8]
      case .boolean: [1]
      case .brain: []
      }
    }
  }

  private let kind: Kind
  /// The bytes of one number.
  let width: Int
  private let isBigEndian: Bool

  static let brain = NumPyElement(kind: .brain, width: 2, isBigEndian: false)

  private init(kind: Kind, width: Int, isBigEndian: Bool) {
    (self.kind, self.width, self.isBigEndian) = (kind, width, isBigEndian)
  }

  /// - Returns: nil where its numbers are none that are read.
  init?(_ word: String) {
    let letters = Array(word)
    guard letters.count == 3, "<>|".contains(letters[0]), let kind = Kind(rawValue: letters[1]),
      let width = letters[2].wholeNumberValue, kind.widths.contains(width), letters[0] != "|" || width == 1
    else { return nil }
    (self.kind, self.width, isBigEndian) = (kind, width, letters[0] == ">")
  }

  /// A sentence about a word whose numbers are not read: what it stands for, and what to do.
  static func refusal(of word: String) -> String {
    let letter = word.first { $0.isLetter }
    let kinds: [Character: String] = [
      "O": "objects of Python", "S": "texts", "a": "texts", "U": "texts", "c": "complex numbers",
      "V": "raw bytes", "M": "dates", "m": "spans of time",
    ]
    return "holds \(letter.flatMap { kinds[$0] } ?? "numbers of an unknown kind") (\(quoted(word))); "
      + "save it as float32: array.astype('float32')"
  }

  /// Appends the numbers that whole bytes hold, each as the float next to it.
  ///
  /// - Returns: the first finite number that is beyond all floats; what follows it is left out.
  func append(_ bytes: UnsafeRawBufferPointer, to numbers: inout [Float]) -> Double? {
    var beyond: Double?
    func each<Bits: FixedWidthInteger>(_: Bits.Type, _ meaning: (Bits) -> Float) {
      for place in stride(from: 0, to: bytes.count, by: MemoryLayout<Bits>.size) where beyond == nil {
        let bits = unsafe bytes.loadUnaligned(fromByteOffset: place, as: Bits.self)
        numbers.append(meaning(isBigEndian ? Bits(bigEndian: bits) : Bits(littleEndian: bits)))
      }
    }
    switch (kind, width) {
    case (.brain, _): each(UInt16.self) { Float(brainBits: $0) }
    case (.boolean, _): each(UInt8.self) { $0 == 0 ? 0 : 1 }
    case (.float, 2): each(UInt16.self) { Float(halfBits: $0) }
    case (.float, 4): each(UInt32.self) { Float(bitPattern: $0) }
    case (.float, _):
      each(UInt64.self) { bits in
        let (wide, number) = (Double(bitPattern: bits), Float(Double(bitPattern: bits)))
        if wide.isFinite, !number.isFinite { beyond = wide }
        return number
      }
    case (.integer, 1): each(Int8.self) { Float($0) }
    case (.integer, 2): each(Int16.self) { Float($0) }
    case (.integer, 4): each(Int32.self) { Float($0) }
    case (.integer, _): each(Int64.self) { Float($0) }
    case (.natural, 1): each(UInt8.self) { Float($0) }
    case (.natural, 2): each(UInt16.self) { Float($0) }
    case (.natural, 4): each(UInt32.self) { Float($0) }
    case (.natural, _): each(UInt64.self) { Float($0) }
    }
    return beyond
  }
}
