// SPDX-License-Identifier: Apache-2.0

/// The fields of a record (RFC 4180), between separators, taken line by line: one between quotes may go on in the next.
///
///     0.5,"a ""b""",walking     ─▶     0.5    a "b"    walking
package struct LineFields {
  /// The separators; the first line tells which one parts fields.
  private static let separators = [",", ";", "\t"].map(\.utf8.first!)

  private let separator: UInt8
  private var (fields, field) = ([String](), [UInt8]())
  private var (isQuoted, wasQuoted) = (false, false)

  package init(_ separator: UInt8) { self.separator = separator }

  /// The separator of a table, by its first line.
  package static func separator(in line: some Sequence<UInt8>) -> UInt8 {
    separators.first { line.contains($0) } ?? separators[0]
  }

  /// The fields of a line; nil where a quote is not closed.
  static func fields(of line: ArraySlice<UInt8>, _ separator: UInt8) -> [String]? {
    var record = LineFields(separator)
    return record.take(line)
  }

  /// Takes a line, without its end.
  ///
  /// - Returns: The fields of the record; nil where a quote is not closed, and the next line goes on with it.
  package mutating func take(_ line: some Sequence<UInt8>) -> [String]? {
    let quote = UInt8(ascii: "\"")
    if isQuoted { field.append(UInt8(ascii: "\n")) }
    // A quote that may end the field, or be the first of two.
    var wasQuote = false
    for byte in line {
      if wasQuote {
        wasQuote = false
        if byte == quote {
          field.append(quote)
          continue
        }
        isQuoted = false
      }
      switch byte {
      case quote where isQuoted: wasQuote = true
      case _ where isQuoted: field.append(byte)
      case quote where !wasQuoted && field.allSatisfy { $0 == 0x20 }:
        (isQuoted, wasQuoted, field) = (true, true, [])
      case separator: endField()
      case _: field.append(byte)
      }
    }
    if wasQuote { isQuoted = false }
    guard !isQuoted else { return nil }
    endField()
    defer { fields = [] }
    return fields
  }

  /// Spaces around a field are no part of it.
  private mutating func endField() {
    var own = field[...]
    while own.first == 0x20 { own.removeFirst() }
    while own.last == 0x20 { own.removeLast() }
    fields.append(String(decoding: own, as: UTF8.self))
    (field, wasQuoted) = ([], false)
  }

  /// Nil for what is no finite number.
  static func number(_ field: String) -> Double? { Double(field).flatMap { $0.isFinite ? $0 : nil } }
}
