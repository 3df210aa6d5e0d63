// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ONNXOperator {
  /// Ops that resample.
  static let spaces: [String: ONNXOperator] = [
    "Resize": .init(single: resize),
    "Upsample": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let scales =
          call.has(1)
          ? try call.constant(1, "the scales").doubles : try call.attributes.floats("scales") ?? []
        guard scales.count == x.rank else { throw ONNXError("\(scales.count) scales for \(x.rank) axes") }
        let mode = try call.attributes.text("mode", "nearest")
        guard ["nearest", "linear"].contains(mode) else {
          throw call.unknown("mode", mode, ["nearest", "linear"])
        }
        let way = Resampling(mode: mode, coordinates: "asymmetric", nearest: "floor")
        var result = x
        for (axis, scale) in scales.enumerated() {
          let count = try size(x.shape[axis], by: scale)
          result = try way.apply(to: result, axis: axis, count: count, scale: scale, call)
        }
        return try way.settled(result, call)
      }),
  ]

  /// As many positions as the product has in the floats that scales are: 10 by 0.7 are 7.
  private static func size(_ extent: Int, by scale: Double) throws(ONNXError) -> Int {
    try size(Double(Float(extent) * Float(scale)))
  }

  private static func size(_ number: Double) throws(ONNXError) -> Int {
    guard (1...Double(1 << 24)).contains(number) else {
      throw ONNXError("an axis would have \(Int64(clamping: number)) positions; 1 to \(1 << 24) can be")
    }
    return Int(number.rounded(.down))
  }

  /// Each axis by itself: all modes are linear in the numbers.
  private static func resize(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let attributes = call.attributes
    // Below version 11 there are scales only, as of Upsample.
    let isOld = call.opset < 11
    let scaleRow = isOld ? 1 : 2
    let axes = try call.axes(try attributes.integers("axes") ?? Array(x.shape.indices), rank: x.rank)
    var scales = call.has(scaleRow) ? try call.constant(scaleRow, "the scales").doubles : []
    var sizes = isOld ? [] : try call.integers(3, "the sizes") ?? []
    var isStretched = false
    if !sizes.isEmpty {
      guard sizes.count == axes.count else { throw ONNXError("\(sizes.count) sizes for \(axes.count) axes") }
      scales = zip(sizes, axes).map { Double($0) / Double(x.shape[$1]) }
      let policy = try attributes.text("keep_aspect_ratio_policy", "stretch")
      switch policy {
      case "stretch": isStretched = true
      case "not_larger", "not_smaller":
        let scale = (policy == "not_larger" ? scales.min() : scales.max()) ?? 1
        scales = scales.map { _ in scale }
        sizes = try axes.map { axis throws(ONNXError) in
          try size((Double(x.shape[axis]) * scale + 0.5).rounded(.down))
        }
      default:
        throw call.unknown("keep_aspect_ratio_policy", policy, ["stretch", "not_larger", "not_smaller"])
      }
    }
    guard scales.count == axes.count else { throw ONNXError("\(scales.count) scales for \(axes.count) axes") }
    var way = Resampling(
      mode: try attributes.text("mode", "nearest"),
      coordinates: try attributes.text("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel"),
      nearest: isOld ? "floor" : try attributes.text("nearest_mode", "round_prefer_floor"),
      cubic: try attributes.float("cubic_coeff_a", -0.75),
      excludesOutside: try attributes.flag("exclude_outside"), isSmooth: try attributes.flag("antialias"),
      isStretched: isStretched)
    for (row, axis) in axes.enumerated() {
      let count =
        sizes.isEmpty ? try size(x.shape[axis], by: scales[row]) : try size(Double(sizes[row]))
      // Of an axis that gets shorter, version 10 read what follows.
      if isOld { way.nearest = scales[row] < 1 ? "ceil" : "floor" }
      x = try way.apply(to: x, axis: axis, count: count, scale: scales[row], call)
    }
    return try way.settled(x, call)
  }
}

/// A way of reading an axis at other positions than it has.
private struct Resampling {
  var mode: String
  var coordinates: String
  var nearest: String
  var cubic = -0.75
  var excludesOutside = false
  /// Whether an axis that gets shorter is smoothed.
  var isSmooth = false
  /// Whether the scale is that of the extents, a quotient that no float need hold.
  var isStretched = false

