// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Refuses a plan in which two files would become one.
///
///     files ─▶ numbers that stand for the outputs' paths, in order ─▶ equal neighbours ─▶ equal paths?
///
/// The paths of very many files take much memory, and so do their numbers: one part of them is looked at after the
/// other, and only those paths are compared whose numbers are equal.
enum OutputClash {
  /// How many numbers are looked at together, about.
  private static let most = 1 << 18

  static func check(_ plan: BatchPlan) throws(Failure) {
    let shared = sharedNumbers(plan)
    guard !shared.isEmpty else { return }
    var owners: [UInt64: [BatchPlan.Item]] = [:]
    var (first, others) = (nil as (owner: BatchPlan.Item, other: BatchPlan.Item)?, 0)
    for item in plan.items {
      let number = number(of: item.output)
      guard shared.contains(number) else { continue }
      if let owner = owners[number]?.first(where: { isSame($0.output, item.output) }) {
        others += 1
        first = first ?? (owner, item)
      } else {
        owners[number, default: []].append(item)
      }
    }
    guard let (owner, other) = first else { return }
    throw .usage(
      "\(owner.input) and \(other.input) would both become \(other.output)"
        + (others > 1 ? ", and \(counted(others - 1, "other")) like them" : "")
        + "; render them into different folders")
  }

  /// The numbers that more than one output has.
  private static func sharedNumbers(_ plan: BatchPlan) -> Set<UInt64> {
    var shared: Set<UInt64> = []
    let parts = UInt64(plan.count / most + 1)
    var numbers: [UInt64] = []
    for part in 0..<parts {
      numbers.removeAll(keepingCapacity: true)
      for item in plan.items {
        let number = number(of: item.output)
        if number % parts == part { numbers.append(number) }
      }
      numbers.sort()
      for (number, next) in zip(numbers, numbers.dropFirst()) where number == next { shared.insert(number) }
    }
    return shared
  }

  /// By bytes: strings are equal that are written differently, and are names of different files.
  private static func isSame(_ path: String, _ other: String) -> Bool { path.utf8.elementsEqual(other.utf8) }

  private static func number(of path: String) -> UInt64 { path.utf8.fingerprint }
}
