// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes what a map computes, apart from the loops around it; the epilogue of a fold is the same without loops.
///
///     MapBody(…)          ramps of parameters that move, once
///     round(indices)      for each round of the fixed axes: addresses, and numbers that stay the same along the inner one
///     compute(…)          for each position in a round: loads, nodes, stores
struct MapBody {
  /// What a round of the fixed axes has found out beforehand.
  struct Round {
    fileprivate let stores: [String]
    fileprivate let loads: [(ValueID, Access, String)]
    fileprivate let scalars: [(ValueID, String)]
  }

  private let emitter: KernelEmitter
  private let map: MapKernel
  /// The parameters that move, in the order of their values.
  private let ramps: [(ValueID, KernelEmitter.Ramp)]
  private var builder: FunctionBuilder { emitter.builder }
  private var graph: Graph { emitter.graph }

  init(_ emitter: KernelEmitter, _ map: MapKernel) {
    self.emitter = emitter
    self.map = map
    ramps = map.loads.sorted { $0.key < $1.key }.compactMap { value, access in
      guard case .parameter(let index) = access.location, emitter.moves(index) else { return nil }
      return (value, emitter.ramp(index))
    }
  }

  func round(_ indices: [String]) -> Round {
    let stores = map.stores.map { emitter.address($0.access, indices) }
    let moving = Set(ramps.map(\.0))
    let loads = map.loads.sorted { $0.key < $1.key }.filter { !moving.contains($0.key) }.map {
      value, access in
      (value, access, emitter.address(access, indices))
    }
    let scalars =
      loads.filter { isFixed($0.0, $0.1) }.map { ($0.0, builder.loadScalar($0.2)) } + settledScalars
    return Round(stores: stores, loads: loads, scalars: scalars)
  }

  /// - Parameter given: Values that are neither loaded nor computed here.
  func compute(_ round: Round, at position: StagePosition, given: [ValueID: Lanes] = [:]) {
    var values = given
    for (value, scalar) in round.scalars { values[value] = builder.broadcast(scalar) }
    if !ramps.isEmpty {
      let frames = emitter.frameNumbers(at: position)
      for (value, ramp) in ramps { values[value] = emitter.value(of: ramp, at: frames) }
    }
    for (value, access, address) in round.loads where values[value] == nil {
      values[value] = emitter.load(access, address, at: position)
    }
    compute(&values)
    for (store, address) in zip(map.stores, round.stores) {
      let value = store.value.map { operand($0, values) } ?? builder.constant(0)
      emitter.store(value, store.access, address, at: position)
    }
  }

  /// Whether values that depend on parameters only are single numbers here, computed beforehand.
  private var takesSettledValues: Bool { emitter.motion == .settled && map.space.inner == .frames }

  private func isSettled(_ value: ValueID) -> Bool {
    takesSettledValues && emitter.plan.kernelGraph.settledValues[value] != nil
  }

  /// Whether a load is of one number that does not change along the innermost axis.
  private func isFixed(_ value: ValueID, _ access: Access) -> Bool {
    guard emitter.isScalar(access), !isSettled(value) else { return false }
    if case .parameter(let index) = access.location { return !emitter.moves(index) }
    return true
  }

  /// The settled values that the map's nodes and stores use.
  private var settledScalars: [(ValueID, String)] {
    guard takesSettledValues else { return [] }
    var wanted = Set(map.stores.compactMap(\.value))
    for node in map.nodes where !emitter.plan.kernelGraph.uniform.contains(graph[node].result) {
      wanted.formUnion(graph[node].operands)
    }
    return wanted.sorted().compactMap { value in
      guard let place = emitter.plan.kernelGraph.settledValues[value] else { return nil }
      let access = Access(.buffer(place), strides: [], innerStride: 0)
      return (value, builder.loadScalar(emitter.address(access, [])))
    }
  }

  private func compute(_ values: inout [ValueID: Lanes]) {
    for id in map.nodes {
      let node = graph[id]
      if takesSettledValues, emitter.plan.kernelGraph.uniform.contains(node.result) { continue }
      let isKnown = node.operands.allSatisfy { graph.definition(of: $0).op.isLiteral }
      let operands = node.operands.map { isKnown ? opaque(operand($0, values)) : operand($0, values) }
      values[node.result] = builder.apply(node.op, operands)
    }
  }

  /// Numbers that LLVM cannot look into: what it computes ahead of time keeps denormals, which count as zero.
  private func opaque(_ numbers: Lanes) -> Lanes { builder.intrinsic("arithmetic.fence", numbers) }

  private func operand(_ value: ValueID, _ values: [ValueID: Lanes]) -> Lanes {
    if let known = values[value] { return known }
    guard case .literal(let number) = graph.definition(of: value).op else {
      preconditionFailure("a map uses a value that it neither loads nor computes")
    }
    return builder.constant(number)
  }
}
