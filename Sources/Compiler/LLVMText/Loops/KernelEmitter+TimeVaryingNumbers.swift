// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

extension KernelEmitter {
  /// A loop's time-varying number in the first frames of the stretch, as many as the builder is wide.
  func alongFrames(_ numbers: TimeVaryingNumbers, of step: Int, in loop: MapKernel, _ place: Int) -> Lanes? {
    guard let value = numbers.value(of: step, in: place) else { return nil }
    if case .literal(let number) = graph.definition(of: value).op { return builder.constant(number) }
    let body = MapBody(self, loop.computing(value, in: graph), asked: [value])
    let position = StagePosition(index: "0", vectors: 1, mask: nil)
    guard let lanes = body.compute(body.round([]), at: position)[value] else {
      preconditionFailure("a loop uses a number that it neither loads nor computes")
    }
    return lanes
  }
}

extension MapKernel {
  /// The part of a map, along the frames, that computes a value that all its rows share.
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
