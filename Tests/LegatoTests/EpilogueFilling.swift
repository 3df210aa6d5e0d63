// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode

/// Fills epilogues without asking what that costs: each map behind a fold goes into it, where it can.
///
///     0: fold  … store %1 to buffer 0              0: fold  … compute %2 = tanh(%1), store %2 to buffer 1
///     1: map   load %1 from buffer 0      →
///              %2 = tanh(%1), store %2 to buffer 1
struct EpilogueFilling {
  private(set) var graph: KernelGraph
  private(set) var count = 0

  init(_ graph: KernelGraph) {
    self.graph = graph
    var position = 0
    while position + 1 < self.graph.kernels.count {
      if fuse(at: position) { count += 1 } else { position += 1 }
    }
  }

  private mutating func fuse(at position: Int) -> Bool {
    guard case .fold(var fold) = graph.kernels[position], case .map(let map) = graph.kernels[position + 1],
      fold.space == map.space
    else { return false }
    let result = graph.graph[fold.node].result
    let stored = fold.epilogue.stores.filter { $0.value == result }.map(\.access)
    let places = Set(fold.epilogue.stores.map(\.access.location))
    for (value, access) in map.loads {
      if value == result, stored.contains(access) { continue }
      // What the fold computes besides its result would have to be found in the epilogue, too.
      if places.contains(access.location) { return false }
      fold.epilogue.loads[value] = access
    }
    fold.epilogue.nodes += map.nodes
    fold.epilogue.stores += map.stores
    var kernels = graph.kernels
    kernels.replaceSubrange(position...position + 1, with: [.fold(fold)])
    let fused = graph.replacing(kernels: kernels)
    let isSound = PlanVerifier.violations(in: fused, laidOut: WorkspaceLayout(fused)).isEmpty
    if isSound { graph = fused }
    return isSound
  }
}

extension NativeRun {
  /// Compiles kernels that were made by hand.
  init(_ graph: KernelGraph, target: Target? = nil) throws {
    let plan = try Plan(graph, target: target ?? .host())
    self.plan = plan
    program = try CompiledGraph(plan).program()
  }
}
