// SPDX-License-Identifier: Apache-2.0

extension Numbers {
  /// A loop of a walk through numbers, so far from one another.
  package struct Axis: Hashable, Sendable {
    package let extent: Int
    package let stride: Int
    /// The room for a row of the innermost axis, whose end is left as it is.
    package let room: Int

    package init(extent: Int, stride: Int, room: Int? = nil) {
      (self.extent, self.stride, self.room) = (extent, stride, room ?? extent)
    }
  }

  /// Numbers of these in the order of a walk, which can be made again where these can: then these are let go.
  ///
  /// - Parameters:
  ///   - first: the number at which the walk begins.
  ///   - axes: its loops, the slowest first.
  /// - Throws: `Unavailable` where these were let go and cannot be had.
  package func walked(from first: Int, _ axes: [Axis]) throws(Unavailable) -> Numbers {
    let count = axes.reduce(1) { $0 * $1.extent }
    let source: Source = { [self] memory throws(Unavailable) in
      try read { numbers in
        let floats = unsafe memory.bindMemory(to: Float.self)
        var span = unsafe floats.mutableSpan
        numbers.copy(from: first, axes[...], to: 0, of: &span)
      }
      // What they become is what is read.
      letGo()
    }
    guard canBeMadeAgain else { return try unsafe Numbers(unsafeCount: count, source) }
    return try unsafe Numbers(unsafeRepeatable: count, source)
  }
}

extension Span<Float> {
  /// Copies numbers in the order of a walk, the slowest axis first, and says where it ends.
  @discardableResult
  package func copy(
    from first: Int, _ axes: ArraySlice<Numbers.Axis>, to place: Int, of memory: inout MutableSpan<Float>
  ) -> Int {
    guard let axis = axes.first else {
      memory[place] = self[first]
      return place + 1
    }
    guard axes.count > 1 else {
      // The innermost loop, in which nearly all time goes.
      for round in 0..<axis.extent { memory[place + round] = self[first + round * axis.stride] }
      return place + axis.room
    }
    var place = place
    for round in 0..<axis.extent {
      place = copy(from: first + round * axis.stride, axes.dropFirst(), to: place, of: &memory)
    }
    return place
  }
}
