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

  /// Reads an array in npy's form.
  init(_ bytes: ArrayBytes) throws(TensorFileError) {
    let header = try NumPyHeader(bytes)
    var numbers: [Float] = []
    numbers.reserveCapacity(header.count)
    while numbers.count < header.count {
      let part = try bytes.next(min(1 << 16, bytes.count - bytes.place), "an array")
      if let beyond = unsafe part.withUnsafeBytes({ unsafe header.element.append($0, to: &numbers) }) {
        throw bytes.error("holds \(written(beyond)), which is beyond all floats of 32 bits")
      }
    }
    try bytes.end()
    if header.isFortran, header.shape.count > 1 {
      self.init(fortran: numbers, shape: header.shape)
    } else {
      self.init(shape: header.shape, numbers: numbers)
    }
  }

  /// The same numbers in the order of rows, of an array in which those of the first axis stand side by side.
  init(fortran numbers: [Float], shape: [Int]) {
    // From one number of an axis to the next.
    var steps: [Int] = []
    _ = shape.reduce(1) { step, extent in
      steps.append(step)
      // Of an array without numbers it may be any.
      return step &* extent
    }
    var (place, index) = (0, [Int](repeating: 0, count: shape.count))
    let rows = numbers.indices.map { _ in
      defer {
        for axis in shape.indices.reversed() {
          index[axis] += 1
          place += steps[axis]
          if index[axis] < shape[axis] { break }
          place -= steps[axis] * shape[axis]
          index[axis] = 0
        }
      }
      return numbers[place]
    }
    self.init(shape: shape, numbers: rows)
  }
}
