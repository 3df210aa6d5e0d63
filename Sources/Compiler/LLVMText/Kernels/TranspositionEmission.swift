// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Writes a copy that reads along one loop and writes along another one, square by square in registers.
///
///     read     a0 b0 c0 d0 …        written    a0 a1 a2 a3 …
///              a1 b1 c1 d1 …   →               b0 b1 b2 b3 …
///              a2 b2 c2 d2 …                   c0 c1 c2 c3 …
///              a3 b3 c3 d3 …                   d0 d1 d2 d3 …
///
/// The last squares of either axis begin so far up that they are whole: some numbers are copied twice.
struct TranspositionEmission {
  private let emitter: KernelEmitter
  private let map: MapKernel
  private let axis: Int
  private let width: Int
  private let load: Access
  private let count: Int
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ map: MapKernel, axis: Int, width: Int) {
    (self.emitter, self.map, self.axis, self.width) = (emitter, map, axis, width)
    guard let load = map.loads.first?.value, case .count(let count) = map.space.inner else {
      preconditionFailure("a transposition without two axes")
    }
    (self.load, self.count) = (load, count)
  }

  func emit() {
    var others = map.space.extents
    let extent = others.remove(at: axis)
    builder.inVectors(of: width) {
      emitter.rounds(others) { outer in
        starts(upTo: extent) { row in
          let rounds = (0..<width).map { step in
            Array(outer[..<axis]) + [emitter.add(row, step)] + outer[axis...]
          }
          let source = emitter.address(load, rounds[0])
          let targets = map.stores.map { emitter.addresses($0.access, rounds, along: axis) }
          starts(upTo: count) { column in square(source, targets, column) }
        }
      }
    }
  }

  /// Runs code for the beginning of each square along an axis.
  private func starts(upTo extent: Int, _ body: (String) -> Void) {
    builder.loop(to: String(extent), step: width) { next, _ in
      body(extent % width > 0 ? builder.earlier(next, extent - width) : next)
      return []
    }
  }

  private func square(_ source: String, _ targets: [[String]], _ column: String) {
    let alone = StagePosition(index: "0", vectors: 1)
    let first = builder.address(source, floats: emitter.multiply(column, load.innerStride))
    let read = (0..<width).map { step in
      builder.load(builder.address(first, bytes: String(step * load.innerStride * 4)), at: alone)
    }
    let square = builder.transposed(read)
    for rows in targets {
      for (numbers, row) in zip(square, rows) {
        builder.store(numbers, builder.address(row, floats: column), at: alone)
      }
    }
  }
}
