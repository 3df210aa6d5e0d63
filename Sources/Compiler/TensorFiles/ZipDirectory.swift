// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The entries of a zip archive, as the directory at its end has them.
///
///     entry │ entry │ … │ directory: a record for each │ end: where the directory begins
///     ▲──────────────────┘ of each its place, its name, how long it is, its check sum
///
/// No entry lies over another one, and none is read before the record beside it says the same. (APPNOTE 6.3, with the
/// numbers of 64 bits of its section 4.5.3.)
struct ZipDirectory {
  struct Entry {
    /// By its bytes.
    let name: [UInt8]
    let isDeflated: Bool
    /// Bytes as they stand in the archive, and as they were.
    let stored, size: Int
    let sum: UInt32
    /// Where its own record begins, and where at the latest its bytes end.
    fileprivate let begin: Int
    fileprivate var end = 0
  }

  /// The most bytes of all records.
  static let most = 1 << 24
  /// The most bytes of a name.
  static let longestName = 1 << 10
  /// The four bytes with which an archive begins; one without entries begins with its end.
  static let marks: [[UInt8]] = [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]]

  let entries: [Entry]
  private let reader: FileReader
  private let file: String

  init(_ reader: FileReader, file: String) throws(TensorFileError) {
    (self.reader, self.file) = (reader, file)
    let place = try Self.place(reader, file)
    let records = try Record(place, of: reader, file)
    var entries: [Entry] = []
    var (next, known) = (0, Set<[UInt8]>())
    while next < place.count {
      let entry = try records.entry(at: &next, before: place.lowerBound)
      guard known.insert(entry.name).inserted else {
        throw TensorFileError(file, tensor: String(decoding: entry.name, as: UTF8.self), "stands twice in it")
      }
      entries.append(entry)
    }
    // Who comes next, or the directory, is where one ends.
    var end = place.lowerBound
    for index in entries.indices.sorted(by: { entries[$0].begin > entries[$1].begin }) {
      entries[index].end = end
      end = entries[index].begin
    }
    self.entries = entries
  }

  /// The place at which the bytes of an entry begin.
  ///
  /// - Parameter name: the entry's in messages.
  func begin(of entry: Entry, _ name: String) throws(TensorFileError) -> Int {
    func error(_ message: String) -> TensorFileError { TensorFileError(file, tensor: name, message) }
    let length = Record.ownLength
    guard entry.end - entry.begin >= length else { throw error("lies over another part of the archive") }
    let own = try Record(entry.begin..<entry.begin + length, of: reader, file)
    let begin = entry.begin + length + own[26, 2] + own[28, 2]
    guard begin <= entry.end, entry.stored <= entry.end - begin else {
      throw error("lies over another part of the archive")
    }
    let start = entry.begin + length
    guard own[0, 4] == 0x0403_4B50, own[8, 2] == (entry.isDeflated ? 8 : 0),
      try Record(start..<start + own[26, 2], of: reader, file).bytes == entry.name
    else { throw error("is damaged: the archive says two things of it") }
    return begin
  }

  /// Where all records are.
  private static func place(_ reader: FileReader, _ file: String) throws(TensorFileError) -> Range<Int> {
    // Behind the end stands nothing but a comment.
    let tail = max(0, reader.count - Record.endLength - 0xFFFF)
    let end = try Record(tail..<reader.count, of: reader, file)
    let start = stride(from: end.bytes.count - Record.endLength, through: 0, by: -1).first { place in
      end[place, 4] == 0x0605_4B50 && place + Record.endLength + end[place + 20, 2] == end.bytes.count
    }
    guard let start else {
      throw TensorFileError(
        file, "is no archive of arrays, or is cut off: the directory at its end is missing")
    }
    var (size, begin, limit) = (end[start + 12, 4], end[start + 16, 4], tail + start)
    // With numbers of 64 bits there is another end before it, and a record that says where.
    let locator = try Record(max(0, limit - 20)..<limit, of: reader, file)
    if locator.bytes.count == 20, locator[0, 4] == 0x0706_4B50 {
      let wide = locator[8, 8]
      guard wide <= limit - 76 else { throw damaged(file) }
      let record = try Record(wide..<wide + 56, of: reader, file)
      guard record[0, 4] == 0x0606_4B50 else { throw damaged(file) }
      (size, begin, limit) = (record[40, 8], record[48, 8], wide)
    }
    guard begin <= limit, size == limit - begin else { throw damaged(file) }
    guard size <= most else {
      throw TensorFileError(file, "has a directory of \(size) bytes; \(most) are the most")
    }
    return begin..<limit
  }

  fileprivate static func damaged(_ file: String) -> TensorFileError {
    TensorFileError(file, "is damaged: the directory at the archive's end contradicts itself")
  }
}

