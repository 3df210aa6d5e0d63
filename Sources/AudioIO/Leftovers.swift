// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Temporary files that a killed run left beside the places of its outputs.
///
///     out/.a.wav.legato-k3x9qz    nobody writes it: removed
///     out/.b.wav.legato-0p2mfe    locked by a run that is at work: stays
package enum Leftovers {
  /// Removes what was left of outputs with these paths.
  package static func remove(beside outputs: [String]) {
    var names: [String: Set<[UInt8]>] = [:]
    for output in outputs {
      let beginning = OutputFile.hiddenName(of: PathText.name(of: output), "")
      names[PathText.folder(of: output), default: []].insert(Array(beginning.utf8))
    }
    for (folder, beginnings) in names {
      for entry in (try? FolderEntry.all(in: folder)) ?? [] {
        let beginning = Array(entry.name.utf8.dropLast(OutputFile.markLength))
        guard entry.kind == .file, beginnings.contains(beginning) else { continue }
        removeUnlessLocked(PathText.path(folder, entry.name))
      }
    }
  }

  private static func removeUnlessLocked(_ path: String) {
    let descriptor = unsafe path.withPath { unsafe open($0, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    unsafe path.withPath { _ = unsafe unlink($0) }
  }
}
