// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The offsets of everything in a workspace, in bytes from its beginning.
///
///     header | ramps | counts | heads | state: histories, held samples | held values | arena of one tile | room
///
/// The loops of a wavefront read beside rows of the arena while they are at none of their frames. Before the arena are
/// their histories, each longer than that; behind it is room.
///
/// The counts are those of delays by a signal: of samples that each was asked for outside of its range. The heads are
/// the slots of the present tile's first frame in rings, one for all of a length; they are found anew for each tile. The
/// arena's buffers use the memory again of those that no later kernel reads.
package struct WorkspaceLayout: Hashable, Sendable {
  /// The absolute stream position: an Int64.
  package static let positionOffset = 0
  /// An Int32 that is not 0 when values of stepped parameters and array parameters have to be computed again.
  package static let blockStaleOffset = 8
  /// An Int32 that is not 0 when values of settled parameters have to be computed again.
  package static let settledStaleOffset = 12
  /// The offset of the ramps' span: when they began and when the next one lands, two Int64.
  package static let rampSpanOffset = 16
  package static let rampsOffset = 64
  /// Bytes of one parameter's ramp: start, step and target as floats, length as an Int32.
  package static let rampBytes = 16

  /// The fields of that span, by their offsets in it.
  package enum SpanField: Int, CaseIterable {
    case beginning = 0
    case landing = 8

    package var offset: Int { WorkspaceLayout.rampSpanOffset + rawValue }
  }

  /// The fields of a ramp, by their offsets in it.
  package enum RampField: Int, CaseIterable {
    case start = 0
    case step = 4
    case target = 8
    case length = 12
  }

  /// The offset of a field of a parameter's ramp.
  package static func rampOffset(of parameter: Int, _ field: RampField) -> Int {
    rampsOffset + parameter * rampBytes + field.rawValue
  }

  /// Bytes of one delay's count.
  package static let countBytes = 8
  /// Bytes of one head.
  static let headBytes = 8

  /// The offsets of the counts, in the order of the graph's delays by a signal.
  package let countsRange: Range<Int>
  /// The offset of the head of all rings of so many frames; where they have none, there is none.
  package let headOffsets: [Int: Int]
  package let histories: [HistoryLayout]
  package let historyOffsets: [Int]
  package let bufferOffsets: [Int]
  package let stateRange: Range<Int>
  package let arenaRange: Range<Int>
  /// The offset of each history's window, where it has one.
  package let windowOffsets: [HistoryID: Int]
  /// The kernel before which the past of each of them is put in front of the present tile, and moved on.
  package let pastMoves: [HistoryID: Int]
  /// The live range, in kernels, of each buffer and each history that is in the arena.
  package let liveRanges: [Location: ClosedRange<Int>]
  package let size: Int

  /// - Parameters:
  ///   - framesBeside: The most frames beside rows of the arena that kernels read.
  ///   - aliases: Whether buffers of the arena may share memory.
  package init(_ graph: KernelGraph, framesBeside: Int = 0, aliases: Bool = true) {
    var end = Self.rampsOffset + graph.graph.parameters.count * Self.rampBytes
    func reserve(_ bytes: Int) -> Int {
      let offset = end.roundedUp(to: 64)
      end = offset + bytes
      return offset
    }
    countsRange = end..<end + graph.graph.taps.count * Self.countBytes
    let uses = graph.historyUses
    histories = zip(graph.histories, uses).map(HistoryLayout.init)
    end = countsRange.upperBound
    var heads: [Int: Int] = [:]
    for history in histories where history.search == .head && heads[history.capacity] == nil {
      heads[history.capacity] = end
      end += Self.headBytes
    }
    headOffsets = heads
    end = end.roundedUp(to: 64)
    let stateStart = end
    historyOffsets = histories.map { reserve($0.bytes) }
    var offsets = [Int](repeating: 0, count: graph.buffers.count)
    for (index, buffer) in graph.buffers.enumerated() where buffer.lifetime == .state {
      offsets[index] = reserve(buffer.bytes)
    }
    stateRange = stateStart..<max(stateStart, end)
    for (index, buffer) in graph.buffers.enumerated() where buffer.lifetime == .held {
      offsets[index] = reserve(buffer.bytes)
    }
    end = end.roundedUp(to: 64)
    let arena = Arena(graph, windows: histories.map(\.windowBytes), aliases: aliases)
    var windows: [HistoryID: Int] = [:]
    for (place, offset) in arena.offsets {
      switch place {
      case .buffer(let id): offsets[id.index] = end + offset
      case .history(let id): windows[id] = end + offset
      case .input, .output, .weights, .parameter: preconditionFailure("what is given is not in the arena")
      }
    }
    windowOffsets = windows
    pastMoves = Dictionary(uniqueKeysWithValues: windows.keys.map { ($0, uses[$0.index].firstReader) })
    liveRanges = arena.liveRanges
    arenaRange = end..<end + arena.size
    bufferOffsets = offsets
    size = end + arena.size + 4 * framesBeside
  }

  /// Another layout with its buffers elsewhere: what a verifier is tried on.
  package init(_ other: WorkspaceLayout, bufferOffsets: [Int]) {
    countsRange = other.countsRange
    headOffsets = other.headOffsets
    histories = other.histories
    historyOffsets = other.historyOffsets
    self.bufferOffsets = bufferOffsets
    stateRange = other.stateRange
    arenaRange = other.arenaRange
    windowOffsets = other.windowOffsets
    pastMoves = other.pastMoves
    liveRanges = other.liveRanges
    size = other.size
  }
}

extension Int {
  package func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