  /// The result as the kind of numbers that it is: integers have no fractions, and stay within their range.
  func settled(_ x: ONNXValue, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    guard mode != "nearest", x.element.kind == .integer else { return x }
    let whole = x.element.whole(try call.text(x))
    return .expression(
      x.element.smallRange.map { "clamp(\(whole), \($0.lowerBound), \($0.upperBound))" } ?? whole, x.element,
      x.shape)
  }

  /// The axis with so many positions.
  func apply(
    to x: ONNXValue, axis: Int, count: Int, scale: Double, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXValue {
    try ONNXCall.check(x.shape)
    let extent = x.shape[axis]
    if count == extent, scale == 1 { return x }
    var places: [Double] = []
    for position in 0..<count { places.append(try place(position, count, extent, scale, call)) }
    switch mode {
    case "nearest":
      let positions = try places.map { place throws(ONNXError) in
        min(max(try Self.rounded(place, nearest, call), 0), extent - 1)
      }
      return try call.take(x, axis: axis, positions)
    case "linear", "cubic":
      guard count * extent <= 1 << 24 else {
        throw ONNXError("an axis of \(extent) resampled to \(count) is too long")
      }
      var weights = [Double](repeating: 0, count: count * extent)
      for (row, place) in places.enumerated() {
        let stretch = isSmooth ? max(1, 1 / scale) : 1
        let reach = (mode == "linear" ? 1 : 2) * stretch
        guard place.magnitude < 0x1p30, reach < 0x1p24 else {
          throw ONNXError("a scale of \(scale) is too small for an axis of \(extent)")
        }
        var taps = (Int((place - reach).rounded(.up))...Int((place + reach).rounded(.down))).map {
          ($0, kernel((place - Double($0)) / stretch))
        }
        if excludesOutside { taps = taps.filter { (0..<extent).contains($0.0) } }
        if excludesOutside || stretch > 1 {
          let sum = taps.reduce(0) { $0 + $1.1 }
          taps = taps.map { ($0.0, $0.1 / sum) }
        }
        for (position, weight) in taps { weights[row * extent + min(max(position, 0), extent - 1)] += weight }
      }
      let matrix = try call.array("resampling", [count, extent], weights)
      var shape = x.shape
      shape[axis] = count
      try ONNXCall.check(shape)
      return .expression(
        "dense(\(try call.text(x).unbracketed), \(try call.text(matrix)), axis: \(axis))", x.element, shape)
    default: throw call.unknown("mode", mode, ["nearest", "linear", "cubic"])
    }
  }

  /// The position in the axis as it was.
  private func place(
    _ position: Int, _ count: Int, _ extent: Int, _ scale: Double, _ call: ONNXCall
  ) throws(ONNXError) -> Double {
    let x = Double(position)
    func unscaled(_ x: Double) -> Double {
      isStretched ? x * Double(extent) / Double(count) : x / scale
    }
    switch coordinates {
    case "half_pixel": return unscaled(x + 0.5) - 0.5
    case "half_pixel_symmetric":
      // The scale that is asked for may not be the one of whole positions.
      let adjustment = Double(count) / (scale * Double(extent))
      return Double(extent) / 2 * (1 - adjustment) + unscaled(x + 0.5) - 0.5
    case "pytorch_half_pixel": return count > 1 ? unscaled(x + 0.5) - 0.5 : 0
    case "align_corners":
      // As the reference has it: by the extent that the scale asks for, which need not be whole.
      let wanted = isStretched ? Double(count) : scale * Double(extent)
      return count > 1 ? x * Double(extent - 1) / (wanted - 1) : 0
    case "asymmetric": return unscaled(x)
    default:
      throw call.unknown(
        "coordinate_transformation_mode", coordinates,
        ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"])
    }
  }

  private static func rounded(_ place: Double, _ mode: String, _ call: ONNXCall) throws(ONNXError) -> Int {
    switch mode {
    case "round_prefer_floor": return Int((place - 0.5).rounded(.up))
    case "round_prefer_ceil": return Int((place + 0.5).rounded(.down))
    case "floor": return Int(place.rounded(.down))
    case "ceil": return Int(place.rounded(.up))
    default:
      throw call.unknown("nearest_mode", mode, ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    }
  }

  /// The weight of a number so far away; cubic after Keys (1981).
  private func kernel(_ distance: Double) -> Double {
    let (s, a) = (abs(distance), cubic)
    if mode == "linear" { return max(0, 1 - s) }
    if s <= 1 { return ((a + 2) * s - (a + 3)) * s * s + 1 }
    return s < 2 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : 0
  }
}
