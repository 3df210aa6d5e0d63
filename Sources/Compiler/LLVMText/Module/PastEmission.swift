// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Writes the code that puts a past in front of its present tile, and moves it on.
///
///     past      … w x y z                w x y z → a b c d
///     window              a b c d …              w x y z a b c d …
///
/// Where both stand is left open: histories of one length with as many rows have one function.
struct PastEmission {
  private let layout: HistoryLayout
  /// The offsets of the past, and of what stands as many frames before the present tile.
  private let past, window: String
  private let builder: FunctionBuilder

  init(_ plan: Plan, _ id: HistoryID) {
    guard let window = plan.layout.windowOffsets[id] else {
      preconditionFailure("a past that moves without a window")
    }
    builder = FunctionBuilder(
      target: plan.target, width: plan.target.lanes, goal: plan.goal, leavesOpen: true)
    layout = plan.layout.histories[id.index]
    past = builder.leftOpen(plan.layout.historyOffsets[id.index], of: .history(id))
    let first = window + 4 * (HistoryLayout.longestInWindow - layout.capacity)
    self.window = builder.leftOpen(first, of: .history(id))
  }

  func form() -> KernelForm {
    builder.loop(to: String(layout.windowBytes / HistoryLayout.windowPitch)) { row, _ in
      func address(_ first: String, _ pitch: Int) -> String {
        let bytes = builder.define("mul i64 \(row), \(pitch)")
        return builder.address(builder.address("%workspace", bytes: first), bytes: bytes)
      }
      let (past, window) = (address(past, layout.pitch), address(window, HistoryLayout.windowPitch))
      copy(past, to: window)
      copy(builder.address(window, floats: "%count"), to: past)
      return []
    }
    return KernelForm(body: builder.body, numbers: builder.openNumbers ?? [])
  }

  /// Copies as many frames as the past has, all of them side by side unless code is to be small.
  private func copy(_ source: String, to target: String) {
    let vectors = builder.goal == .size ? 1 : layout.capacity / builder.width
    builder.loop(to: String(layout.capacity), step: vectors * builder.width) { index, _ in
      let position = StagePosition(index: index, vectors: vectors)
      builder.store(builder.load(source, at: position), target, at: position)
      return []
    }
  }
}
