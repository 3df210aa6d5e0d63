// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The vectors in which a loop goes along the innermost axis.
///
///     | 4 vectors side by side | 4 vectors side by side | 1 | 1 | masked |
package struct Stages: Hashable, Sendable {
  /// Numbers in a vector.
  package var width: Int
  /// Vectors side by side.
  package var vectors: Int
  /// Whether the last vector of a tile's frames is a whole one, which goes beyond their end; else it is masked.
  package var endsWhole: Bool

  package init(width: Int, vectors: Int, endsWhole: Bool = false) {
    self.width = width
    self.vectors = vectors
    self.endsWhole = endsWhole
  }

  /// The stages of so many numbers that are next to each other, with at most so many vectors side by side.
  ///
  ///     | x x x x x . . . |        five numbers: one masked vector, not one of four and one number behind it
  ///
  /// They are alike: of five vectors with room for four, three and two.
  init(of count: Int, lanes: Int, vectors: Int) {
    let width = Self.width(of: count, lanes: lanes)
    let all = (count + width - 1) / width
    let stages = (all + vectors - 1) / vectors
    self.init(width: width, vectors: (all + stages - 1) / stages)
  }

  /// The narrowest vector that has all of so many numbers; where none has, the widest.
  static func width(of count: Int, lanes: Int) -> Int {
    var width = lanes
    while width / 2 >= count { width /= 2 }
    return width
  }

  /// For how many vectors the code of so many numbers is written: for a stage, and for what is left.
  func written(of count: Int) -> Int {
    let stage = vectors * width
    return (count >= stage ? vectors : 0) + (count % stage + width - 1) / width
  }

  /// One number after the other.
  static let numbers = Stages(width: 1, vectors: 1)
}

extension KernelGraph {
  /// Whether whole vectors can be read and written at each position, beyond the tile's last frame as well.
  ///
  /// A row of the workspace has room for all frames of a tile; what stands behind the last one is never used.
  package func hasRoomBehindEnd(_ access: Access) -> Bool {
    guard graph.clock == .stream, access.innerStride == 1 else { return false }
    switch access.location {
    case .input, .output, .weights, .parameter: return false
    case .buffer(let id):
      if case .rows = buffers[id.index].extent { return true } else { return false }
    case .history(let id): return histories[id.index].layout == .rows
    }
  }
}

extension MapKernel {
  /// The vectors of a stage: as many as keep live values in registers, at most four; eight are no faster, and twice the
  /// code.
  ///
  /// A ramp's start and step come from memory where registers run out; the parameter's value takes one for each vector.
  func vectors(in kernels: KernelGraph, for target: Target, _ variant: Variant) -> Int {
    let alive = mostAlive(in: kernels.graph) {
      kernels.varies($0, in: variant) || $0.innerStride != 0 || $0.index != nil
    }
    return [4, 2].first { (alive + 2) * $0 <= target.vectorRegisters } ?? 1
  }

  /// The most vectors of one lane group that are alive at once.
  private func mostAlive(in graph: Graph, varies: (Access) -> Bool) -> Int {
    var lastUse: [ValueID: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for operand in graph[node].operands { lastUse[operand] = position }
    }
    for store in stores { if let value = store.value { lastUse[value] = nodes.count } }
    var alive = loads.filter { varies($0.value) && lastUse[$0.key] != nil }.count
    var most = alive
    var ends: [Int: Int] = [:]
    for (value, end) in lastUse where loads[value].map(varies) ?? true {
      guard !graph.definition(of: value).op.isLiteral else { continue }
      ends[end, default: 0] += 1
    }
    for position in nodes.indices {
      alive += 1
      most = max(most, alive)
      alive -= ends[position] ?? 0
    }
    return most
  }

  /// Whether it goes along the innermost axis in vectors.
  var isComputedInVectors: Bool {
    !hasColumns && loads.values.allSatisfy(\.isReadInVectors)
      && stores.allSatisfy(\.access.isWrittenInVectors)
  }
}
