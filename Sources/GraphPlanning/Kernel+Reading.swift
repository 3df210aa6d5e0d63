// SPDX-License-Identifier: Apache-2.0

extension Kernel {
  /// The same kernel with some places read instead of others.
  func reading(_ substitutes: [Location: Location]) -> Kernel {
    reading { access in
      var access = access
      if let substitute = substitutes[access.location] { access.location = substitute }
      return access
    }
  }

  /// The same kernel with every access that reads moved elsewhere.
  func reading(_ moved: (Access) -> Access) -> Kernel {
    switch self {
    case .map(let map):
      return .map(map.reading(moved))
    case .fold(var fold):
      fold.left = moved(fold.left)
      fold.right = fold.right.map(moved)
      fold.bias = fold.bias.map(moved)
      fold.epilogue = fold.epilogue.reading(moved)
      return .fold(fold)
    case .sample(var sample):
      sample.source = moved(sample.source)
      return .sample(sample)
    case .cycle(let nested):
      return .cycle(nested.map { $0.reading(moved) })
    }
  }
}

extension MapKernel {
  func reading(_ moved: (Access) -> Access) -> MapKernel {
    var result = self
    result.loads = loads.mapValues(moved)
    return result
  }
}
