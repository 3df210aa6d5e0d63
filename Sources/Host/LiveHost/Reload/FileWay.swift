// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// The folders that lead to files, and the one name that matters in each.
///
///     models/rig.json, a link to ../v2/rig.json
/// →
///     /        home              /home/me         models, v2
///     /home    me                /home/me/models  rig.json     /home/me/v2   rig.json
///
/// A way ends where something is not there.
struct FileWay {
  /// Names that matter, by the path of their folder. By bytes: strings are equal that are written differently, and are
  /// names of different files.
  private(set) var names: [[UInt8]: Set<[UInt8]>] = [:]

  /// The most links of a path, as the system counts, before it counts as endless.
  private static let mostLinks = 40

  /// Adds the way to a file.
  mutating func follow(_ path: String) {
    var rest = Self.steps(of: path)
    if !Self.isAbsolute(path) { rest = Self.steps(of: PathText.resolved(".") ?? "/") + rest }
    var (folder, links) = ("/", 0)
    while let name = rest.first {
      rest.removeFirst()
      let next = PathText.path(folder, name)
      if name == ".." {
        // The system knows best what is above a folder to which a link led.
        folder = next
        continue
      }
      names[Array(folder.utf8), default: []].insert(Array(name.utf8))
      guard let target = PathText.target(ofLink: next) else {
        folder = next
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { return }
      rest = Self.steps(of: target) + rest
      if Self.isAbsolute(target) { folder = "/" }
    }
  }

  /// Lets everything matter that is in a file's folder.
  mutating func lookAtFolder(of path: String) {
    names[Array(PathText.folder(of: path).utf8), default: []].insert(FileWatch.anything)
  }

  // By bytes: a slash followed by a combining mark is still a slash.
  private static func steps(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }
}
