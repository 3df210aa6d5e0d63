// SPDX-License-Identifier: Apache-2.0

extension Kernel {
  /// The same kernel with some places read instead of others.
  func reading(_ substitutes: [Location: Location]) -> Kernel {
    func moved(_ access: Access) -> Access {
      var access = access
      if let substitute = substitutes[access.location] { access.location = substitute }
      return access
    }
    func moved(_ map: MapKernel) -> MapKernel {
      var map = map
      map.loads = map.loads.mapValues(moved)
      return map
    }
    switch self {
    case .map(let map):
      return .map(moved(map))
    case .fold(var fold):
      fold.left = moved(fold.left)
      fold.right = fold.right.map(moved)
      fold.bias = fold.bias.map(moved)
      fold.epilogue = moved(fold.epilogue)
      return .fold(fold)
    case .sample(var sample):
      sample.source = moved(sample.source)
      return .sample(sample)
    case .cycle(let nested):
      return .cycle(nested.map { $0.reading(substitutes) })
    }
  }
}
