// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Numbers along some axes, row-major: those of the last axis stand side by side.
package struct FloatArray: Hashable, Sendable {
  /// [] for a single number, and with a 0 for none.
  package let shape: [Int]
  /// As many as the product of the shape.
  package let numbers: [Float]

  /// The most numbers of an array that is read, or written: 1 GiB of them.
  package static let mostNumbers = 1 << 28

  package init(shape: [Int], numbers: [Float]) {
    precondition(Self.count(of: shape) == numbers.count, "an array has as many numbers as its shape says")
    (self.shape, self.numbers) = (shape, numbers)
  }

  /// How many numbers a shape has; nil where an extent is below 0, or they cannot be counted.
  package static func count(of shape: [Int]) -> Int? {
    // One that is empty is empty, however long its other axes are.
    guard shape.allSatisfy({ $0 >= 0 }) else { return nil }
    if shape.contains(0) { return 0 }
    return shape.reduce(1 as Int?) { product, extent in
      guard let (count, overflow) = product?.multipliedReportingOverflow(by: extent) else { return nil }
      return overflow ? nil : count
    }
  }

  /// The array up to a position of its first axis.
  func first(_ rows: Int) -> FloatArray {
    guard let all = shape.first, rows < all else { return self }
    let shape = [rows] + shape.dropFirst()
    return FloatArray(shape: shape, numbers: Array(numbers.prefix(Self.count(of: shape) ?? 0)))
  }

  /// The position along each axis of a number.
  package static func position(of place: Int, in shape: [Int]) -> [Int] {
    var (rest, position) = (place, [Int]())
    for extent in shape.reversed() {
      position.append(rest % extent)
      rest /= extent
    }
    return position.reversed()
  }

  /// Reads an array in npy's form.
  ///
  /// - Parameter rows: how many positions of the first axis are read; nil for all. Numbers behind them are not looked
  ///   at, but in Fortran order, where all are read; nor is the check sum of an archive.
  init(_ bytes: ArrayBytes, rows: Int? = nil) throws(TensorFileError) {
    let header = try NumPyHeader(bytes)
    let isFortran = header.isFortran && header.shape.count > 1
    var shape = header.shape
    if let rows, let all = shape.first, rows < all, !isFortran { shape[0] = rows }
    let count = Self.count(of: shape) ?? 0
    var numbers: [Float] = []
    var walk = isFortran ? FortranWalk(shape) : nil
    if walk == nil { numbers.reserveCapacity(count) } else { numbers = Array(repeating: 0, count: count) }
    var done = 0
    while done < count {
      let part = try bytes.next(min(1 << 16, (count - done) * header.element.width), "an array")
      var own: [Float] = []
      // In the order of rows they go where they stay.
      if walk == nil { swap(&own, &numbers) }
      let before = own.count
      let beyond = unsafe part.withUnsafeBytes { unsafe header.element.append($0, to: &own) }
      if let beyond {
        let place = done + own.count - before - 1
        let position =
          isFortran
          ? Self.position(of: place, in: shape.reversed()).reversed() : Self.position(of: place, in: shape)
        throw bytes.error("holds \(written(beyond)) at \(position), which is beyond all floats of 32 bits")
      }
      done += own.count - before
      if walk == nil {
        swap(&own, &numbers)
      } else {
        for number in own { numbers[walk!.next()] = number }
      }
    }
    if shape == header.shape { try bytes.end() }
    self.init(shape: shape, numbers: numbers)
  }
}

/// A walk through an array in the order in which those of the first axis stand side by side.
///
///     [2, 3]   0 3 1 4 2 5      where each number stands in the order of rows
private struct FortranWalk {
  private let shape: [Int]
  /// From one number of an axis to the next.
  private let steps: [Int]
  private var index: [Int]
  private var place = 0

  init(_ shape: [Int]) {
    var (steps, step) = ([Int](), 1)
    for extent in shape.reversed() {
      steps.append(step)
      // Of an array without numbers it may be any.
      step = step &* extent
    }
    (self.shape, self.steps, index) = (shape, steps.reversed(), shape.map { _ in 0 })
  }

  /// The place of the next number.
  mutating func next() -> Int {
    defer {
      for axis in shape.indices {
        index[axis] += 1
        place += steps[axis]
        if index[axis] < shape[axis] { break }
        place -= steps[axis] * shape[axis]
        index[axis] = 0
      }
    }
    return place
  }
}
