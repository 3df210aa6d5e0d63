// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// Loads of a wavefront's loops for a few moments, read along the frames and transposed in registers.
///
///     along the frames         loop 0: f4 f5 f6 f7     loop 1: f2 f3 f4 f5     loop 2: f0 f1 f2 f3
///     →
///     moment by moment         f4 f2 f0     f5 f3 f1     f6 f4 f2     f7 f5 f3
///
/// Such are streams that stand in rows of the workspace, and numbers that are time-varying. A number that is one
/// instruction away from another one is computed of what was transposed of that.
///
/// A loop that is not at one of the frames reads what stands beside its row. Nobody reads what becomes of that, and
/// there is something: see `WorkspaceLayout`.
package struct WavefrontColumns: Sendable {
  /// The computation of a step's number from those of other steps.
  package struct Derivation: Sendable {
    package enum Operand: Sendable {
      case step(Int)
      case literal(Float)
    }

    package var op: Op
    package var operands: [Operand]
  }

  /// The place of a step's columns within a half of the buffer on the stack.
  package struct Slot: Sendable {
    package var step: Int
    package var first: Int
    /// Lanes of each moment.
    package var width: Int
    /// Whether all rows share one number, which is stored once.
    package var isOnce: Bool
  }

  package let front: Wavefront
  package let numbers: TimeVaryingNumbers
  /// How many moments are read at once: a vector's, and no more than make code that is soon compiled.
  package let moments: Int
  /// The loops for which a step is read here.
  private var loops: [Int: Set<Int>] = [:]
  /// Steps that are not transposed themselves.
  package private(set) var derivations: [Int: Derivation] = [:]
  /// The lanes of a vector.
  private let lanes: Int

  private static let mostMoments = 8

  init(of front: Wavefront, in kernels: KernelGraph, for target: Target, _ variant: Variant) {
    self.front = front
    numbers = TimeVaryingNumbers(of: front, in: kernels, variant)
    lanes = target.lanes
    moments = min(Self.mostMoments, lanes)
    for index in front.steps.indices {
      let read = front.loops.indices.filter { loop in
        numbers.value(of: index, in: loop) != nil || front.readsRow(in: loop, for: index, kernels)
      }
      if !read.isEmpty { loops[index] = Set(read) }
    }
    var bases: Set<Int> = []
    for step in loops.keys.sorted() where !bases.contains(step) {
      guard let derivation = derivation(of: step, in: kernels.graph) else { continue }
      derivations[step] = derivation
      for case .step(let base) in derivation.operands { bases.insert(base) }
    }
  }

  /// The steps that are transposed.
  package var steps: [Int] { loops.keys.filter { derivations[$0] == nil }.sorted() }

  /// Whether a step of a loop is read here.
  package func reads(_ step: Int, in loop: Int) -> Bool { loops[step]?.contains(loop) ?? false }

  /// The most frames beside a row that loops read while they are at none of its frames, or ahead of their time.
  var framesBeside: Int { front.beginning + 2 * moments }

  // MARK: On the stack

  /// The slots of all steps, for so many rows of each loop.
  package func slots(rows: Int) -> [Slot] {
    let width = front.lanes(rows: rows)
    let isWide = width > lanes
    var first = 0
    return steps.map { step in
      let isOnce = isWide && numbers.steps.contains(step)
      let slot = Slot(step: step, first: first, width: isOnce ? front.lanes(rows: 1) : width, isOnce: isOnce)
      first += moments * slot.width
      return slot
    }
  }

  /// The floats of a half.
  package func floats(_ slots: [Slot]) -> Int { slots.reduce(0) { $0 + moments * $1.width } }

  /// Whether the stack has room for two halves.
  var fitStack: Bool { 4 * 2 * floats(slots(rows: front.rowsAtOnce)) <= Plan.mostStackBytes }

  // MARK: Numbers of others

  /// The derivation of a number from transposed ones; nil where there is none.
  private func derivation(of step: Int, in graph: Graph) -> Derivation? {
    guard case .number(let values) = front.steps[step] else { return nil }
    let nodes = values.map { $0.map(graph.definition) }
    guard let op = nodes.lazy.compactMap({ $0?.op }).first, op.isElementwise, op.cost == 1,
      nodes.allSatisfy({ $0?.op ?? op == op })
    else { return nil }
    let count = nodes.lazy.compactMap { $0?.operands.count }.first ?? 0
    let operands = (0..<count).map { place in operand(nodes.map { $0?.operands[place] }, in: graph) }
    let known = operands.compactMap(\.self)
    return known.count == count ? Derivation(op: op, operands: known) : nil
  }

  /// The step that has a value of each loop, or the number that all of them are.
  private func operand(_ values: [ValueID?], in graph: Graph) -> Derivation.Operand? {
    let literals = values.compactMap(\.self).map { value -> UInt32? in
      if case .literal(let number) = graph.definition(of: value).op { number.bitPattern } else { nil }
    }
    if let first = literals[0], literals.allSatisfy({ $0 == first }) {
      return .literal(Float(bitPattern: first))
    }
    return loops.keys.sorted().first { other in
      guard derivations[other] == nil, case .number(let numbers) = front.steps[other] else { return false }
      return zip(values, numbers).allSatisfy { $0 == nil || $0 == $1 }
    }.map { .step($0) }
  }
}

extension Wavefront {
  /// A power of two that holds so many rows of all loops.
  package func lanes(rows: Int) -> Int {
    var lanes = 1
    while lanes < loops.count * rows { lanes *= 2 }
    return lanes
  }

  /// Whether a loop gets a stream's value from the one before it.
  package func isHanded(_ value: ValueID, in loop: Int, of stream: Int) -> Bool {
    guard handed[stream] != nil, loop > 0, let access = loops[loop].loads[value] else { return false }
    return loops[loop - 1].stores.contains(Store(value, access))
  }

  /// Whether a loop reads a step's stream from a row of the workspace.
  fileprivate func readsRow(in loop: Int, for step: Int, _ kernels: KernelGraph) -> Bool {
    guard case .stream(let values) = steps[step], let value = values[loop],
      !isHanded(value, in: loop, of: step), let access = loops[loop].loads[value],
      case .buffer = access.location
    else { return false }
    return kernels.hasRoomBehindEnd(access)
  }
}
