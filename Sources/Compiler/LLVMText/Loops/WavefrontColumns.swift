// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// What the loops of a wavefront hear in memory in a few moments, read along the frames and turned in registers.
///
///     along the frames         loop 0: f4 f5 f6 f7     loop 1: f2 f3 f4 f5     loop 2: f0 f1 f2 f3
///     →
///     moment by moment         f4 f2 f0     f5 f3 f1     f6 f4 f2     f7 f5 f3
///
/// Such are streams that stand in rows of the workspace, and numbers that move. A number that is one instruction away
/// from another one is computed of what was turned of that.
///
/// A loop that is not at one of the frames hears what stands beside its row. Nobody hears what becomes of that, and
/// there is something: see `WorkspaceLayout`.
struct WavefrontColumns {
  /// How a step's number becomes of those of other steps.
  private struct Derivation {
    enum Operand {
      case step(Int)
      case literal(Float)
    }

    var op: Op
    var operands: [Operand]
  }

  let emitter: KernelEmitter
  let front: Wavefront
  private let numbers: MovingNumbers
  /// The loops for which a step is read here.
  private var loops: [Int: Set<Int>] = [:]
  /// Steps that are not turned themselves.
  private var derivations: [Int: Derivation] = [:]
  private var builder: FunctionBuilder { emitter.builder }

  /// How many moments are read at once.
  var moments: Int { Wavefront.momentsAtOnce(for: emitter.plan.target) }

  /// The steps that are turned.
  var steps: [Int] { loops.keys.filter { derivations[$0] == nil }.sorted() }

  init(_ emitter: KernelEmitter, _ front: Wavefront) {
    (self.emitter, self.front) = (emitter, front)
    numbers = MovingNumbers(emitter, front)
    for index in front.steps.indices {
      let read = front.loops.indices.filter { loop in
        numbers.value(of: index, in: loop) != nil || front.readsRow(in: loop, for: index, emitter)
      }
      if !read.isEmpty { loops[index] = Set(read) }
    }
    var bases: Set<Int> = []
    for step in loops.keys.sorted() where !bases.contains(step) {
      guard let derivation = derivation(of: step) else { continue }
      derivations[step] = derivation
      for case .step(let base) in derivation.operands { bases.insert(base) }
    }
  }

  /// Whether numbers move: streams alone are read as fast number by number.
  var areNeeded: Bool { !numbers.steps.isEmpty }

  /// Whether a step of a loop is read here.
  func reads(_ step: Int, in loop: Int) -> Bool { loops[step]?.contains(loop) ?? false }

  /// Whether all rows of a loop have the same in a step.
  func isShared(_ step: Int) -> Bool { numbers.steps.contains(step) }

  // MARK: Numbers of others

  /// How a number becomes of others that are turned; nil where it does not.
  private func derivation(of step: Int) -> Derivation? {
    guard case .number(let values) = front.steps[step] else { return nil }
    let nodes = values.map { $0.map(emitter.graph.definition) }
    guard let op = nodes.lazy.compactMap({ $0?.op }).first, op.isElementwise, op.cost == 1,
      nodes.allSatisfy({ $0?.op ?? op == op })
    else { return nil }
    let count = nodes.lazy.compactMap { $0?.operands.count }.first ?? 0
    let operands = (0..<count).map { place in operand(nodes.map { $0?.operands[place] }) }
    let known = operands.compactMap(\.self)
    return known.count == count ? Derivation(op: op, operands: known) : nil
  }

  /// The step that has a value of each loop, or the number that all of them are.
  private func operand(_ values: [ValueID?]) -> Derivation.Operand? {
    let literals = values.compactMap(\.self).map { value -> UInt32? in
      if case .literal(let number) = emitter.graph.definition(of: value).op { number.bitPattern } else { nil }
    }
    if let first = literals[0], literals.allSatisfy({ $0 == first }) {
      return .literal(Float(bitPattern: first))
    }
    return loops.keys.sorted().first { other in
      guard derivations[other] == nil, case .number(let numbers) = front.steps[other] else { return false }
      return zip(values, numbers).allSatisfy { $0 == nil || $0 == $1 }
    }.map { .step($0) }
  }

