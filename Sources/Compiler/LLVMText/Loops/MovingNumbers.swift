// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// The numbers of a wavefront that move with parameters: they are computed along the frames, as in a map.
struct MovingNumbers {
  private let emitter: KernelEmitter
  private let front: Wavefront
  /// The steps that have such a number for at least one loop.
  let steps: [Int]

  init(_ emitter: KernelEmitter, _ front: Wavefront) {
    (self.emitter, self.front) = (emitter, front)
    steps = front.steps.indices.filter { step in
      guard case .number(let values) = front.steps[step] else { return false }
      return values.contains { $0.map(emitter.isComputedWhileMoving) ?? false }
    }
  }

  /// What a loop has in one of the steps.
  func value(of step: Int, in loop: Int) -> ValueID? {
    guard steps.contains(step), case .number(let values) = front.steps[step] else { return nil }
    return values[loop]
  }

  /// Where a loop's number stands in memory, frame by frame; nil where it is computed.
  func row(of step: Int, in loop: Int) -> Access? {
    guard let value = value(of: step, in: loop), let access = front.loops[loop].loads[value],
      case .buffer = access.location
    else { return nil }
    return access
  }

  /// A loop's number in the first frames of the stretch, as many as the builder is wide.
  func alongFrames(of loop: Int, _ step: Int) -> Lanes? {
    guard let value = value(of: step, in: loop) else { return nil }
    if case .literal(let number) = emitter.graph.definition(of: value).op {
      return emitter.builder.constant(number)
    }
    let body = MapBody(
      emitter, front.loops[loop].computing(value, in: emitter.graph), asked: [value])
    let position = StagePosition(index: "0", vectors: 1, mask: nil)
    guard let lanes = body.compute(body.round([]), at: position)[value] else {
      preconditionFailure("a loop uses a number that it neither loads nor computes")
    }
    return lanes
  }
}

extension MapKernel {
  /// What is needed of a map along the frames to compute a value that is the same for all its rows.
  fileprivate func computing(_ value: ValueID, in graph: Graph) -> MapKernel {
    var needed: Set<ValueID> = [value]
    var map = MapKernel(space: Space(extents: [], inner: .frames))
    for id in nodes.reversed() where needed.contains(graph[id].result) {
      map.nodes.insert(id, at: 0)
      needed.formUnion(graph[id].operands)
    }
    map.loads = loads.filter { needed.contains($0.key) }
    return map
  }
}
