// SPDX-License-Identifier: Apache-2.0

/// Refuses a plan in which two files would become one.
///
///     files ─▶ (number that stands for the output's path, position), in order ─▶ equal neighbours ─▶ equal paths?
///
/// The paths of very many files take much memory: only those are made whose numbers are equal.
enum OutputClash {
  private struct Key {
    let number: UInt64
    let index: Int
  }

  static func check(_ plan: BatchPlan) throws(Failure) {
    var keys: [Key] = []
    keys.reserveCapacity(plan.count)
    for index in 0..<plan.count {
      keys.append(Key(number: number(of: plan[index].output), index: index))
    }
    keys.sort { ($0.number, $0.index) < ($1.number, $1.index) }
    var (first, others) = (nil as (owner: Int, other: Int)?, 0)
    for (position, key) in keys.enumerated() {
      var owner = position
      while owner > 0, keys[owner - 1].number == key.number {
        owner -= 1
        guard isSame(plan[keys[owner].index].output, plan[key.index].output) else { continue }
        others += 1
        if key.index < first?.other ?? .max { first = (keys[owner].index, key.index) }
        break
      }
    }
    guard let first else { return }
    let (owner, other) = (plan[first.owner], plan[first.other])
    throw .usage(
      "\(owner.input) and \(other.input) would both become \(other.output)"
        + (others > 1 ? ", and \(counted(others - 1, "other")) like them" : "")
        + "; render them into different folders")
  }

  /// By bytes: strings are equal that are written differently, and are names of different files.
  private static func isSame(_ path: String, _ other: String) -> Bool { path.utf8.elementsEqual(other.utf8) }

  /// FNV-1a.
  private static func number(of path: String) -> UInt64 {
    path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
