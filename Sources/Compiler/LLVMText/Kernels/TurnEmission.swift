// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes a turn: rows into columns, or columns into rows, square by square in registers.
///
///     channel 0:  a0 a1 a2 a3 …            frame 0:  a0 b0 c0 d0
///     channel 1:  b0 b1 b2 b3 …     ⇄      frame 1:  a1 b1 c1 d1
///     channel 2:  c0 c1 c2 c3 …            frame 2:  a2 b2 c2 d2
///     channel 3:  d0 d1 d2 d3 …            …
///
/// The square is written once where it may go beyond the last frame: columns have room there, and so have rows of the
/// workspace. A caller's rows have none: there the last square is masked. The last channels of many begin so far up that
/// they are as many as the others, and some are turned twice; of few channels only those are written.
struct TurnEmission {
  private let emitter: KernelEmitter
  private let map: MapKernel
  private let load: Access
  private let width: Int
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ map: MapKernel, width: Int) {
    self.emitter = emitter
    self.map = map
    self.width = width
    guard let load = map.loads.first?.value else { preconditionFailure("a turn of nothing") }
    self.load = load
  }

  func emit() {
    builder.inVectors(of: width) {
      var extents = map.space.extents
      let channels = extents.popLast() ?? 1
      let count = min(width, channels)
      emitter.rounds(extents) { outer in
        builder.loop(to: String(channels), step: count) { next, _ in
          let first = channels % count > 0 ? builder.earlier(next, channels - count) : next
          square(map.space.extents.isEmpty ? [[]] : (0..<count).map { outer + [emitter.add(first, $0)] })
          return []
        }
      }
    }
  }

  /// Turns some channels, at most as many as a vector has lanes, through all frames.
  private func square(_ channels: [[String]]) {
    let stores = map.stores.map { ($0.access, addresses($0.access, channels)) }
    let loads = addresses(load, channels)
    inSquares { position in
      let square = builder.transposed(
        isColumns(load) ? columns(from: loads[0], at: position) : rows(of: loads, at: position))
      for (access, addresses) in stores {
        if isColumns(access) {
          store(square, access, addresses[0], channels.count, at: position)
        } else {
          for (row, address) in zip(square, addresses) { emitter.store(row, access, address, at: position) }
        }
      }
    }
  }

  /// Runs code for as many frames at a time as a vector has lanes.
  private func inSquares(_ body: (StagePosition) -> Void) {
    let rows = ([load] + map.stores.map(\.access)).filter { !isColumns($0) }
    if rows.allSatisfy(emitter.plan.kernelGraph.hasRoomBehindEnd) {
      builder.wholeVectors(count: emitter.stretch.count, vectors: 1, body)
    } else {
      builder.stages(count: emitter.stretch.count, vectors: 1, body)
    }
  }

  private func isColumns(_ access: Access) -> Bool { access.innerStride > 1 }

  /// Those of rows, or the one of columns.
  private func addresses(_ access: Access, _ channels: [[String]]) -> [String] {
    guard !isColumns(access) else { return [emitter.address(access, channels[0])] }
    return emitter.addresses(access, channels, along: map.space.extents.indices.last)
  }

  private func rows(of addresses: [String], at position: StagePosition) -> [Lanes] {
    let rows = addresses.map { emitter.load(load, $0, at: position) }
    return rows + [Lanes](repeating: builder.constant(0), count: width - rows.count)
  }

  private func columns(from address: String, at position: StagePosition) -> [Lanes] {
    columnAddresses(load, address, position).map {
      builder.load($0, at: StagePosition(index: "0", vectors: 1))
    }
  }

  private func store(
    _ columns: [Lanes], _ access: Access, _ address: String, _ channels: Int, at position: StagePosition
  ) {
    let mask = channels < width ? builder.mask(first: channels) : nil
    for (numbers, address) in zip(columns, columnAddresses(access, address, position)) {
      builder.store(numbers, address, at: StagePosition(index: "0", vectors: 1, mask: mask))
    }
  }

  /// The addresses of the columns of the square at hand.
  private func columnAddresses(_ access: Access, _ address: String, _ position: StagePosition) -> [String] {
    let first = emitter.strided(access, address, position)
    return (0..<width).map { builder.address(first, bytes: String($0 * access.innerStride * 4)) }
  }
}
