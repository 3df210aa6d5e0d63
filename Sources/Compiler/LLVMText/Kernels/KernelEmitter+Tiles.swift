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
      case .rows: plan.layout.histories[id.index].pitch
      case .columns: 4
      }
    }
  }

  /// How many of the reduced axes have to be known until the rest of an access's way is so many bytes for each round.
  func anchor(of access: Access, reduced count: Int) -> Int {
    guard unit(of: access.location) != nil else { return count }
    let delays = access.delayStrides.suffix(count)
    return delays.lastIndex { $0 != 0 }.map { $0 - delays.startIndex + 1 } ?? 0
  }

  /// The addresses of an access in rounds that differ in one axis only, by one from each to the next.
  func addresses(_ access: Access, _ rounds: [[String]], along axis: Int?) -> [String] {
    guard let axis, rounds.count > 1, let distance = distance(access, along: axis) else {
      return rounds.map { address(access, $0) }
    }
    let first = address(access, rounds[0])
    return rounds.indices.map { row in
      builder.address(first, bytes: number(row * distance, of: access.location))
    }
  }

  /// Bytes from one round of an axis to the next; nil where they are not the same everywhere.
  func distance(_ access: Access, along axis: Int) -> Int? {
    guard access.delayStrides[axis] == 0 else { return nil }
    if access.strides[axis] == 0 { return 0 }
    return unit(of: access.location).map { $0 * access.strides[axis] }
  }
}
