// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// Memory that a process can take without being ended for it.
enum FreeMemory {
  /// The bytes: what the system has without moving others out of the way, the most that a group of processes may have
  /// (cgroup, version 2), and what is left of the process's own addresses (`ulimit -v`), whichever is least.
  static var bytes: Int {
    [system, group, addresses].compactMap(\.self).min()
      ?? Int(clamping: ProcessInfo.processInfo.physicalMemory)
  }

  private static var system: Int? {
    text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  private static var group: Int? {
    let own = text("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(4)
    return left(of: String(own ?? ""), below: "/sys/fs/cgroup")
  }

  /// The bytes that a group and those that it is in may have, less what they have taken; files in their caches that
  /// nobody uses make room. Nil where none has a limit.
  ///
  /// - Parameters:
  ///   - group: its path, such as "user.slice/run.scope".
  ///   - mount: the folder in which groups are.
  static func left(of group: String, below mount: String) -> Int? {
    var (folder, least) = (mount, nil as Int?)
    for part in [""] + group.split(separator: "/").map(String.init) {
      if !part.isEmpty { folder += "/" + part }
      guard let most = text("\(folder)/memory.max").flatMap(number),
        let taken = text("\(folder)/memory.current").flatMap(number)
      else { continue }
      let caches = text("\(folder)/memory.stat")?.split(separator: "\n")
        .first { $0.hasPrefix("inactive_file ") }
      let idle = caches.flatMap { number(String($0.dropFirst("inactive_file ".count))) }
      least = min(least ?? .max, max(0, most - max(0, taken - (idle ?? 0))))
    }
    return least
  }

  private static var addresses: Int? {
    var most = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &most) == 0, most.rlim_cur < Int.max,
      let pages = text("/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
    else { return nil }
    return max(0, Int(most.rlim_cur) - pages * Int(getpagesize()))
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  private static func number(_ text: String) -> Int? {
    Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
