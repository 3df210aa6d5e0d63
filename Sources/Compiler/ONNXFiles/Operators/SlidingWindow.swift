// SPDX-License-Identifier: Apache-2.0

/// The way of a kernel along the axes of space: what convolutions and pools have in common.
///
///     x [batch, channels, n1, n2 …]    kernel [k1, k2 …]    strides, dilations, pads before and after
struct SlidingWindow {
  var kernel: [Int]
  var strides: [Int]
  var dilations: [Int]
  var before: [Int]
  var after: [Int]
  /// Of what is after, what rounding up adds, which counts for nothing.
  private(set) var added: [Int]

  /// - Parameter kernel: as the weight has it, or the attribute.
  init(_ call: ONNXCall, space: [Int], kernel: [Int]) throws(ONNXError) {
    func list(_ name: String, _ count: Int, _ standard: Int) throws(ONNXError) -> [Int] {
      let list = try call.attributes.integers(name) ?? Array(repeating: standard, count: count)
      guard list.count == count else {
        throw ONNXError("the attribute '\(name)' has \(list.count) numbers for \(space.count) axes")
      }
      guard list.allSatisfy({ (standard...1 << 24).contains($0) }) else {
        throw ONNXError("the attribute '\(name)' is \(list); numbers from \(standard) on are possible")
      }
      return list
    }
    guard kernel.count == space.count, (1...3).contains(space.count),
      kernel.allSatisfy({ (1...1 << 24).contains($0) })
    else {
      throw ONNXError("a kernel \(kernel) over \(space.count) axes is not known; it goes along 1 to 3")
    }
    if let stated = try call.attributes.integers("kernel_shape"), stated != kernel {
      throw ONNXError("the attribute 'kernel_shape' is \(stated), and the weight has \(kernel)")
    }
    self.kernel = kernel
    strides = try list("strides", space.count, 1)
    dilations = try list("dilations", space.count, 1)
    let pads = try list("pads", 2 * space.count, 0)
    (before, after) = (Array(pads[..<space.count]), Array(pads[space.count...]))
    added = space.map { _ in 0 }
    let mode = try call.attributes.text("auto_pad", "NOTSET")
    switch mode {
    case "NOTSET": break
    case "VALID": (before, after) = (space.map { _ in 0 }, space.map { _ in 0 })
    case "SAME_UPPER", "SAME_LOWER":
      for axis in space.indices {
        let outputs = (space[axis] + strides[axis] - 1) / strides[axis]
        let all = max(0, (outputs - 1) * strides[axis] + span(axis) + 1 - space[axis])
        before[axis] = mode == "SAME_UPPER" ? all / 2 : (all + 1) / 2
        after[axis] = all - before[axis]
      }
    default: throw call.unknown("auto_pad", mode, ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    }
  }

  /// Positions from the first to the last number of a kernel.
  func span(_ axis: Int) -> Int { (kernel[axis] - 1) * dilations[axis] }

  /// How many places there are along an axis of so many positions, padded.
  func count(_ axis: Int, _ extent: Int) throws(ONNXError) -> Int {
    let room = extent + before[axis] + after[axis] - span(axis) - 1
    guard room >= 0 else {
      throw ONNXError(
        "a kernel that spans \(span(axis) + 1) does not fit \(extent + before[axis] + after[axis]) positions")
    }
    return room / strides[axis] + 1
  }

  /// Whether the last places of a kernel may begin within x and end behind what is padded.
  mutating func roundUp(_ space: [Int]) throws(ONNXError) {
    for axis in space.indices {
      let whole = try count(axis, space[axis])
      let covered = (whole - 1) * strides[axis] + span(axis) + 1
      let padded = space[axis] + before[axis] + after[axis]
      // It has to begin within x or what is padded before it.
      if covered < padded, whole * strides[axis] < space[axis] + before[axis] {
        added[axis] = covered + strides[axis] - padded
        after[axis] += added[axis]
      }
    }
  }
}
