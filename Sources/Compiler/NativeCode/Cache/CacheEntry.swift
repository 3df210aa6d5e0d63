// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The contents of one file of a cache.
///
///     magic, checksum │ key │ library: name, path, status │ contents
///
/// The key and the library stand there whole and are compared byte for byte, so that a file of the right name is not
/// taken for what it is not.
package struct CacheEntry {
  let key: [UInt8]
  let library: LibraryIdentity
  let contents: [UInt8]

  package init(key: [UInt8], library: LibraryIdentity, contents: [UInt8]) {
    self.key = key
    self.library = library
    self.contents = contents
  }

  /// The last byte counts the changes of this form.
  private static let magic = Array("legato".utf8) + [0, 2]

  package var bytes: [UInt8] {
    var fields: [UInt8] = []
    let names = [library.name, library.path, library.status].map { Array($0.utf8) }
    for field in [key] + names + [contents] {
      fields += Self.bytes(of: UInt64(field.count)) + field
    }
    return Self.magic + Self.bytes(of: fields.fingerprint) + fields
  }

  /// The contents of a file's bytes; nil where they are damaged, of another key, or made by a library that is not the
  /// same any more.
  package static func contents(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
    let file = LittleEndianBytes(bytes)
    guard bytes.starts(with: magic), let checksum = try? file.number(at: 8, as: UInt64.self),
      bytes[16...].fingerprint == checksum
    else { return nil }
    var place: UInt64 = 16
    func field() throws(NativeCodeError) -> ArraySlice<UInt8> {
      let count: UInt64 = try file.part(at: place, count: 8, what: "a count").number(at: 0)
      let field = try file.part(at: place + 8, count: count, what: "a field").bytes
      place += 8 + count
      return field
    }
    guard let kept = try? field(), kept.elementsEqual(key), let name = try? field(),
      let path = try? field(), let status = try? field(), let contents = try? field(),
      let library = LibraryIdentity(name: String(decoding: name, as: UTF8.self)),
      library.name.utf8.elementsEqual(name), library.path.utf8.elementsEqual(path),
      library.status.utf8.elementsEqual(status)
    else { return nil }
    return Array(contents)
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
