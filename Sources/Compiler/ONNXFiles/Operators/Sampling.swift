// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Numbers of an image, or of any grid, at places that are computed.
///
///     x [batch, channels, extents…]   grid [batch, result…, axes], from -1 to 1, the last axis first   →
///     x [batch · positions, channels]   rows at the places around, times their weights   →   [batch, channels, result…]
extension ONNXOperator {
  static let sampling: [String: ONNXOperator] = ["GridSample": .init(single: gridSample)]

  private static func gridSample(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, grid) = (try call.operand(0), try call.operand(1))
    let axes = x.rank - 2
    guard (1...3).contains(axes), grid.rank == x.rank, grid.shape.last == axes, grid.shape[0] == x.shape[0]
    else {
      throw ONNXError("a grid \(grid.shape) does not fit \(x.shape)")
    }
    let result = Array(grid.shape[1..<grid.rank - 1])
    let places = Array(grid.shape.dropLast())
    let sampling = try Sampling(call)
    var taps: [[Sampling.Tap]] = []
    for axis in 0..<axes {
      let own = try call.reshape(
        try call.slice(grid, axis: grid.rank - 1, start: axes - 1 - axis, count: 1), places)
      taps.append(try sampling.taps(own, extent: x.shape[2 + axis], "axis\(axis)", call))
    }
    let positions = x.shape[2...].reduce(1, *)
    let order = [0] + Array(2..<x.rank) + [1]
    let rows = try call.line(
      "rows", try call.reshape(try call.transpose(x, order), [x.shape[0] * positions, x.shape[1]]))
    let begins = try call.text(
      try call.array(
        "begins", [x.shape[0]] + result.map { _ in 1 }, (0..<x.shape[0]).map { Double($0 * positions) }))
    // Every choice of one place along each axis.
    let corners = taps.reduce([[]]) { corners, taps in
      corners.flatMap { corner in taps.map { corner + [$0] } }
    }
    var terms: [String] = []
    for corner in corners {
      let place = zip(corner, x.shape[2...]).dropFirst().reduce(corner[0].place) {
        "(\($0) * \($1.1) + \($1.0.place))"
      }
      let found = "gather(\(try call.text(rows)), \(begins) + \(place), axis: 0)"
      let weights = corner.compactMap(\.weight)
      guard !weights.isEmpty else {
        terms.append(found)
        continue
      }
      terms.append("\(found) * reshape(\(weights.joined(separator: " * ")), \(places + [1]))")
    }
    let sum = ONNXValue.expression(terms.joined(separator: " + "), x.element, places + [x.shape[1]])
    return try call.transpose(try call.line("sampled", sum), [0, places.count] + Array(1..<places.count))
  }
}

/// How numbers between positions, and beyond the ends, are made.
private struct Sampling {
  let mode: String
  let padding: String
  let alignsCorners: Bool

  /// A position along one axis with its weight, both one number for each place; without a weight it counts whole.
  struct Tap {
    let place: String
    let weight: String?
  }

  init(_ call: ONNXCall) throws(ONNXError) {
    mode = try call.attributes.text("mode", "linear")
    padding = try call.attributes.text("padding_mode", "zeros")
    alignsCorners = try call.attributes.flag("align_corners")
    let modes = ["linear", "nearest", "cubic", "bilinear", "bicubic"]
    guard modes.contains(mode) else { throw call.unknown("mode", mode, modes) }
    let paddings = ["zeros", "border", "reflection"]
    guard paddings.contains(padding) else { throw call.unknown("padding_mode", padding, paddings) }
  }

  /// The positions around each place.
  func taps(
    _ grid: ONNXValue, extent: Int, _ name: String, _ call: ONNXCall
  ) throws(ONNXError) -> [Tap] {
    let text = try call.text(grid)
    func line(_ suffix: String, _ text: String) throws(ONNXError) -> String {
      try call.text(try call.line("\(name)_\(suffix)", .expression(text, grid.element, grid.shape)))
    }
    let place = try line(
      "place", alignsCorners ? "(\(text) + 1) * \(half(extent - 1))" : "(\(text) + 1) * \(half(extent)) - 0.5"
    )
    if mode == "nearest" {
      let nearest = try line("nearest", "round(\(place))")
      return [Tap(place: kept(nearest, extent), weight: weight(nil, at: nearest, extent))]
    }
    let first = try line("first", "floor(\(place))")
    let share = try line("share", "\(place) - \(first)")
    let isCubic = mode.hasSuffix("cubic")
    return (isCubic ? Array(-1...2) : [0, 1]).map { offset in
      let position = offset == 0 ? first : "(\(first) + \(offset))"
      let own =
        isCubic
        ? cubic("abs(\(share) - \(offset))", isNear: offset == 0 || offset == 1)
        : offset == 0 ? "(1 - \(share))" : share
      return Tap(place: kept(position, extent), weight: weight(own, at: position, extent))
    }
  }

  private func half(_ extent: Int) -> String { ONNXCall.text(Double(extent) / 2) }

  /// Keys (1981) with -0.75: up to a distance of 1, or between 1 and 2.
  private func cubic(_ s: String, isNear: Bool) -> String {
    isNear
      ? "((1.25 * \(s) - 2.25) * \(s) * \(s) + 1)" : "(((-0.75 * \(s) + 3.75) * \(s) - 6) * \(s) + 3)"
  }

  /// A position within the axis.
  private func kept(_ position: String, _ extent: Int) -> String {
    guard padding == "reflection", extent > 1 else { return "clamp(\(position), 0, \(extent - 1))" }
    // Mirrors stand at the centres of the ends, or at their edges.
    let (low, range) = alignsCorners ? (0.0, Double(extent - 1)) : (-0.5, Double(extent))
    let turn =
      "abs((\(position) - \(ONNXCall.text(low))) % \(ONNXCall.text(2 * range)) - \(ONNXCall.text(range)))"
    return "(\(ONNXCall.text(low + range)) - \(turn))"
  }

  /// A weight, which is zero beyond the ends where zeros stand there.
  private func weight(_ own: String?, at position: String, _ extent: Int) -> String? {
    guard padding == "zeros" else { return own }
    let isWithin = "(\(position) >= 0) * (\(position) < \(extent))"
    return own.map { "\($0) * \(isWithin)" } ?? isWithin
  }
}
