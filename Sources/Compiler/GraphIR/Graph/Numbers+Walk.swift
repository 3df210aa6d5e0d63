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

  /// Numbers of these in the order of a walk; where these can be let go, they are no copy.
  ///
  /// - Parameters:
  ///   - first: the number at which the walk begins.
  ///   - axes: its loops, the slowest first.
  /// - Throws: `Unavailable` where these were let go and cannot be had.
  package func walked(from first: Int, _ axes: [Axis]) throws(Unavailable) -> Numbers {
    let view = NumberView(numbers: self, first: first, axes: axes)
    guard canBeMadeAgain, Self.mayBeLetGo(view.count) else {
      return try Numbers(count: view.count) { memory throws(Unavailable) in
        try copy(from: first, axes, to: 0, of: &memory)
      }
    }
    return Numbers(view)
  }

  /// Copies numbers in the order of a walk, the slowest axis first.
  ///
  /// - Throws: `Unavailable` where they were let go and cannot be had.
  package func copy(
    from first: Int, _ axes: [Axis], to place: Int, of memory: inout MutableSpan<Float>
  ) throws(Unavailable) {
    if let view, let (first, axes) = view.walk(from: first, axes) {
      return try view.numbers.copy(from: first, axes, to: place, of: &memory)
    }
    try read { numbers in _ = numbers.copy(from: first, axes[...], to: place, of: &memory) }
  }
}

extension Span<Float> {
  /// Copies numbers in the order of a walk, the slowest axis first, and says where it ends.
  fileprivate func copy(
    from first: Int, _ axes: ArraySlice<Numbers.Axis>, to place: Int, of memory: inout MutableSpan<Float>
  ) -> Int {
    guard let axis = axes.first else {
      memory[place] = self[first]
      return place + 1
    }
    guard axes.count > 1 else {
      copyRow(from: first, axis, to: place, of: &memory)
      return place + axis.room
    }
    var place = place
    for round in 0..<axis.extent {
      place = copy(from: first + round * axis.stride, axes.dropFirst(), to: place, of: &memory)
    }
    return place
  }

  /// The innermost loop, in which nearly all time goes.
  private func copyRow(
    from first: Int, _ axis: Numbers.Axis, to place: Int, of memory: inout MutableSpan<Float>
  ) {
    guard axis.extent > 0 else { return }
    let last = first + (axis.extent - 1) * axis.stride
    precondition(first >= 0 && first < count && last >= 0 && last < count, "a walk that leaves its numbers")
    precondition(place >= 0 && place + axis.extent <= memory.count, "a walk that leaves its memory")
    unsafe withUnsafeBufferPointer { source in
      unsafe memory.withUnsafeMutableBufferPointer { target in
        let (from, to) = unsafe (source.baseAddress! + first, target.baseAddress! + place)
        guard axis.stride != 1 else { return unsafe to.update(from: from, count: axis.extent) }
        for round in 0..<axis.extent { unsafe to[round] = from[round * axis.stride] }
      }
    }
  }
}
