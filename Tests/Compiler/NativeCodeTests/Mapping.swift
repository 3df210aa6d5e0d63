// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One line of the kernel's list of this process's memory.
struct Mapping {
  var range: Range<UInt>
  /// Such as `r-xp`.
  var rights: String
  /// The file, or empty.
  var name: String

  struct Unreadable: Error {}

  static func all() throws -> [Mapping] {
    guard let file = unsafe fopen("/proc/self/maps", "r") else { throw Unreadable() }
    defer { unsafe fclose(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, file)
      if count == 0 { break }
      text += chunk[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(Mapping.init)
  }

  /// Reads "7f00-7f10 r-xp 00000000 00:00 0    [name]".
  private init?(line: Substring) {
    let fields = line.split(separator: " ", maxSplits: 5)
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard fields.count >= 5, ends.count == 2 else { return nil }
    range = ends[0]..<ends[1]
    rights = String(fields[1])
    name = fields.count > 5 ? String(fields[5].drop { $0 == " " }) : ""
  }
}
