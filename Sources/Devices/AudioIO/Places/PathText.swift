// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A path as a string that keeps every byte.
///
///     63 61 66 E9 2E 77 61 76   ⇄   "caf\u{EFE9}.wav"
///
/// The name of a file is bytes, a string is Unicode. A byte that is no part of UTF-8 becomes a private character:
/// U+EF80 for 80, up to U+EFFF for FF. So does each byte of such a character that is a name's own: every path has one
/// string, from which its bytes come back.
package enum PathText {
  private static let first: UInt32 = 0xEF00
  private static let stands: ClosedRange<UInt32> = 0xEF80...0xEFFF
  /// The first byte of the private characters in UTF-8.
  private static let lead: UInt8 = 0xEE

  package static func text(of bytes: some Collection<UInt8>) -> String {
    if !bytes.contains(lead), let text = String(validating: bytes, as: UTF8.self) { return text }
    let bytes = Array(bytes)
    var text = String.UnicodeScalarView()
    var place = 0
    while place < bytes.count {
      let length = bytes[place] < 0x80 ? 1 : bytes[place] < 0xE0 ? 2 : bytes[place] < 0xF0 ? 3 : 4
      let next = min(place + length, bytes.count)
      let character = String(validating: bytes[place..<next], as: UTF8.self)?.unicodeScalars.first
      if let character, !stands.contains(character.value) {
        text.append(character)
        place = next
      } else {
        let stand = Unicode.Scalar(first + UInt32(bytes[place]))
        // A byte below 80 is a character by itself, and never comes here.
        text.append(stand ?? "\u{FFFD}")
        place += 1
      }
    }
    return String(text)
  }

  package static func bytes(of text: String) -> [UInt8] {
    guard text.utf8.contains(lead) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if let byte = foreignByte(scalar) { bytes.append(byte) } else { bytes += UTF8.encode(scalar)! }
    }
    return bytes
  }

  /// The bytes as addresses in the web have them: "caf%E9.wav". (RFC 3986, section 2; slashes stay.)
  package static func percentEncoded(_ text: String) -> String {
    bytes(of: text).map { byte in
      let character = Unicode.Scalar(byte)
      let isPlain =
        character.isASCII
        && (character.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(character))
      return isPlain ? String(character) : "%" + hexadecimal(UInt32(byte))
    }.joined()
  }

  /// The byte that a character stands for; nil where it stands for itself.
  package static func foreignByte(_ scalar: Unicode.Scalar) -> UInt8? {
    stands.contains(scalar.value) ? UInt8(scalar.value - first) : nil
  }

  /// "in/a.wav" → "in"; "a.wav" → "."
  package static func folder(of path: String) -> String {
    // Not by characters: a slash followed by a combining mark is still a slash.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// "in/a.wav" → "a.wav"
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// "in", "a.wav" → "in/a.wav"
  package static func path(_ folder: String, _ name: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  /// The path without links; nil where it leads nowhere.
  package static func resolved(_ path: String) -> String? {
    guard let real = unsafe path.withPath({ unsafe realpath($0, nil) }) else { return nil }
    defer { unsafe free(real) }
    return unsafe text(of: UnsafeRawBufferPointer(start: real, count: strlen(real)))
  }

  /// The target of a link; nil where the path is none.
  package static func target(ofLink path: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let count = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
        unsafe path.withPath { unsafe readlink($0, text.baseAddress!, text.count) }
      }
      return count > 0 ? unsafe text(of: buffer.prefix(count)) : nil
    }
  }

  /// A path, or a message with one, so that it neither breaks the line nor reaches a terminal as commands.
  ///
  ///     a⏎b.wav → a\nb.wav        caf<E9>.wav → caf\xE9.wav
  ///
  /// Names may hold anything but a slash and a zero. A backslash stays as it is: the text is for people.
  package static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { needsEscape($0) }) else { return text }
    return text.unicodeScalars.map { scalar in
      guard needsEscape(scalar) else { return String(scalar) }
      if scalar == "\n" { return "\\n" }
      if scalar == "\t" { return "\\t" }
      return "\\x" + hexadecimal(foreignByte(scalar).map(UInt32.init) ?? scalar.value)
    }.joined()
  }

  /// With two digits or more.
  private static func hexadecimal(_ number: UInt32) -> String {
    (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true)
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || foreignByte(scalar) != nil
  }
}

extension String {
  /// The path as system calls take it.
  package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let bytes = PathText.bytes(of: self).map { CChar(bitPattern: $0) } + [0]
    return unsafe bytes.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
  }
}
