// SPDX-License-Identifier: Apache-2.0

/// The way in which the code of a kernel goes through its numbers.
///
/// Emission writes what it says; it decides only what is in registers and what on the stack, and where vectors are
/// masked. Whatever way a cycle goes, each of its numbers is computed by
/// the same instructions of the same numbers, so that no bit depends on it.
package indirect enum Schedule: Sendable {
  /// A map with its axes joined, in stages of vectors.
  case map(MapKernel, Stages)
  /// A turn, square by square of so many rows and columns.
  case turn(MapKernel, width: Int)
  /// A copy that reads along one of its loops and writes along the innermost one, square by square of so many numbers.
  case transposition(MapKernel, axis: Int, width: Int)
  /// A fold, tile by tile in stages of vectors.
  case fold(FoldKernel, Stages)
  /// A sample that is taken where it is due, and held.
  case sample(SampleKernel)
  /// A phase, and where each frame's goes.
  case phase(SampleKernel, Access, PhaseWay)
  /// A sample-and-hold loop, vector by vector.
  case hold(HoldSchedule)
  /// A loop of many rows, with a row in each lane.
  case tiledLoop(TiledLoopSchedule)
  /// A loop, some rows side by side, with their state in registers.
  case loop(LoopSchedule)
  /// Loops that feed each other, side by side in lanes.
  case wavefront(WavefrontSchedule)
  /// Kernels of a cycle one after the other, each through all frames.
  case loopByLoop([Schedule])
  /// Kernels of a cycle one after the other in each frame.
  case frameByFrame([Schedule])
  /// Kernels of a cycle one after the other for each column.
  case columnByColumn([Schedule])
  /// Kernels of a cycle one after the other for each position of their first axis.
  case positionByPosition([Schedule], CycleKernel.Positions)
  /// Kernels of a cycle one after the other in each span of so many frames.
  case spans(SpanSchedule)
}

/// The way in which phases are computed.
package enum PhaseWay: Hashable, Sendable {
  /// One frame of a cycle at a time.
  case frameByFrame
  /// By multiplication: the first phase plus a step for each frame before; the frequency is constant.
  case multiplied(Stages)
  /// By adding up the steps of each vector's frames.
  case added
}

package struct SpanSchedule: Sendable {
  /// The most frames of a span: whole vectors.
  package let frames: Int
  /// Numbers in a vector: no more than a span has frames.
  package let width: Int
  package let kernels: [Schedule]

  package init(frames: Int, width: Int, kernels: [Schedule]) {
    self.frames = frames
    self.width = width
    self.kernels = kernels
  }
}

/// A loop of many rows with a row in each lane.
package struct TiledLoopSchedule: Sendable {
  /// The fewest rows that are worth a tile.
  package static let leastRows = 4

  package let front: Wavefront
  package let numbers: TimeVaryingNumbers
}

package struct WavefrontSchedule: Sendable {
  package let front: Wavefront
  /// The columns that are read along the frames, a few moments at once; nil where all is read moment by moment.
  package let columns: WavefrontColumns?
}

extension Schedule {
  /// The schedules of a cycle's kernels; of anything else none.
  package var kernels: [Schedule] {
    switch self {
    case .map, .turn, .transposition, .fold, .sample, .phase, .hold, .tiledLoop, .loop, .wavefront: []
    case .loopByLoop(let kernels), .frameByFrame(let kernels), .columnByColumn(let kernels),
      .positionByPosition(let kernels, _):
      kernels
    case .spans(let spans): spans.kernels
    }
  }

  /// Whether it is a map, a turn or a fold that is no part of a cycle: it has all of its places before it begins.
  package var isStraight: Bool {
    switch self {
    case .map, .turn, .transposition, .fold: true
    case .sample, .phase, .hold, .tiledLoop, .loop, .wavefront, .loopByLoop, .frameByFrame, .columnByColumn,
      .positionByPosition,
      .spans:
      false
    }
  }

  /// The most frames beside rows that it reads.
  package var framesBeside: Int {
    let own = if case .wavefront(let front) = self { front.columns?.framesBeside ?? 0 } else { 0 }
    return kernels.reduce(own) { max($0, $1.framesBeside) }
  }
}
