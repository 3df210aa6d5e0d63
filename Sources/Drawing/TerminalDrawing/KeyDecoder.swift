// SPDX-License-Identifier: Apache-2.0

/// Makes keys of the bytes that a terminal sends, however they are split.
///
///     1B 5B 41           up             C3 A4          ä
///     1B 5B 31 3B 32 43  right + shift  1B | … later   escape
///
/// What nobody knows is passed over as a whole: of a sequence no letter is left that would be taken as a key.
package struct KeyDecoder: Sendable {
  private enum State: Hashable {
    case ground
    case escape
    /// An escape that was taken as a key, as nothing followed in time; what follows now may still belong to it.
    case lateEscape
    /// Behind `ESC [`, with parameters so far.
    case sequence([UInt8])
    /// Behind `ESC O`.
    case shifted
    /// Behind `ESC [ [`, as the Linux console has it.
    case console
    /// A text that an own sequence ends, which it ends with so far.
    case string(hasEscape: Bool)
    case paste([UInt8])
    /// Bytes of one character, and how many are missing.
    case character([UInt8], missing: Int)
  }

  private var state = State.ground

  /// No sequence is longer; more is no sequence.
  private static let longest = 32
  /// The most bytes of a paste that are kept; a pasted value is short.
  private static let longestPaste = 256
  /// Behind an escape, strings to a terminal, which it may send back: DCS, SOS, OSC, PM, APC.
  private static let stringBeginnings: [UInt8] = [0x50, 0x58, 0x5D, 0x5E, 0x5F]
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  package init() {}

  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { take($0) }
  }

  /// Nothing has followed for a while: an escape by itself is a key.
  package mutating func pause() -> Key? {
    guard state == .escape else { return nil }
    state = .lateEscape
    return Key(.escape)
  }

  private mutating func take(_ byte: UInt8) -> Key? {
    switch state {
    case .ground: return begin(byte)
    case .escape: return takeAfterEscape(byte, isLate: false)
    case .lateEscape: return takeAfterEscape(byte, isLate: true)
    case .sequence(let parameters): return takeInSequence(byte, parameters)
    case .shifted:
      state = .ground
      // Enter, of the block of digits.
      return byte == 0x4D ? Key(.enter) : Self.key(final: byte, modifiers: 1)
    case .console:
      state = .ground
      return nil
    case .string(let hasEscape):
      let isOver = byte == 0x07 || (hasEscape && byte == 0x5C)
      state = isOver ? .ground : .string(hasEscape: byte == 0x1B)
      return nil
    case .paste(let bytes): return takePasted(byte, bytes)
    case .character(let bytes, let missing):
      guard byte & 0xC0 == 0x80 else {
        state = .ground
        return begin(byte)
      }
      guard missing == 1 else {
        state = .character(bytes + [byte], missing: missing - 1)
        return nil
      }
      state = .ground
      return String(validating: bytes + [byte], as: UTF8.self).flatMap(\.first).map { Key(.character($0)) }
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: return Key(.enter)
    case 0x09: return Key(.tab)
    case 0x08, 0x7F: return Key(.backspace)
    case 0x01...0x1A: return Key(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x20...0x7E: return Key(.character(Character(Unicode.Scalar(byte))))
    case 0xC2...0xDF: state = .character([byte], missing: 1)
    case 0xE0...0xEF: state = .character([byte], missing: 2)
    case 0xF0...0xF4: state = .character([byte], missing: 3)
    case _: break
    }
    return nil
  }

  private mutating func takeAfterEscape(_ byte: UInt8, isLate: Bool) -> Key? {
    state = .ground
    switch byte {
    case 0x5B: state = .sequence([])
    case 0x4F: state = .shifted
    case 0x1B: state = .escape
    case _ where !isLate && Self.stringBeginnings.contains(byte): state = .string(hasEscape: false)
    case _:
      guard let key = begin(byte) else { return nil }
      return isLate ? key : Key(key.sign, hasOther: true)
    }
    return nil
  }

  private mutating func takeInSequence(_ byte: UInt8, _ parameters: [UInt8]) -> Key? {
    state = .ground
    switch byte {
    case 0x5B where parameters.isEmpty: state = .console
    case 0x20...0x3F where parameters.count < Self.longest: state = .sequence(parameters + [byte])
    case 0x20...0x3F: state = .sequence(parameters)
    case 0x40...0x7E: return key(final: byte, parameters)
    case 0x1B: state = .escape
    case _: break
    }
    return nil
  }

  private mutating func key(final: UInt8, _ parameters: [UInt8]) -> Key? {
    let numbers = String(decoding: parameters, as: UTF8.self).split(
      separator: ";", omittingEmptySubsequences: false
    ).map { Int($0) ?? 1 }
    let modifiers = numbers.count > 1 ? numbers[1] : 1
    guard final == 0x7E else { return Self.key(final: final, modifiers: modifiers) }
    let sign: Key.Sign
    switch numbers.first {
    case 1, 7: sign = .home
    case 3: sign = .delete
    case 4, 8: sign = .end
    case 5: sign = .pageUp
    case 6: sign = .pageDown
    case 200:
      state = .paste([])
      return nil
    case _: return nil
    }
    return Self.key(sign, modifiers)
  }

  private static func key(final: UInt8, modifiers: Int) -> Key? {
    switch final {
    case 0x41: key(.up, modifiers)
    case 0x42: key(.down, modifiers)
    case 0x43: key(.right, modifiers)
    case 0x44: key(.left, modifiers)
    case 0x46: key(.end, modifiers)
    case 0x48: key(.home, modifiers)
    case 0x5A: Key(.tab, hasShift: true)
    case _: nil
    }
  }

  /// Modifiers are 1 and a bit for each: shift 1, then others.
  private static func key(_ sign: Key.Sign, _ modifiers: Int) -> Key {
    let bits = max(0, modifiers - 1)
    return Key(sign, hasShift: bits & 1 == 1, hasOther: bits > 1)
  }

  private mutating func takePasted(_ byte: UInt8, _ bytes: [UInt8]) -> Key? {
    // Of a long text the first bytes are kept, and the last ones, which may be the end.
    var bytes = bytes + [byte]
    if bytes.count > Self.longestPaste + Self.endOfPaste.count { bytes.remove(at: Self.longestPaste) }
    guard bytes.suffix(Self.endOfPaste.count) == Self.endOfPaste[...] else {
      state = .paste(bytes)
      return nil
    }
    state = .ground
    let text = String(decoding: bytes.dropLast(Self.endOfPaste.count), as: UTF8.self)
    let plain = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    return Key(.pasted(String(String.UnicodeScalarView(plain))))
  }
}

/// Something that was pressed, or pasted, in a terminal.
package struct Key: Hashable, Sendable {
  package enum Sign: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown
    case enter, backspace, delete, tab, escape
    /// A key with a control key, as the letter: `c` of ^C.
    case control(Character)
    /// A text that came at once, without the signs that move or end it.
    case pasted(String)
  }

  package let sign: Sign
  package var hasShift = false
  /// Whether a key was held that makes it another one: Alt, or Control with an arrow.
  package var hasOther = false

  package init(_ sign: Sign, hasShift: Bool = false, hasOther: Bool = false) {
    self.sign = sign
    self.hasShift = hasShift
    self.hasOther = hasOther
  }
}
