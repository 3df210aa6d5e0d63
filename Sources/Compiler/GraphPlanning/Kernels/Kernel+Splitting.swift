// SPDX-License-Identifier: Apache-2.0

extension FoldKernel {
  /// The same fold with an axis of its space walked over in two loops: over groups of so many rounds, and within one.
  ///
  /// The rows of its tile are those within a group.
  package func splitting(axis: Int, into rounds: Int) -> FoldKernel {
    var result = self
    result.left = left.splitting(axis: axis, into: rounds)
    result.right = right?.splitting(axis: axis, into: rounds)
    result.bias = bias?.splitting(axis: axis, into: rounds)
    result.epilogue = epilogue.splitting(axis: axis, into: rounds)
    result.tile = tile.renumbered { $0 >= axis ? $0 + 1 : $0 }
    return result
  }
}

extension FoldKernel {
  /// The same fold, of whose fixed innermost axis so many numbers are gone through at a time, in an axis of its own.
  ///
  ///     over i: 32 × j: 384   →   over a: 8 × i: 32 × j: 48
  ///
  /// That axis goes around all others but the one that a cycle goes through.
  func splittingInnermost(into numbers: Int) -> FoldKernel {
    guard case .count(let count) = space.inner, count % numbers == 0 else {
      preconditionFailure("the innermost axis is split into groups of one size")
    }
    let axis = space.isWalked ? 1 : 0
    func split(_ access: Access) -> Access {
      var result = access
      result.strides.insert(access.innerStride * numbers, at: axis)
      result.delayStrides.insert(0, at: axis)
      return result
    }
    var result = self
    (result.left, result.right, result.bias) = (split(left), right.map(split), bias.map(split))
    result.epilogue.loads = epilogue.loads.mapValues(split)
    result.epilogue.stores = epilogue.stores.map { Store($0.value, split($0.access)) }
    result.epilogue.space.extents.insert(count / numbers, at: axis)
    result.epilogue.space.inner = .count(numbers)
    result.tile = tile.renumbered { $0 >= axis ? $0 + 1 : $0 }
    return result
  }

  /// The same fold with an axis of its space within all others of these.
  ///
  /// The axis is not the one of its tile's rows, nor of its lines.
  func movingInside(axis: Int) -> FoldKernel {
    func moved(_ access: Access) -> Access {
      var result = access
      let last = space.extents.count - 1
      result.strides.insert(result.strides.remove(at: axis), at: last)
      result.delayStrides.insert(result.delayStrides.remove(at: axis), at: last)
      return result
    }
    precondition(tile.rounds(of: axis) == 1 && !space.isWalked, "the axis is gone through by others")
    var result = self
    (result.left, result.right, result.bias) = (moved(left), right.map(moved), bias.map(moved))
    result.epilogue.loads = epilogue.loads.mapValues(moved)
    result.epilogue.stores = epilogue.stores.map { Store($0.value, moved($0.access)) }
    result.epilogue.space.extents.append(result.epilogue.space.extents.remove(at: axis))
    result.tile = tile.renumbered { $0 > axis ? $0 - 1 : $0 }
    return result
  }
}

extension MapKernel {
  /// The same map with an axis of its space walked over in two loops; the contrary of joining them.
  package func splitting(axis: Int, into rounds: Int) -> MapKernel {
    precondition(space.extents[axis] % rounds == 0, "an axis is split into groups of one size")
    var result = self
    result.space.extents.replaceSubrange(axis...axis, with: [space.extents[axis] / rounds, rounds])
    result.loads = loads.mapValues { $0.splitting(axis: axis, into: rounds) }
    result.stores = stores.map { Store($0.value, $0.access.splitting(axis: axis, into: rounds)) }
    return result
  }
}

extension Access {
  func splitting(axis: Int, into rounds: Int) -> Access {
    var result = self
    result.strides.replaceSubrange(axis...axis, with: [strides[axis] * rounds, strides[axis]])
    result.delayStrides.replaceSubrange(axis...axis, with: [delayStrides[axis] * rounds, delayStrides[axis]])
    return result
  }
}
