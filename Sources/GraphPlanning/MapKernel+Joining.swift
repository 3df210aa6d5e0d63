// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension MapKernel {
  /// The same map with fixed axes joined that every access walks over as if they were one.
  package var collapsed: MapKernel {
    var result = self
    var axis = 0
    while axis + 1 < result.space.extents.count {
      let inner = result.space.extents[axis + 1]
      let joins = (Array(result.loads.values) + result.stores.map(\.access)).allSatisfy {
        $0.strides[axis] == $0.strides[axis + 1] * inner
          && $0.delayStrides[axis] == $0.delayStrides[axis + 1] * inner
      }
      guard joins else {
        axis += 1
        continue
      }
      result.space.extents[axis] *= inner
      result.space.extents.remove(at: axis + 1)
      func joined(_ access: Access) -> Access {
        var access = access
        access.strides.remove(at: axis)
        access.delayStrides.remove(at: axis)
        return access
      }
      result.loads = result.loads.mapValues(joined)
      result.stores = result.stores.map { Store($0.value, joined($0.access)) }
    }
    return result
  }
}
