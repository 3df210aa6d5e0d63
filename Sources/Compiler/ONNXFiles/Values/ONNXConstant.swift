// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A tensor that is known while a model is translated: weights, and what is computed of shapes.
struct ONNXConstant: Sendable {
  enum Content: Sendable {
    /// Learned numbers, and integers that floats hold exactly.
    case floats(Numbers)
    case doubles([Double])
    /// Integers, and truths as 0 or 1.
    case integers([Int64])
  }

  /// The name of the tensor in the file that holds exactly these numbers.
  var name: String?
  var element: ONNXElement
  /// An extent may be 0 here.
  var shape: [Int]
  var content: Content

  init(_ element: ONNXElement, _ shape: [Int], _ content: Content, name: String? = nil) {
    (self.name, self.element, self.shape, self.content) = (name, element, shape, content)
  }

  /// Integers along one axis, as shapes are.
  init(_ integers: [Int]) {
    self.init(.int64, [integers.count], .integers(integers.map { Int64($0) }))
  }

  /// Numbers that were computed in double precision: of floats those of their kind, of integers without a fraction.
  init(_ element: ONNXElement, _ shape: [Int], computed numbers: [Double]) {
    self.init(
      element, shape,
      element.kind == .floating
        ? .doubles(numbers.map(element.rounding)) : .integers(numbers.map { Int64(clamping: $0) }))
  }

  /// So many zeros.
  init(_ element: ONNXElement, _ shape: [Int], zeros count: Int) {
    self.init(
      element, shape,
      element.kind == .floating
        ? .doubles(Array(repeating: 0, count: count)) : .integers(Array(repeating: 0, count: count)))
  }

  var count: Int {
    switch content {
    case .floats(let numbers): numbers.count
    case .doubles(let numbers): numbers.count
    case .integers(let numbers): numbers.count
    }
  }

  /// All numbers, in double precision.
  var doubles: [Double] {
    switch content {
    case .floats(let numbers): numbers.map { Double($0) }
    case .doubles(let numbers): numbers
    case .integers(let numbers): numbers.map { Double($0) }
    }
  }

  /// All numbers, of which those with a fraction lose it.
  var integers: [Int64] {
    switch content {
    case .floats(let numbers): numbers.map { Int64(clamping: $0) }
    case .doubles(let numbers): numbers.map { Int64(clamping: $0) }
    case .integers(let numbers): numbers
    }
  }

  /// The numbers as a program reads them.
  var floats: Numbers {
    switch content {
    case .floats(let numbers): numbers
    case .doubles(let numbers): Numbers(numbers.map { Float($0) })
    case .integers(let numbers): Numbers(numbers.map { Float($0) })
    }
  }

  /// The only number; nil where there are more, or none.
  var single: Double? {
    guard count == 1 else { return nil }
    return switch content {
    case .floats(let numbers): Double(numbers[0])
    case .doubles(let numbers): numbers[0]
    case .integers(let numbers): Double(numbers[0])
    }
  }

  /// The same numbers under another shape of as many.
  func reshaped(_ shape: [Int]) -> ONNXConstant {
    var result = self
    result.shape = shape
    return result
  }

  /// Numbers of this one, by their positions.
  func gathered(_ shape: [Int], _ positions: [Int]) -> ONNXConstant {
    let content: Content =
      switch content {
      case .floats(let numbers): .floats(positions.count) { numbers[positions[$0]] }
      case .doubles(let numbers): .doubles(positions.map { numbers[$0] })
      case .integers(let numbers): .integers(positions.map { numbers[$0] })
      }
    return ONNXConstant(element, shape, content)
  }

  /// Numbers of this one that are so far apart along each axis.
  ///
  /// Of many the order is kept, not the positions: the file says them once more.
  func strided(_ shape: [Int], _ strides: [Int], from offset: Int = 0) throws(ONNXError) -> ONNXConstant {
    guard case .floats(let numbers) = content, numbers.canBeMadeAgain else {
      return gathered(shape, StridedPositions(shape, strides, from: offset).all)
    }
    do throws(Numbers.Unavailable) {
      let axes = zip(shape, strides).map { Numbers.Axis(extent: $0, stride: $1) }
      return ONNXConstant(element, shape, .floats(try numbers.walked(from: offset, axes)))
    } catch {
      throw ONNXError(error.message)
    }
  }
}

/// The positions of numbers that are so far apart along each axis, the last axis fastest.
struct StridedPositions {
  let all: [Int]

  init(_ shape: [Int], _ strides: [Int], from offset: Int = 0) {
    var positions = [offset]
    for (extent, stride) in zip(shape, strides) {
      var next: [Int] = []
      next.reserveCapacity(positions.count * extent)
      for position in positions {
        for index in 0..<extent { next.append(position + index * stride) }
      }
      positions = next
    }
    all = positions
  }
}

extension Int64 {
  /// The integer of a number without its fraction, as near as there is one; 0 for what is no number.
  init(clamping number: some BinaryFloatingPoint) {
    if number.isNaN {
      self = 0
    } else if number >= 0x1p63 {
      self = .max
    } else {
      self = number < -0x1p63 ? .min : Int64(number)
    }
  }
}

extension [Int] {
  /// The product of extents, of which any may be 0; nil where it is above what a value can have.
  var numbers: Int? {
    var result = 1
    for extent in self where extent != 0 {
      guard 1...Limits.extent ~= extent, result <= Limits.elements / extent else { return nil }
      result *= extent
    }
    return contains(0) ? 0 : result
  }

  /// The product of the extents of something; a shape that nothing can have is refused.
  func numbers(of what: String) throws(ONNXError) -> Int {
    guard count <= Limits.rank else {
      throw ONNXError("\(what) would have \(count) axes; \(Limits.rank) are the most")
    }
    guard let numbers else {
      throw ONNXError("\(what) would have the shape \(self); \(filter { $0 != 0 }.limit)")
    }
    return numbers
  }
}
