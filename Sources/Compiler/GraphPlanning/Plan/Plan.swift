// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The schedules and the workspace layout of a program: the last stage before text. Nothing is decided after it.
package struct Plan: Sendable {
  package let kernelGraph: KernelGraph
  package let target: Target
  package let goal: Goal
  package let schedules: Schedules
  package let layout: WorkspaceLayout
  /// Tiles end at multiples of this many frames of the stream position; 0 where they need not.
  package let tileAlignment: Int
  /// The row of the caller's inputs at which each port begins; in steps, where a port is one row, its number.
  package let inputRows: [Int]
  /// The same of outputs.
  package let outputRows: [Int]

  /// The offset of the count of each delay by a signal.
  package let countOffsets: [ValueID: Int]

  /// The weights in the order in which kernels read them.
  package let weights: Numbers

  /// The most frames that one tile holds.
  package static let tileFrames = 128
  /// The most frames that a fold computes side by side; a divisor of a tile's.
  package static let stageFrames = 64
  /// The most that one kernel's code may reserve, of the 32 KiB of stack that code may take.
  static let mostStackBytes = 24 * 1024

  package var graph: Graph { kernelGraph.graph }

  /// The latency of the output, in frames.
  package var latency: Int { graph.latency }

  /// - Parameters:
  ///   - aliases: Whether buffers that are never in use together may share memory.
  ///   - schedules: Whether the fastest way is chosen for each kernel, else one that is legal for every kernel.
  /// - Throws: `PlanError.workspaceTooLarge`: before this, the memory of a graph is not known. `PlanError.weights` where
  ///   weights were let go and cannot be had.
  package init(
    _ kernelGraph: KernelGraph, target: Target, goal: Goal = .speed, aliases: Bool = true,
    schedules: Bool = true
  ) throws(PlanError) {
    self.kernelGraph = kernelGraph
    self.target = target
    self.goal = goal
    self.schedules = Schedules(kernelGraph, for: target, goal, isPlain: !schedules)
    layout = WorkspaceLayout(kernelGraph, framesBeside: self.schedules.framesBeside, aliases: aliases)
    guard layout.size <= Limits.workspaceBytes else { throw .workspaceTooLarge(bytes: layout.size) }
    let graph = kernelGraph.graph
    inputRows = Self.firstRows(graph.inputs.map(\.type.shape), graph.clock)
    outputRows = Self.firstRows(graph.outputs.map { graph.shape(of: $0.value) }, graph.clock)
    let first = layout.countsRange.lowerBound
    countOffsets = Dictionary(
      uniqueKeysWithValues: graph.taps.enumerated().map { ($1, first + $0 * WorkspaceLayout.countBytes) })
    let remembers = !kernelGraph.histories.isEmpty && graph.clock == .stream
    // Of a position that is read, the upper half is looked at once for a whole tile.
    let needsAligned = remembers || graph.readsPosition
    tileAlignment = graph.samplingPeriods.min() ?? (needsAligned ? Self.tileFrames : 0)
    do throws(Numbers.Unavailable) { weights = try kernelGraph.weights.numbers() } catch {
      throw .weights(error)
    }
    let violations = PlanVerifier.violations(in: self)
    precondition(violations.isEmpty, "the plan breaks its promises: \(violations)")
  }

  private static func firstRows(_ shapes: [Shape], _ clock: Clock) -> [Int] {
    var next = 0
    return shapes.map { shape in
      defer { next += clock == .stream ? shape.count : 1 }
      return next
    }
  }
}

extension KernelGraph.Buffer {
  /// Bytes of the buffer's memory.
  package var bytes: Int {
    switch extent {
    case .rows(let count): count * Plan.tileFrames * 4
    case .elements(let count): count * 4
    // A vector may begin at the last number.
    case .columns(let count): FrameLayout.columnPitch(count) * Plan.tileFrames * 4 + 64
    }
  }
}
