// SPDX-License-Identifier: Apache-2.0

/// The kernels of a feedback cycle, run one after the other for each span of frames.
///
///     echo = tanh(x + 0.5 * delay(echo, 40))
///
///     cycle, 40 frames at a time      frames 0..<40, 40..<80, 80..<120, 120..<128 of a tile
///       buffer 0 ← history 0, 40 back
///       history 0 ← tanh(x + 0.5 * buffer 0)
///
/// A span is as long as the shortest delay that the cycle is cut at: what is remembered from before it is all that it
/// reads of itself. Within it, kernels run one after the other as in a tile; in spans of one frame, number by number, or
/// along the channels where a frame's numbers lie in columns.
/// Where spans begin changes no bit: what a kernel computes for a frame does not depend on the frames beside it. A
/// cycle within a cycle runs through a span of the outer one in shorter spans.
package struct CycleKernel: Hashable, Sendable {
  /// The most frames of a span.
  package var span: Int
  /// The layout of what its kernels compute; columns only in spans of one frame.
  package var layout: FrameLayout
  /// Of a cycle along an axis, its positions: then each kernel has them as its first axis, and goes through one of them at a
  /// time.
  package var positions: Positions?
  package var kernels: [Kernel]

  package init(
    span: Int, layout: FrameLayout = .rows, positions: Positions? = nil, _ kernels: [Kernel]
  ) {
    self.span = span
    self.layout = layout
    self.positions = positions
    self.kernels = kernels
  }

  /// The positions of an axis, from the first on or from the last one back.
  package struct Positions: Hashable, Sendable {
    package let count: Int
    package let isBackward: Bool
  }

  /// The cycle's title in pictures and texts.
  package var title: String {
    if let positions {
      return
        "cycle, \(positions.count) positions\(positions.isBackward ? " from the last one back" : "") one by one"
    }
    return switch layout {
    case .rows: span == 1 ? "cycle, frame by frame" : "cycle, \(span) frames at a time"
    case .columns: "cycle, column by column"
    }
  }
}

extension CycleKernel {
  /// Whether no kernel reads what a later one writes, so that each can go through all frames before the next begins.
  package var goesLoopByLoop: Bool {
    var written: Set<Location> = []
    for kernel in kernels.reversed() {
      guard case .map(let map) = kernel, map.space.inner == .frames,
        !map.loads.values.contains(where: { written.contains($0.location) })
      else { return false }
      written.formUnion(map.stores.map(\.access.location))
    }
    return true
  }
}

extension Kernel {
  /// The one loop of a cycle that goes frame by frame.
  var loop: MapKernel? {
    guard case .cycle(let cycle) = self, cycle.span == 1, cycle.layout == .rows, cycle.positions == nil,
      cycle.kernels.count == 1,
      case .map(let map) = cycle.kernels[0], map.space.inner == .frames
    else { return nil }
    return map
  }
}
