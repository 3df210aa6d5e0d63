// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Addresses of many places of one access, with as few instructions as their distances allow.
extension KernelEmitter {
  /// Bytes of one step of an access's strides; nil where rows stand anywhere in memory.
  func unit(of location: Location) -> Int? {
    switch location {
    case .input, .output: graph.clock == .stream ? nil : 4
    case .weights, .parameter: 4
    case .buffer(let id):
      switch plan.kernelGraph.buffers[id.index].extent {
      case .rows: Plan.tileFrames * 4
      case .elements, .columns: 4
      }
    case .history(let id):
      switch plan.kernelGraph.histories[id.index].layout {
      case .rows: isInWindow(location) ? HistoryLayout.windowPitch : plan.layout.histories[id.index].pitch
      case .columns: 4
      }
    }
  }

  /// How many of the reduced axes have to be known until the rest of an access's way is so many bytes for each round.
  func anchor(of access: Access, reduced count: Int) -> Int {
    guard unit(of: access.location) != nil else { return count }
    let axes = access.strides.indices.suffix(count)
    return axes.lastIndex { distance(access, along: $0) == nil }.map { $0 - axes.startIndex + 1 } ?? 0
  }

  /// The addresses of an access in rounds that differ in one axis only, by one from each to the next.
  func addresses(_ access: Access, _ rounds: [[String]], along axis: Int?) -> [String] {
    guard let axis, rounds.count > 1, let distance = distance(access, along: axis) else {
      return rounds.map { address(access, $0) }
    }
    let first = address(access, rounds[0])
    return rounds.indices.map { row in
      builder.address(first, bytes: number(row * distance, of: access, along: axis))
    }
  }

  /// Bytes from one round of an axis to the next; nil where they are not the same everywhere.
  func distance(_ access: Access, along axis: Int) -> Int? {
    let delay = access.delayStrides[axis]
    guard delay == 0 || isInWindow(access.location) else { return nil }
    if access.strides[axis] == 0, delay == 0 { return 0 }
    return unit(of: access.location).map { $0 * access.strides[axis] - 4 * delay }
  }

  /// Whether the frames of a place stand in a window, always so many bytes from the tile's first one.
  func isInWindow(_ location: Location) -> Bool {
    guard case .history(let id) = location else { return false }
    return plan.layout.histories[id.index].search == .window
  }

  /// Bytes along an axis, in which kernels of one form may differ where they depend on how long a history is.
  func number(_ bytes: Int, of access: Access, along axis: Int?) -> String {
    // The rows of all windows are equally far apart.
    if isInWindow(access.location), axis.map({ access.delayStrides[$0] }) ?? 0 == 0 { return String(bytes) }
    return number(bytes, of: access.location)
  }
}
