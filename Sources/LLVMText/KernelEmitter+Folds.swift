// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

extension KernelEmitter {
  /// Writes a fold: accumulators in registers over the reduced axes, in the order of their positions.
  func emit(_ fold: FoldKernel) {
    let accesses =
      (fold.operands + fold.epilogue.loads.values).filter { $0.innerStride != 0 }
      + fold.epilogue.stores.map(\.access)
    let body = MapBody(self, fold.epilogue)
    rounds(fold.space.extents) { indices in
      let round = body.round(indices)
      inner(fold.space, accesses, vectors: plan.target.vectorRegisters / 4) { position in
        let begun = beginning(fold, indices, at: position)
        let result = reduce(fold, indices, [], begun, at: position)
        body.compute(round, at: position, given: [graph[fold.node].result: result])
      }
    }
  }

  private func beginning(_ fold: FoldKernel, _ indices: [String], at position: StagePosition) -> Lanes {
    let first =
      switch fold.combination {
      case .sum: fold.bias.map { load($0, address($0, indices), at: position) } ?? builder.constant(0)
      // Not a number gives way to whatever comes.
      case .maximum: builder.constant(.nan)
      }
    let names = (0..<position.vectors).map { first[$0] }
    return Lanes(names: names, element: first.element, width: first.width)
  }

  private func reduce(
    _ fold: FoldKernel, _ indices: [String], _ reduced: [String], _ accumulators: Lanes,
    at position: StagePosition
  ) -> Lanes {
    guard reduced.count < fold.reduced.count else {
      let all = indices + reduced
      let left = load(fold.left, address(fold.left, all), at: position)
      let right = fold.right.map { load($0, address($0, all), at: position) }
      switch fold.combination {
      case .sum:
        return right.map { builder.fma($0, left, accumulators) } ?? builder.add(accumulators, left)
      case .maximum:
        return builder.maximum(accumulators, left)
      }
    }
    let extent = fold.reduced[reduced.count]
    guard extent > 1 else {
      return reduce(fold, indices, reduced + ["0"], accumulators, at: position)
    }
    return builder.loop(to: String(extent), carrying: [accumulators]) { index, carried in
      [reduce(fold, indices, reduced + [index], carried[0], at: position)]
    }[0]
  }
}
