// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc

/// A watch over files, which notices any way of changing or replacing one.
///
///     models/rig.json      looks at     / for home   /home for me   /home/me for models   …/models for rig.json
///     rig.json ─▶ v2.json  and where a link leads, at its target in the same way
///
/// Editors write a file in place, or another one and give it the name; folders and links are replaced as well. So what
/// is looked at is every folder on the way, for the one name that matters in it. Folders that are not there are noticed
/// when they come. Files of a network that another machine writes are not noticed.
///
/// It belongs to one thread.
final class FileWatch {
  /// Becomes readable when something happened in one of the folders.
  let descriptor: Int32
  /// The names that matter in a folder, by the number of its watch.
  private var names: [Int32: Set<[UInt8]>] = [:]
  /// Whether a file has changed that matters only as a neighbour, since this was last asked for.
  private var sawNeighbour = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// Any name.
  static let anything: [UInt8] = []

  /// Nil where the system does not let any more be watched.
  init?() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Looks at these files from now on, and at no others. What changed before may not be noticed: read them afterwards.
  ///
  /// - Parameter neighbours: whether any file in their folders matters.
  func watch(_ files: [String], neighbours: Bool = false) {
    var ways = FileWay()
    for file in files {
      ways.follow(file)
      if neighbours { ways.lookAtFolder(of: file) }
    }
    let former = Set(names.keys)
    names = [:]
    for (folder, wanted) in ways.names {
      // Two paths to one folder have one watch.
      let path = String(decoding: folder, as: UTF8.self)
      let watch = unsafe path.withPath { unsafe inotify_add_watch(descriptor, $0, Self.events) }
      if watch >= 0 { names[watch, default: []].formUnion(wanted) }
    }
    for watch in former.subtracting(names.keys) { inotify_rm_watch(descriptor, watch) }
  }

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// Takes all events, without waiting; true where some of them matter.
  func takeChange() -> Bool {
    var matters = false
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return matters }
      var place = 0
      while place + Self.header <= count {
        let (watch, mask, length) = (Int32(bitPattern: word(place)), word(place + 4), Int(word(place + 12)))
        let name = buffer[place + Self.header..<place + Self.header + length].prefix { $0 != 0 }
        if isRelevant(watch, mask, Array(PathText.text(of: name).utf8)) { matters = true }
        place += Self.header + length
      }
    }
  }

  /// Whether a file that was not named has changed in one of the folders, among what was taken since the last time.
  func takeNeighbour() -> Bool {
    defer { sawNeighbour = false }
    return sawNeighbour
  }

  /// Bytes of an event before its name: watch, mask, cookie, length of the name.
  private static let header = 16

  private func word(_ place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(buffer[place + $1]) << (8 * UInt32($1)) }
  }

  private func isRelevant(_ watch: Int32, _ mask: UInt32, _ name: [UInt8]) -> Bool {
    // Of what went by unseen nobody knows what it was.
    if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
    guard let wanted = names[watch] else { return false }
    if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { return true }
    if wanted.contains(name) { return true }
    // A file that is being written, such as a recording, counts when it comes and when it is closed.
    guard wanted.contains(Self.anything), mask & UInt32(IN_ISDIR | IN_MODIFY) == 0 else { return false }
    sawNeighbour = true
    return true
  }
}
