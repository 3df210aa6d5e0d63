// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Pads are attributes below version 11, and operands from then on; negative ones cut off.
  static func pad(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    guard let pads = try call.integers("pads", orOperand: 1) else { throw ONNXError("it needs pads") }
    let axes = try call.axes(try call.integers(3, "the axes") ?? Array(x.shape.indices), rank: x.rank)
    guard pads.count == 2 * axes.count else {
      throw ONNXError("it has \(pads.count) pads for \(axes.count) axes")
    }
    let mode = try call.attributes.text("mode", "constant")
    var value = call.opset < 11 ? try call.attributes.float("value", 0) : 0
    if call.has(2) { value = try call.constant(2, "what pads").single ?? 0 }
    guard ["constant", "reflect", "edge", "wrap"].contains(mode) else {
      throw call.unknown("mode", mode, ["constant", "reflect", "edge", "wrap"])
    }
    var result = x
    for (row, axis) in axes.enumerated() {
      let (all, most) = ([pads[row], pads[axes.count + row]], 1 << 24)
      func misfit() -> ONNXError {
        ONNXError("pads of \(all[0]) and \(all[1]) do not fit axis \(axis) of \(x.shape)")
      }
      guard all.allSatisfy((-most...most).contains) else { throw misfit() }
      // Pads below 0 cut off first; the rest is padded.
      let extent = result.shape[axis] + all.reduce(0) { $0 + min($1, 0) }
      let (before, after) = (max(all[0], 0), max(all[1], 0))
      guard extent >= (mode == "constant" ? 0 : 1), extent + before + after >= 1 else { throw misfit() }
      result = try call.slice(result, axis: axis, start: max(-all[0], 0), count: extent)
      if mode == "constant" {
        result = try call.pad(result, axis: axis, before, after, with: value)
      } else if before + after > 0 {
        let most = 1 << 22
        guard extent + before + after <= most else {
          throw ONNXError("an axis of \(extent + before + after) padded by others; \(most) are the most")
        }
        let positions = (-before..<extent + after).map { place in
          switch mode {
          case "edge": min(max(place, 0), extent - 1)
          case "wrap": (place % extent + extent) % extent
          default: reflected(place, extent)
          }
        }
        result = try call.take(result, axis: axis, positions)
      }
    }
    return result
  }

  /// There and back between the first and the last position, neither of which comes twice.
  private static func reflected(_ place: Int, _ extent: Int) -> Int {
    guard extent > 1 else { return 0 }
    let period = 2 * (extent - 1)
    let rest = (place % period + period) % period
    return rest < extent ? rest : period - rest
  }
}

extension ONNXCall {
  /// A number before and after along an axis.
  func pad(
    _ x: ONNXValue, axis: Int, _ before: Int, _ after: Int, with number: Double = 0
  ) throws(ONNXError) -> ONNXValue {
    guard before > 0 || after > 0 else { return x }
    var shape = x.shape
    shape[axis] += before + after
    try Self.check(shape)
    if number == 0 {
      let counts = [("before", before), ("after", after)].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
      return .expression(
        "pad(\(try text(x).unbracketed), axis: \(axis), \(counts.joined(separator: ", ")))", x.element, shape)
    }
    func stretch(_ count: Int) throws(ONNXError) -> [ONNXValue] {
      var shape = x.shape
      shape[axis] = count
      guard count > 0 else { return [] }
      return [.expression("broadcast(\(Self.text(number).unbracketed), \(shape))", x.element, shape)]
    }
    return try concatenate(try stretch(before) + [x] + stretch(after), axis: axis)
  }
}
