// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The columns of a wavefront on the stack, of which those of the next moments are turned between the present ones.
///
///     moments      0  1  2 … 7         8  9 … 15         16 …
///     hear         half 0              half 1            half 0
///     between      columns of 8 … 15   of 16 … 23        of 24 …
///                  into half 1         into half 0       into half 1
///
/// Turning does not wait for the loops, and the loops wait for themselves: so each has what the other leaves of a
/// processor.
struct TurnedColumns {
  private let columns: WavefrontColumns
  private let rows: [[String]]
  private let steps: [Int]
  private let scratch: String
  private var emitter: KernelEmitter { columns.emitter }
  private var builder: FunctionBuilder { emitter.builder }

  /// The most of the stack that they take, of 32 KiB that code may take.
  private static let mostBytes = 24 * 1024

  static func fit(_ columns: WavefrontColumns, lanes: Int) -> Bool {
    4 * 2 * half(columns, lanes: lanes) <= mostBytes
  }

  /// The floats of one half.
  private static func half(_ columns: WavefrontColumns, lanes: Int) -> Int {
    columns.steps.count * columns.moments * lanes
  }

  init(_ columns: WavefrontColumns, rows: [[String]]) {
    (self.columns, self.rows) = (columns, rows)
    steps = columns.steps
    let builder = columns.emitter.builder
    scratch = builder.reserve(floats: 2 * Self.half(columns, lanes: builder.width))
  }

  /// Turns what the first moments hear.
  func begin() {
    for place in steps.indices { turn(place, from: "0", into: scratch) }
  }

  /// Where the columns of the moments from a time on are, and where those of the next ones go.
  func halves(at time: String) -> (now: String, next: String) {
    let size = Self.half(columns, lanes: builder.width)
    let isOdd = builder.define("and i64 \(time), \(columns.moments)")
    let now = emitter.multiply(isOdd, size / columns.moments)
    let next = builder.define("sub i64 \(size), \(now)")
    return (builder.address(scratch, floats: now), builder.address(scratch, floats: next))
  }

  /// Turns a share of what is heard in the moments behind the present ones.
  func turn(before moment: Int, behind time: String, into next: String) {
    let moments = columns.moments
    for place in steps.indices where place * moments / steps.count == moment {
      turn(place, from: emitter.add(time, moments), into: next)
    }
  }

  /// What a moment hears.
  func columns(of moment: Int, in half: String) -> [Int: Lanes] {
    var heard: [Int: Lanes] = [:]
    for (place, step) in steps.enumerated() {
      heard[step] = builder.load(half, at: position(place, moment))
    }
    for (step, derivation) in columns.derivations.sorted(by: { $0.key < $1.key }) {
      let operands = derivation.operands.map { operand in
        switch operand {
        case .step(let other): heard[other]
        case .literal(let number): builder.constant(number)
        }
      }
      heard[step] = builder.apply(derivation.op, operands.compactMap(\.self))
    }
    return heard
  }

  private func turn(_ place: Int, from time: String, into half: String) {
    for (moment, lanes) in columns.turned(steps[place], of: rows, from: time).enumerated() {
      builder.store(lanes, half, at: position(place, moment))
    }
  }

  /// Where a moment's lanes of a step are within a half.
  private func position(_ place: Int, _ moment: Int) -> StagePosition {
    let index = (place * columns.moments + moment) * builder.width
    return StagePosition(index: String(index), vectors: 1, mask: nil)
  }
}
