// SPDX-License-Identifier: Apache-2.0

/// An npz file: named arrays, each in npy's form, in a zip archive.
///
///     numpy.savez("in.npz", x=x, h=h)   ─▶   x.npy, h.npy   ─▶   "x", "h"
///
/// What is no array in it is passed over. An array's header is read when its shape is asked for, and its numbers when
/// they are.
package final class NumPyArchive: Sendable {
  /// The names of the arrays, in the order of the archive.
  package let names: [String]
  private let file: String
  private let reader: FileReader
  private let directory: ZipDirectory
  /// The places of names among the entries, by the bytes of the names.
  private let rows: [[UInt8]: Int]

  static let ending = ".npy"

  /// - Throws: `TensorFileError` with the first thing that cannot be true of the archive.
  package init(_ reader: FileReader, file: String) throws(TensorFileError) {
    (self.reader, self.file) = (reader, file)
    directory = try ZipDirectory(reader, file: file)
    var (names, rows) = ([String](), [[UInt8]: Int]())
    for (row, entry) in directory.entries.enumerated()
    where entry.name.suffix(4).elementsEqual(Self.ending.utf8) {
      let bytes = Array(entry.name.dropLast(4))
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw TensorFileError(file, "has an array whose name is no UTF-8")
      }
      names.append(name)
      rows[bytes] = row
    }
    (self.names, self.rows) = (names, rows)
  }

  /// The shape of an array of this archive.
  package func shape(of name: String) throws(TensorFileError) -> [Int] {
    try NumPyHeader(bytes(of: name)).shape
  }

  /// An array of this archive, or so many positions of its first axis.
  package func array(_ name: String, rows: Int? = nil) throws(TensorFileError) -> FloatArray {
    try FloatArray(bytes(of: name), rows: rows)
  }

  private func bytes(of name: String) throws(TensorFileError) -> ArrayBytes {
    guard let row = rows[Array(name.utf8)] else { throw TensorFileError(file, tensor: name, "is not there") }
    let entry = directory.entries[row]
    return try ArrayBytes(
      entry, at: directory.begin(of: entry, name), of: reader, file: file, tensor: name)
  }
}
