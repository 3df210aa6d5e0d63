// SPDX-License-Identifier: Apache-2.0

/// A table of a FlatBuffer: fields by their numbers, each somewhere in the bytes, or left out.
///
///     position ─▶ distance back to the fields' places │ …          fields' places: sizes, place of 0, place of 1, …
///
/// Nothing that the bytes say is believed: every place is looked at before it is read.
struct FlatTable {
  private let bytes: [UInt8]
  private let position: Int
  /// Where the places of the fields are, and how many bytes they have.
  private let fields: Int
  private let fieldBytes: Int

  /// The reason why bytes are no such buffer, or one that is not read.
  struct Damage: Error {
    var reason = "is damaged"
  }

  /// The outermost table of a buffer.
  init(root bytes: [UInt8]) throws(Damage) {
    try self.init(bytes, at: Self.follow(bytes, at: 0))
  }

  private init(_ bytes: [UInt8], at position: Int) throws(Damage) {
    let back = Int(Int32(truncatingIfNeeded: try Self.number(bytes, at: position, 4)))
    (self.bytes, self.position, fields) = (bytes, position, position - back)
    fieldBytes = Int(try Self.number(bytes, at: fields, 2))
    guard fieldBytes >= 4, fields + fieldBytes <= bytes.count else { throw Damage() }
  }

  private static func number(_ bytes: [UInt8], at place: Int, _ width: Int) throws(Damage) -> UInt64 {
    guard place >= 0, place <= bytes.count - width else { throw Damage() }
    return (0..<width).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
  }

  private static func follow(_ bytes: [UInt8], at place: Int) throws(Damage) -> Int {
    place + Int(try number(bytes, at: place, 4))
  }

  private func place(_ field: Int) throws(Damage) -> Int? {
    guard 4 + 2 * field + 2 <= fieldBytes else { return nil }
    let offset = Int(try Self.number(bytes, at: fields + 4 + 2 * field, 2))
    return offset == 0 ? nil : position + offset
  }

  /// A whole number of so many bytes; nil where it is left out.
  func integer(_ field: Int, bytes width: Int) throws(Damage) -> Int64? {
    guard let place = try place(field) else { return nil }
    let number = try Self.number(bytes, at: place, width)
    let free = 64 - 8 * width
    return Int64(bitPattern: number << UInt64(free)) >> Int64(free)
  }

  func float(_ field: Int) throws(Damage) -> Float? {
    guard let place = try place(field) else { return nil }
    return Float(bitPattern: UInt32(try Self.number(bytes, at: place, 4)))
  }

  /// - Parameter most: bytes; tables may share one text, so that few bytes say many.
  func text(_ field: Int, most: Int) throws(Damage) -> String? {
    guard let range = try range(field, width: 1, most: most) else { return nil }
    return String(validating: bytes[range], as: UTF8.self)
  }

  func table(_ field: Int) throws(Damage) -> FlatTable? {
    guard let place = try place(field) else { return nil }
    return try FlatTable(bytes, at: Self.follow(bytes, at: place))
  }

  func tables(_ field: Int, most: Int = .max) throws(Damage) -> [FlatTable] {
    guard let range = try range(field, width: 4, most: most) else { return [] }
    return try stride(from: range.lowerBound, to: range.upperBound, by: 4).map { place throws(Damage) in
      try FlatTable(bytes, at: Self.follow(bytes, at: place))
    }
  }

  func integers(_ field: Int, most: Int) throws(Damage) -> [Int64] {
    guard let range = try range(field, width: 8, most: most) else { return [] }
    return try stride(from: range.lowerBound, to: range.upperBound, by: 8).map { place throws(Damage) in
      Int64(bitPattern: try Self.number(bytes, at: place, 8))
    }
  }

  /// The bytes of a list, whose elements have so many each.
  func range(_ field: Int, width: Int, most: Int = .max) throws(Damage) -> Range<Int>? {
    guard let place = try place(field) else { return nil }
    let start = try Self.follow(bytes, at: place)
    let count = Int(try Self.number(bytes, at: start, 4))
    guard count <= (bytes.count - start - 4) / width else { throw Damage() }
    guard count <= most else {
      throw Damage(reason: "has a list of \(count) elements; \(most) are the most there")
    }
    return start + 4..<start + 4 + count * width
  }
}
