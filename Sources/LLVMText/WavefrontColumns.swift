// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// What the loops of a wavefront hear in memory in a few moments, read along the frames and turned in registers.
///
///     along the frames         loop 0: f4 f5 f6 f7     loop 1: f2 f3 f4 f5     loop 2: f0 f1 f2 f3
///     →
///     moment by moment         f4 f2 f0     f5 f3 f1     f6 f4 f2     f7 f5 f3
///
/// Such are streams that stand in rows of the workspace, and numbers that move with parameters: these are computed
/// along the frames, as in a map.
///
/// A loop that is not at one of the frames hears what stands beside its row. Nobody hears what becomes of that, and
/// there is something: see `WorkspaceLayout`.
struct WavefrontColumns {
  private let emitter: KernelEmitter
  private let front: Wavefront
  /// The loops for which a step is read here.
  private var loops: [Int: Set<Int>] = [:]
  /// What each loop computes along the frames.
  private var maps: [MapKernel] = []
  private var wanted: [Set<ValueID>]
  private var builder: FunctionBuilder { emitter.builder }

  /// How many moments are read at once.
  var moments: Int { Wavefront.momentsAtOnce(for: emitter.plan.target) }

  init(_ emitter: KernelEmitter, _ front: Wavefront) {
    (self.emitter, self.front) = (emitter, front)
    wanted = front.loops.map { _ in [] }
    for (index, step) in front.steps.enumerated() {
      switch step {
      case .number(let values) where values.contains { $0.map(emitter.isComputedWhileMoving) ?? false }:
        loops[index] = Set(values.indices.filter { values[$0] != nil })
        for (loop, value) in values.enumerated() {
          if let value, emitter.isComputedWhileMoving(value) { wanted[loop].insert(value) }
        }
      case .stream(let values):
        let read = values.indices.filter { loop in
          values[loop].map { front.readsRow(of: $0, in: loop, for: index, emitter) } ?? false
        }
        if !read.isEmpty { loops[index] = Set(read) }
      case .number, .remembered, .computed, .blend: break
      }
    }
    maps = zip(front.loops, wanted).map { loop, wanted in loop.computing(wanted, in: emitter.graph) }
  }

  /// Whether numbers move: streams alone are read as fast number by number.
  var areNeeded: Bool { wanted.contains { !$0.isEmpty } }

  /// Whether there is room on the stack for all that is turned.
  func fit(lanes: Int) -> Bool { loops.count * moments * lanes * 4 <= Self.mostBytes }

  /// A half of the stack that code may take.
  private static let mostBytes = 16 * 1024

  /// Whether a step of a loop is read here.
  func reads(_ step: Int, in loop: Int) -> Bool { loops[step]?.contains(loop) ?? false }

  /// For each step that is read here its lanes at a moment and at those after it.
  func columns(of rows: [[String]], from time: String) -> [Int: [Lanes]] {
    let width = builder.width
    builder.width = moments
    var read: [Int: [Int: [Lanes]]] = [:]
    for loop in front.loops.indices {
      emitter.within(emitter.stretch(from: emitter.add(time, -loop * front.lag), most: builder.width)) {
        for (step, lanes) in alongFrames(of: loop, rows) { read[step, default: [:]][loop] = lanes }
      }
    }
    builder.width = width
    var columns: [Int: [Lanes]] = [:]
    for (step, lanes) in read.sorted(by: { $0.key < $1.key }) {
      columns[step] = turned(lanes, rows: rows.count)
    }
    return columns
  }

  /// What a loop reads for each step in the frames of the stretch: for each row, or one for all of them.
  private func alongFrames(of loop: Int, _ rows: [[String]]) -> [(step: Int, lanes: [Lanes])] {
    let body = MapBody(emitter, maps[loop], asked: wanted[loop].sorted())
    let position = StagePosition(index: "0", vectors: 1, mask: nil)
    let computed = body.compute(body.round([]), at: position)
    return loops.keys.sorted().filter { reads($0, in: loop) }.map { step in
      switch front.steps[step] {
      case .number(let values), .stream(let values):
        guard let value = values[loop] else { preconditionFailure("a loop reads what it does not use") }
        if let lanes = computed[value] { return (step, [lanes]) }
        if case .literal(let number) = emitter.graph.definition(of: value).op {
          return (step, [builder.constant(number)])
        }
        guard let access = front.loops[loop].loads[value] else {
          preconditionFailure("a loop uses what it neither loads nor computes")
        }
        let isSame = access.strides.allSatisfy { $0 == 0 }
        let places = emitter.addresses(
          access, isSame ? [rows[0]] : rows, along: front.loops[loop].space.extents.indices.last)
        return (step, places.map { emitter.load(access, $0, at: position) })
      case .remembered, .computed, .blend: preconditionFailure("a step that reads nothing")
      }
    }
  }

  /// One vector for each moment, with the loops' rows in its lanes; what is not read is anything.
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
  /// Whether a loop reads a stream's value from a row of the workspace.
  fileprivate func readsRow(of value: ValueID, in loop: Int, for step: Int, _ emitter: KernelEmitter) -> Bool
  {
    guard !isHanded(value, in: loop, of: step), let access = loops[loop].loads[value],
      case .buffer = access.location
    else { return false }
    return emitter.hasRoomBehindEnd(access)
  }
}

extension MapKernel {
  /// What is needed of a map along the frames to compute some values that are the same for all its rows.
  fileprivate func computing(_ wanted: Set<ValueID>, in graph: Graph) -> MapKernel {
    var needed = wanted
    var map = MapKernel(space: Space(extents: [], inner: .frames))
    for id in nodes.reversed() where needed.contains(graph[id].result) {
      map.nodes.insert(id, at: 0)
      needed.formUnion(graph[id].operands)
    }
    map.loads = loads.filter { needed.contains($0.key) }
    return map
  }
}
