// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes what a map computes, apart from the loops around it; the epilogue of a fold is the same without loops.
///
///     MapBody(…)          ramps of time-varying parameters, once
///     round(indices)      for each round of the fixed axes: addresses, and what stays the same along the inner one
///     compute(…)          for each position in a round: loads, nodes, stores
struct MapBody {
  /// The addresses and scalars of one round of the fixed axes, computed before its inner loop.
  struct Round {
    fileprivate let stores: [String]
    fileprivate let loads: [(ValueID, Access, String)]
    fileprivate let scalars: [(ValueID, Scalar)]
  }

  /// A number that is the same along the inner axis.
  fileprivate enum Scalar {
    case loaded(String)
    /// In all lanes before the loop: LLVM then reads it into all of them at once.
    case spread(Lanes)
  }

  private let emitter: KernelEmitter
  private let map: MapKernel
  /// Values that are asked for besides those that the map stores.
  private let asked: [ValueID]
  /// The time-varying parameters, and how many frames of their ramps are done at the tile's beginning.
  private let ramps: [ValueID: KernelEmitter.Ramp]
  private let elapsed: Lanes?
  private var builder: FunctionBuilder { emitter.builder }
  private var graph: Graph { emitter.graph }

  init(_ emitter: KernelEmitter, _ map: MapKernel, asked: [ValueID] = []) {
    self.emitter = emitter
    self.map = map
    self.asked = asked
    var ramps: [ValueID: KernelEmitter.Ramp] = [:]
    for (value, access) in map.loads.sorted(by: { $0.key < $1.key }) {
      guard case .parameter(let index) = access.location, emitter.varies(index) else { continue }
      ramps[value] = emitter.ramp(index)
    }
    self.ramps = ramps
    elapsed = ramps.isEmpty ? nil : emitter.elapsedFrames()
  }

  func round(_ indices: [String]) -> Round { rounds([indices], along: nil)[0] }

  /// Rounds that differ in one axis only, by one from each to the next.
  func rounds(_ rounds: [[String]], along axis: Int?) -> [Round] {
    let stores = map.stores.map { emitter.addresses($0.access, rounds, along: axis) }
    let loads = map.loads.sorted { $0.key < $1.key }.filter { ramps[$0.key] == nil }.map { value, access in
      (value, access, emitter.addresses(access, rounds, along: axis))
    }
    let settled = settledScalars
    return rounds.indices.map { index in
      let loads = loads.map { ($0.0, $0.1, $0.2[index]) }
      let scalars = loads.filter { isFixed($0.0, $0.1) }.map { ($0.0, builder.loadScalar($0.2)) } + settled
      // As many as leave registers for the numbers of a stage; vectors of another axis may be narrower in its loop.
      let areSpread = map.space.inner == .frames && scalars.count <= emitter.plan.target.vectorRegisters / 4
      return Round(
        stores: stores.map { $0[index] }, loads: loads,
        scalars: scalars.map { ($0, areSpread ? .spread(builder.broadcast($1)) : .loaded($1)) })
    }
  }

  /// - Parameter given: Values that are neither loaded nor computed here.
  /// - Returns: all values of the position.
  @discardableResult
  func compute(
    _ round: Round, at position: StagePosition, given: [ValueID: Lanes] = [:]
  ) -> [ValueID: Lanes] {
    var values = given
    // What is time-varying takes registers; without operands in memory there is nothing to be gained.
    let isStaggered = !ramps.isEmpty && position.vectors > 1 && emitter.plan.target.takesOperandsFromMemory
    if isStaggered {
      builder.staggered { bringValues(&values, round, at: position) }
    } else {
      bringValues(&values, round, at: position)
    }
    for (store, address) in zip(map.stores, round.stores) {
      let value = store.value.map { operand($0, values) } ?? builder.constant(0)
      emitter.store(value, store.access, address, at: position)
    }
    return values
  }