  /// What is read of the steps that are turned, and of the others what becomes of it.
  func completed(_ read: [Int: Lanes]) -> [Int: Lanes] {
    var all = read
    for (step, derivation) in derivations.sorted(by: { $0.key < $1.key }) {
      let operands = derivation.operands.map { operand -> Lanes in
        switch operand {
        case .literal(let number): return builder.constant(number)
        case .step(let other):
          guard let lanes = read[other] else { preconditionFailure("a number of one that was not turned") }
          return lanes
        }
      }
      all[step] = builder.apply(derivation.op, operands)
    }
    return all
  }

  // MARK: Along the frames

  /// What is turned, each step by its number.
  func turned(of rows: [[String]], from time: String) -> [Int: [Lanes]] {
    Dictionary(uniqueKeysWithValues: steps.map { ($0, turned($0, of: rows, from: time)) })
  }

  /// One vector for each of the moments from a time on, with the loops' rows in its lanes.
  func turned(_ step: Int, of rows: [[String]], from time: String) -> [Lanes] {
    let width = builder.width
    builder.width = moments
    var read: [Int: [Lanes]] = [:]
    for loop in front.loops.indices where reads(step, in: loop) {
      emitter.within(emitter.stretch(from: emitter.add(time, -loop * front.lag), most: moments)) {
        read[loop] = alongFrames(of: loop, step, rows)
      }
    }
    builder.width = width
    return turned(read, rows: rows.count)
  }

  /// What a loop reads for a step in the frames of the stretch: for each row, or one for all of them.
  private func alongFrames(of loop: Int, _ step: Int, _ rows: [[String]]) -> [Lanes] {
    if let number = numbers.alongFrames(of: loop, step) { return [number] }
    guard case .stream(let values) = front.steps[step], let value = values[loop],
      let access = front.loops[loop].loads[value]
    else { preconditionFailure("a step that reads nothing") }
    let isSame = access.strides.allSatisfy { $0 == 0 }
    let places = emitter.addresses(
      access, isSame ? [rows[0]] : rows, along: front.loops[loop].space.extents.indices.last)
    let position = StagePosition(index: "0", vectors: 1, mask: nil)
    return places.map { emitter.load(access, $0, at: position) }
  }

  /// One vector for each moment; what is not read is anything.
  private func turned(_ read: [Int: [Lanes]], rows: Int) -> [Lanes] {
    let width = builder.width
    let copies = read.values.allSatisfy { $0.count == 1 } ? rows : 1
    let nothing = Lanes(names: ["poison"], element: .float, width: moments)
    let lines = front.loops.indices.flatMap { loop in
      (0..<rows / copies).map { row in read[loop].map { $0[$0.count == 1 ? 0 : row] } }
    }
    var columns = [Lanes?](repeating: nil, count: moments)
    for first in stride(from: 0, to: lines.count, by: moments) {
      let part = lines[first..<min(first + moments, lines.count)]
      guard part.contains(where: { $0 != nil }) else { continue }
      let square = part.map { $0 ?? nothing } + [Lanes](repeating: nothing, count: moments - part.count)
      builder.width = moments
      let turned = builder.transposed(square)
      builder.width = width
      for (moment, lanes) in turned.enumerated() {
        let places = (0..<width).map { $0 / copies - first }
        let spread = builder.shuffled(lanes, lanes, places.map { min(max($0, 0), moments - 1) })
        columns[moment] =
          columns[moment].map { before in
            builder.shuffled(before, spread, places.indices.map { places[$0] < 0 ? $0 : width + $0 })
          } ?? spread
      }
    }
    return columns.map { column in
      guard let column else { preconditionFailure("a column of nothing") }
      return column
    }
  }
}

extension Wavefront {
  /// Whether a loop reads a step's stream from a row of the workspace.
  fileprivate func readsRow(in loop: Int, for step: Int, _ emitter: KernelEmitter) -> Bool {
    guard case .stream(let values) = steps[step], let value = values[loop],
      !isHanded(value, in: loop, of: step), let access = loops[loop].loads[value],
      case .buffer = access.location
    else { return false }
    return emitter.hasRoomBehindEnd(access)
  }
}