/// Bytes of an archive in which numbers stand, the lowest byte first.
private struct Record {
  /// Bytes of the record before an entry, of one in the directory, and of the end, without names and comments.
  static let ownLength = 30
  static let directoryLength = 46
  static let endLength = 22

  let bytes: [UInt8]
  private let file: String

  init(_ range: Range<Int>, of reader: FileReader, _ file: String) throws(TensorFileError) {
    bytes = try TensorFile.bytes(range, of: reader, file: file)
    self.file = file
  }

  /// A number of so many bytes; one that is too large for any file is the largest.
  subscript(place: Int, count: Int) -> Int {
    Int(clamping: bytes[place..<place + count].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// The entry whose record begins at a place, which moves on to the next one.
  func entry(at place: inout Int, before end: Int) throws(TensorFileError) -> ZipDirectory.Entry {
    let begin = place
    guard Self.directoryLength <= bytes.count - begin, self[begin, 4] == 0x0201_4B50 else {
      throw ZipDirectory.damaged(file)
    }
    let names = begin + Self.directoryLength
    let extra = names + self[begin + 28, 2]
    let comment = extra + self[begin + 30, 2]
    place = comment + self[begin + 32, 2]
    guard place <= bytes.count else { throw ZipDirectory.damaged(file) }
    guard extra - names <= ZipDirectory.longestName else {
      throw TensorFileError(
        file, "has a name of \(extra - names) bytes; \(ZipDirectory.longestName) are the most")
    }
    let name = Array(bytes[names..<extra])
    func error(_ message: String) -> TensorFileError {
      TensorFileError(file, tensor: String(decoding: name, as: UTF8.self), message)
    }
    guard self[begin + 8, 2] & 1 == 0 else { throw error("is encrypted; save it without a password") }
    let method = self[begin + 10, 2]
    guard method == 0 || method == 8 else {
      throw error("is packed by method \(method) of zip; save it with numpy.savez or numpy.savez_compressed")
    }
    // Those that have no room in 32 bits stand behind the name, in this order.
    var fields = [self[begin + 24, 4], self[begin + 20, 4], self[begin + 42, 4]]
    var wide = wideNumbers(extra..<comment)
    for index in fields.indices where fields[index] == 0xFFFF_FFFF {
      guard let number = wide.popFirst() else {
        throw error("is damaged: the archive does not say how long it is")
      }
      fields[index] = number
    }
    let (size, stored, own) = (fields[0], fields[1], fields[2])
    guard own <= end, stored <= end, method == 8 || size == stored else {
      throw error("is damaged: it would lie outside of the archive")
    }
    // Nothing can be deflated to less than this share of it.
    guard size / 1032 <= stored else {
      throw error("is damaged: \(counted(stored, "byte")) cannot be inflated to \(size)")
    }
    return ZipDirectory.Entry(
      name: name, isDeflated: method == 8, stored: stored, size: size, sum: UInt32(self[begin + 16, 4]),
      begin: own)
  }

  /// The numbers of 64 bits among what stands behind a name.
  private func wideNumbers(_ range: Range<Int>) -> ArraySlice<Int> {
    var place = range.lowerBound
    while place + 4 <= range.upperBound {
      let (kind, begin, count) = (self[place, 2], place + 4, self[place + 2, 2])
      guard count <= range.upperBound - begin else { break }
      if kind == 1 { return (0..<count / 8).map { self[begin + 8 * $0, 8] }[...] }
      place = begin + count
    }
    return []
  }
}
