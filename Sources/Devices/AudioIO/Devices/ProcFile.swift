// SPDX-License-Identifier: Apache-2.0

/// A file of the kernel's that has a `key : value` a line.
struct ProcFile {
  private let lines: [Substring]

  /// Nil where it cannot be read.
  init?(_ path: String) {
    guard let bytes = try? FileBytes.read(path, most: 1 << 16) else { return nil }
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  subscript(key: String) -> String? {
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, Self.trimmed(parts[0]) == key { return Self.trimmed(parts[1]) }
    }
    return nil
  }

  func number(_ key: String) -> Int? { self[key].flatMap { Int($0) } }

  /// The file's one line, as in `id`.
  var line: String? { lines.first.map(Self.trimmed) }

  /// The names in a folder that begin so; none where there is no such folder.
  static func names(in folder: String, beginning start: String) -> [String] {
    var names: [String] = []
    try? FolderEntry.each(in: folder) { if $0.name.hasPrefix(start) { names.append($0.name) } }
    return names.sorted()
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(text[...last].drop(while: isBlank))
  }
}
