// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Temporary files that a killed run left beside the places of its outputs.
///
///     out/.a.wav.legato-k3x9qz    nobody writes it: removed
///     out/.b.wav.legato-0p2mfe    locked by a run that is at work: stays
package enum Leftovers {
  /// Removes what was left of outputs with these paths. Folders with many files hold few leftovers: those are found
  /// first.
  ///
  /// - Parameter folders: those in which the outputs stand, as their paths have them.
  package static func remove(of outputs: some Sequence<String>, in folders: some Sequence<String>) {
    var found: [[UInt8]: [String]] = [:]
    for folder in folders {
      try? FolderEntry.each(in: folder) { entry in
        guard entry.kind == .file, let beginning = OutputFile.beginning(ofHiddenName: entry.name) else {
          return
        }
        found[key(folder, beginning), default: []].append(PathText.path(folder, entry.name))
      }
    }
    guard !found.isEmpty else { return }
    for output in outputs {
      let beginning = OutputFile.hiddenName(of: PathText.name(of: output), "")
      found.removeValue(forKey: key(PathText.folder(of: output), beginning))?.forEach(removeUnlessLocked)
    }
  }

  /// By bytes: strings are equal that are written differently, and are names of different files.
  private static func key(_ folder: String, _ name: String) -> [UInt8] {
    Array(PathText.path(folder, name).utf8)
  }

  private static func removeUnlessLocked(_ path: String) {
    let descriptor = unsafe path.withPath { unsafe open($0, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    unsafe path.withPath { _ = unsafe unlink($0) }
  }
}
