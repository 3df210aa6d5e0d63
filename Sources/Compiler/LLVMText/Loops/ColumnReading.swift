// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes how what the loops of a wavefront read in a few moments is read along the frames and transposed. See
/// `WavefrontColumns`.
struct ColumnReading {
  let emitter: KernelEmitter
  let columns: WavefrontColumns
  private var front: Wavefront { columns.front }
  private var builder: FunctionBuilder { emitter.builder }

  /// How many moments are read at once.
  var moments: Int { columns.moments }

  init(_ emitter: KernelEmitter, _ columns: WavefrontColumns) {
    (self.emitter, self.columns) = (emitter, columns)
  }

  /// All steps' columns: those that were read, and those derived from them.
  func completed(_ read: [Int: Lanes]) -> [Int: Lanes] {
    var all = read
    for (step, derivation) in columns.derivations.sorted(by: { $0.key < $1.key }) {
      let operands = derivation.operands.map { operand -> Lanes in
        switch operand {
        case .literal(let number): return builder.constant(number)
        case .step(let other):
          guard let lanes = read[other] else {
            preconditionFailure("a number of one that was not transposed")
          }
          return lanes
        }
      }
      all[step] = builder.apply(derivation.op, operands)
    }
    return all
  }

  // MARK: Along the frames

  /// The transposed vectors of each step, by its number.
  func transposed(of rows: [[String]], from time: String) -> [Int: [Lanes]] {
    Dictionary(uniqueKeysWithValues: columns.steps.map { ($0, transposed($0, of: rows, from: time)) })
  }

  /// One vector for each of the moments from a time on, with the loops' rows in its lanes.
  func transposed(_ step: Int, of rows: [[String]], from time: String) -> [Lanes] {
    let width = builder.width
    builder.width = moments
    var read: [Int: [Lanes]] = [:]
    for loop in front.loops.indices where columns.reads(step, in: loop) {
      emitter.within(emitter.stretch(from: emitter.add(time, -loop * front.lag), count: String(moments))) {
        read[loop] = alongFrames(of: loop, step, rows)
      }
    }
    builder.width = width
    return transposed(read, rows: rows.count)
  }

  /// The frames of the stretch that a loop reads for a step: for each row, or one for all of them.
  private func alongFrames(of loop: Int, _ step: Int, _ rows: [[String]]) -> [Lanes] {
    let numbers = columns.numbers
    if let number = emitter.alongFrames(numbers, of: step, in: front.loops[loop], loop) { return [number] }
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
  private func transposed(_ read: [Int: [Lanes]], rows: Int) -> [Lanes] {
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
      let transposed = builder.transposed(square)
      builder.width = width
      for (moment, lanes) in transposed.enumerated() {
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
