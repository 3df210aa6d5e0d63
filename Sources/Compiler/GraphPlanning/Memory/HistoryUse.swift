// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How kernels come to a history of rows.
struct HistoryUse {
  /// Whether all of them go through whole tiles, at delays that are known beforehand: none is in a cycle, and no signal
  /// says how far back it reads.
  var isWhole = true
  /// Whether a read may begin in one tile of frames and end in the next: at a delay that is no number of whole tiles.
  var straddles = false
  /// Whether a fold reads it: many delays, or the same rows for each of many results.
  var isFolded = false
  /// The last kernel that writes to it, and the first one that reads it.
  var lastWriter = -1
  var firstReader = Int.max

  /// Whether all of the present tile is there before any of it, or of the past, is read.
  var isWrittenFirst: Bool { lastWriter < firstReader }
}

extension KernelGraph {
  /// The use of each history.
  var historyUses: [HistoryUse] {
    var uses = histories.map { _ in HistoryUse() }
    func note(_ accesses: [Access], _ change: (inout HistoryUse, Access) -> Void) {
      for access in accesses {
        if case .history(let id) = access.location { change(&uses[id.index], access) }
      }
    }
    for (position, kernel) in kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      note(reads) { use, access in
        use.firstReader = min(use.firstReader, position)
        if access.index != nil { use.isWhole = false }
        let delays = [access.delay] + access.delayStrides
        if !delays.allSatisfy({ $0.isMultiple(of: Plan.tileFrames) }) { use.straddles = true }
      }
      note(writes) { use, _ in use.lastWriter = position }
      switch kernel {
      case .fold(let fold): note(fold.operands) { use, _ in use.isFolded = true }
      case .cycle: note(reads + writes) { use, _ in use.isWhole = false }
      case .map, .sample: break
      }
    }
    return uses
  }
}
