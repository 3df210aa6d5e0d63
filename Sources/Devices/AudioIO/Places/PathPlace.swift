// SPDX-License-Identifier: Apache-2.0

/// The place that a path means, whether or not something stands there: equal for two paths that mean the same one.
///
///     out/a.wav, ./out/../out/a.wav, link-to-a.wav  ─▶  one place, before a.wav is there and afterwards
///
/// Where something stands, that is the file itself, by whatever name; else it is the path without links.
package enum PathPlace: Hashable, Sendable {
  case taken(FileIdentity)
  /// By bytes: strings are equal that are written differently, and mean different places.
  case free([UInt8])

  /// Folders of the path may be missing, too.
  package init(_ path: String) {
    if let status = try? FileStatus(path: path) {
      self = .taken(status.identity)
    } else {
      self = .free(Array(Self.withoutLinks(path).utf8))
    }
  }

  /// Whether a path means this place: of very many paths, sooner said than where each of them leads.
  ///
  /// Where a file stands, it has to be that one. Where none does, only a link, or a path with the same name at its end,
  /// can lead there.
  package func isMeant(by path: String) -> Bool {
    switch self {
    case .taken(let identity): return (try? FileStatus(path: path))?.identity == identity
    case .free(let place):
      let name = PathText.name(of: path)
      let isPlain = !["", ".", ".."].contains(name) && (try? FileStatus(link: path))?.isLink != true
      guard isPlain, !place.suffix(name.utf8.count).elementsEqual(name.utf8) else {
        return PathPlace(path) == self
      }
      return false
    }
  }

  /// The path from the root, without links: the same one before something stands there and afterwards.
  package static func withoutLinks(_ path: String) -> String {
    if let real = PathText.resolved(path) { return real }
    // A link may lead to what is not there yet.
    let path = (try? OutputPlace.followLinks(path)) ?? path
    let (folder, name) = (PathText.folder(of: path), PathText.name(of: path))
    // The folder in which the process runs may be gone.
    guard folder != path else { return path }
    let parent = withoutLinks(folder)
    switch name {
    case "", ".": return parent
    case "..": return PathText.folder(of: parent)
    case _: return PathText.path(parent, name)
    }
  }
}
