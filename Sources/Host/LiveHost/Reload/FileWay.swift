// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The folders that lead to files, and the one name that matters in each.
///
///     models/rig.json, a link to ../v2/rig.json
/// →
///     /        home              /home/me         models, v2
///     /home    me                /home/me/models  rig.json     /home/me/v2   rig.json
///
/// A way ends where something is not there.
struct FileWay {
  /// Names that matter, by the path of their folder.
  private(set) var names: [String: Set<String>] = [:]

  /// The links that a way may have before it is one that never ends, as the system counts.
  private static let mostLinks = 40

  /// Adds the way to a file.
  mutating func follow(_ path: String) {
    var rest = Self.steps(of: path)
    var folder = path.hasPrefix("/") ? "/" : Self.presentFolder
    if !path.hasPrefix("/") {
      rest = Self.steps(of: folder) + rest
      folder = "/"
    }
    var links = 0
    while let name = rest.first {
      rest.removeFirst()
      let next = folder == "/" ? "/" + name : folder + "/" + name
      if name == ".." {
        // The system knows best what is above a folder to which a link led.
        folder = next
        continue
      }
      names[folder, default: []].insert(name)
      guard let target = Self.target(ofLink: next) else {
        folder = next
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { return }
      rest = Self.steps(of: target) + rest
      if target.hasPrefix("/") { folder = "/" }
    }
  }

  /// Lets everything matter that is in a file's folder.
  mutating func lookAtFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    names[folder, default: []].insert(FileWatch.anything)
  }

  private static func steps(of path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  private static var presentFolder: String {
    guard let path = unsafe getcwd(nil, 0) else { return "/" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// Where a link leads; nil where there is none.
  private static func target(ofLink path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