  /// Loads and computes whatever is computed, stored or wanted at a position.
  private func bringValues(_ values: inout [ValueID: Lanes], _ round: Round, at position: StagePosition) {
    for (value, scalar) in round.scalars {
      switch scalar {
      case .loaded(let number): values[value] = builder.broadcast(number)
      case .spread(let lanes): values[value] = lanes
      }
    }
    let frames = elapsed.map { emitter.frameNumbers(behind: $0, at: position) }
    for (value, access, address) in round.loads where values[value] == nil && access.index == nil {
      values[value] = emitter.load(access, address, at: position)
    }
    // What a time-varying parameter has come to is computed where it is first used: it takes registers.
    func bring(_ value: ValueID) {
      guard values[value] == nil else { return }
      if let frames, let ramp = ramps[value] {
        values[value] = emitter.value(of: ramp, at: frames)
      } else if let (_, access, address) = round.loads.first(where: { $0.0 == value }),
        let index = access.index?.value
      {
        bring(index)
        values[value] = emitter.indexed(
          value, access, by: operand(index, values), isSteady: isSteady(index, in: round), address,
          at: position)
      }
    }
    for id in map.nodes where !isSettled(id) {
      let node = graph[id]
      node.operands.forEach(bring)
      values[node.result] = compute(node, values, at: position)
    }
    wanted.forEach(bring)
  }

  /// Whether values that depend on parameters only are single numbers here, computed beforehand.
  private var takesSettledValues: Bool { emitter.variant == .settled && map.space.inner == .frames }

  private func isSettled(_ value: ValueID) -> Bool {
    takesSettledValues && emitter.plan.kernelGraph.settledValues[value] != nil
  }

  /// Whether a value is known to be one number in all frames of a round. Where parameters change, vectors are
  /// staggered, and nothing branches.
  private func isSteady(_ value: ValueID, in round: Round) -> Bool {
    let isNumber =
      graph.definition(of: value).op.isLiteral || round.scalars.contains { $0.0 == value }
    return isNumber && emitter.variant == .settled
  }

  /// Whether a load is of one number that does not change along the innermost axis.
  private func isFixed(_ value: ValueID, _ access: Access) -> Bool {
    guard emitter.isScalar(access), access.index == nil, !isSettled(value) else { return false }
    return !emitter.varies(access)
  }

  /// The values that are stored or asked for.
  private var wanted: [ValueID] { map.stores.compactMap(\.value) + asked }

  /// The settled values that are used or wanted.
  private var settledScalars: [(ValueID, String)] {
    guard takesSettledValues else { return [] }
    var wanted = Set(self.wanted + map.loads.values.compactMap(\.index?.value))
    for node in map.nodes where !emitter.plan.kernelGraph.uniform.contains(graph[node].result) {
      wanted.formUnion(graph[node].operands)
    }
    return wanted.sorted().compactMap { value in
      guard let place = emitter.plan.kernelGraph.settledValues[value] else { return nil }
      let access = Access(.buffer(place), strides: [], innerStride: 0)
      return (value, builder.loadScalar(emitter.address(access, [])))
    }
  }

  /// Whether a node's result is a single number here, computed beforehand.
  private func isSettled(_ node: NodeID) -> Bool {
    takesSettledValues && emitter.plan.kernelGraph.uniform.contains(graph[node].result)
  }

  private func compute(_ node: Node, _ values: [ValueID: Lanes], at position: StagePosition) -> Lanes {
    if case .source(.noise(let seed)) = node.op.kind { return emitter.noise(seed: seed, at: position) }
    let isKnown = node.operands.allSatisfy { graph.definition(of: $0).op.isLiteral }
    let operands = node.operands.map { isKnown ? opaque(operand($0, values)) : operand($0, values) }
    // Most of what is compared with something is a number: one instruction does.
    if node.op == .binary(.min), graph.isNumber(node.operands[1]) {
      return builder.smaller(operands[0], operands[1])
    }
    if node.op == .binary(.max), graph.isNumber(node.operands[1]) {
      return builder.larger(operands[0], operands[1])
    }
    return builder.apply(node.op, operands)
  }

  /// Numbers that LLVM cannot look into: what it computes ahead of time keeps denormals, which count as zero.
  private func opaque(_ numbers: Lanes) -> Lanes { builder.intrinsic("arithmetic.fence", numbers) }

  /// A value of a position, or the number that is written in the model.
  func operand(_ value: ValueID, _ values: [ValueID: Lanes]) -> Lanes {
    if let known = values[value] { return known }
    guard let number = graph.definition(of: value).op.literal else {
      preconditionFailure("a map uses a value that it neither loads nor computes")
    }
    return builder.constant(number)
  }
}
