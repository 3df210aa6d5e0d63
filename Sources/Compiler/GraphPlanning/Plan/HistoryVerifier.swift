// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks that kernels find the frames of histories of rows where a layout has them, independently of how it was made.
///
/// Rings are longer than their past by a tile, and whole tiles long; where no tile is there again, no read crosses a
/// ring's end; what is found by a mask has a length that is a power of two, and what is found in another way is read by
/// kernels of whole tiles only; a past is moved on behind all that writes to its window, and before any of it is read.
package enum HistoryVerifier {
  /// The use that a kernel makes of a history.
  private struct Use {
    let kernel: Int
    let isInCycle: Bool
    var reads: [Access] = []
    var isWritten = false
  }

  package static func violations(in graph: KernelGraph, laidOut layout: WorkspaceLayout) -> [String] {
    let uses = uses(in: graph)
    return graph.histories.indices.filter { graph.histories[$0].layout == .rows }.flatMap { index in
      let (own, history) = (layout.histories[index], graph.histories[index])
      let move = layout.pastMoves[HistoryID(index)]
      return
        (violations(of: own, for: history, hasHead: layout.headOffsets[own.capacity] != nil)
        + uses[index].flatMap { violations(of: $0, in: own, moved: move) }).map { "history \(index) \($0)" }
    }
  }

  private static func uses(in graph: KernelGraph) -> [[Use]] {
    var uses = graph.histories.map { _ in [Use]() }
    for (position, kernel) in graph.kernels.enumerated() {
      let isInCycle = if case .cycle = kernel { true } else { false }
      func note(_ access: Access, _ change: (inout Use) -> Void) {
        guard case .history(let id) = access.location else { return }
        if uses[id.index].last?.kernel != position {
          uses[id.index].append(Use(kernel: position, isInCycle: isInCycle))
        }
        change(&uses[id.index][uses[id.index].count - 1])
      }
      let (reads, writes) = kernel.accesses
      for access in reads { note(access) { $0.reads.append(access) } }
      for access in writes { note(access) { $0.isWritten = true } }
    }
    return uses
  }

  private static func violations(
    of own: HistoryLayout, for history: KernelGraph.History, hasHead: Bool
  ) -> [String] {
    var violations: [String] = []
    func expect(_ isTrue: Bool, _ text: String) { if !isTrue { violations.append(text) } }
    switch own.search {
    case .mask, .head:
      expect(own.capacity >= history.length + Plan.tileFrames, "is too short for its past and a tile")
      expect(own.capacity.isMultiple(of: Plan.tileFrames), "is no number of whole tiles")
      let isFound = own.search == .head ? hasHead : own.capacity & (own.capacity - 1) == 0
      expect(isFound, "is not found in the way that it is looked for")
    case .window:
      expect(own.capacity >= history.length, "is too short for its past")
      expect(own.capacity <= HistoryLayout.longestInWindow, "is longer than the past in a window")
      expect(own.windowBytes >= HistoryLayout.windowPitch * history.width, "has a window without its rows")
    }
    expect(own.pitch >= 4 * (own.capacity + own.repeated), "has rows that overlap")
    expect(own.bytes >= own.pitch * history.width, "has fewer bytes than rows")
    return violations
  }

  /// - Parameter move: the kernel before which a past is moved on.
  private static func violations(of use: Use, in own: HistoryLayout, moved move: Int?) -> [String] {
    var violations: [String] = []
    func expect(_ isTrue: Bool, _ text: String) {
      if !isTrue { violations.append("\(text) kernel \(use.kernel)") }
    }
    let isWhole = !use.isInCycle && use.reads.allSatisfy { $0.index == nil }
    expect(own.search == .mask || isWhole, "is looked for frame by frame in")
    switch own.search {
    case .mask, .head:
      let beginsWithTiles = use.reads.allSatisfy { read in
        ([read.delay] + read.delayStrides).allSatisfy { $0.isMultiple(of: Plan.tileFrames) }
      }
      expect(own.repeated >= Plan.tileFrames || isWhole && beginsWithTiles, "may end within a read of")
    case .window:
      let move = move ?? .max
      expect(use.reads.isEmpty || use.kernel >= move, "has no past yet in")
      expect(!use.isWritten || use.kernel < move, "is moved on before")
    }
    return violations
  }
}
