// SPDX-License-Identifier: Apache-2.0

/// The fields of a line (RFC 4180), between separators.
///
///     0.5,"a ""b""",walking     ─▶     0.5    a "b"    walking
enum LineFields {
  /// The separators; the first line tells which one parts fields.
  static let separators = [",", ";", "\t"]

  /// Nil where a quote is not closed.
  static func fields(of line: ArraySlice<UInt8>, _ separator: UInt8) -> [String]? {
    let quote = UInt8(ascii: "\"")
    var (fields, field) = ([String](), [UInt8]())
    var (isQuoted, wasQuoted) = (false, false)
    // Spaces around it are no part of it.
    func text() -> String {
      var own = field[...]
      while own.first == 0x20 { own.removeFirst() }
      while own.last == 0x20 { own.removeLast() }
      return String(decoding: own, as: UTF8.self)
    }
    var rest = line
    while let byte = rest.popFirst() {
      switch byte {
      case quote where isQuoted && rest.first == quote: field.append(rest.removeFirst())
      case quote where isQuoted: isQuoted = false
      case _ where isQuoted: field.append(byte)
      case quote where !wasQuoted && field.allSatisfy { $0 == 0x20 }:
        (isQuoted, wasQuoted, field) = (true, true, [])
      case separator:
        fields.append(text())
        (field, wasQuoted) = ([], false)
      case _: field.append(byte)
      }
    }
    return isQuoted ? nil : fields + [text()]
  }

  /// Nil for what is no finite number.
  static func number(_ field: String) -> Double? { Double(field).flatMap { $0.isFinite ? $0 : nil } }
}
