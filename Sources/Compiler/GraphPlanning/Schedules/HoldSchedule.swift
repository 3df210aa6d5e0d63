// SPDX-License-Identifier: Apache-2.0

/// A sample-and-hold loop, vector by vector.
package struct HoldSchedule: Sendable {
  /// The most rows side by side.
  private static let mostRows = 8

  package let loop: HoldLoop
  package let rowsAtOnce: Int
  /// Histories that no other kernel reads: only what is held behind the last frame goes there.
  package let writtenAtEnd: Set<Location>

  /// nil where a cycle is anything but holds.
  init?(_ cycle: CycleKernel, in scheduling: Scheduling) {
    guard let loop = HoldLoop(cycle, in: scheduling.kernels.graph) else { return nil }
    self.loop = loop
    // As many as have room in registers for what they hold and what is taken.
    rowsAtOnce = max(1, min(Self.mostRows, scheduling.target.vectorRegisters / 4 / loop.holds.count))
    writtenAtEnd = Set(
      loop.stores.map(\.access.location).filter { place in
        if case .history = place { scheduling.readers[place, default: 0] <= 1 } else { false }
      })
  }
}
