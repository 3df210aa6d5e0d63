// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension MapKernel {
  /// The same map with those fixed axes joined over which every access has one stride, the innermost one included.
  package var collapsed: MapKernel {
    var result = self
    // What a cycle goes through stays apart.
    var axis = space.isWalked ? 1 : 0
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
    result.joinInnermost()
    return result
  }

  /// Joins the last axis with an innermost one of numbers, where every access goes on from one to the next.
  private mutating func joinInnermost() {
    guard case .count(let count) = space.inner, space.extents.count > (space.isWalked ? 1 : 0),
      let extent = space.extents.last, count > 1,
      (Array(loads.values) + stores.map(\.access)).allSatisfy({
        $0.strides.last == $0.innerStride * count && $0.delayStrides.last == 0 && $0.index == nil
      })
    else { return }
    space.inner = .count(extent * count)
    space.extents.removeLast()
    func joined(_ access: Access) -> Access {
      var access = access
      access.strides.removeLast()
      access.delayStrides.removeLast()
      return access
    }
    loads = loads.mapValues(joined)
    stores = stores.map { Store($0.value, joined($0.access)) }
  }
}

extension MapKernel {
  /// The same map in these loops, where each of its own is one of them or several; nil where it is not.
  ///
  ///     map over i: 12 × frames, in the loops of i: 3 × j: 4 × frames
  ///       load x from buffer 0[i]           load x from buffer 0[4i + j]
  func walked(over space: Space) -> MapKernel? {
    var result = self
    for (axis, extent) in space.extents.enumerated() {
      guard axis < result.space.extents.count, result.space.extents[axis] % extent == 0 else { return nil }
      let rounds = result.space.extents[axis] / extent
      if rounds > 1 { result = result.splitting(axis: axis, into: rounds) }
    }
    return result.space == space ? result : nil
  }
}
