// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

extension ONNXOperator {
  /// Ops that are known while the model is translated, whatever goes in.
  static let constants: [String: ONNXOperator] = [
    "Constant": .init(single: given),
    "ConstantOfShape": .init(single: filled),
    "Range": .init(single: range),
    "EyeLike": .init(single: eye),
    "NonZero": .init(single: nonZero),
    "Size": .init(
      single: { call throws(ONNXError) in
        ONNXValue(ONNXConstant(.int64, [], .integers([Int64(try call.operand(0).count)])))
      }),
    "Shape": .init(
      single: { call throws(ONNXError) in
        let shape = try call.operand(0).shape
        func bound(_ name: String, _ standard: Int) throws(ONNXError) -> Int {
          let number = try call.attributes.integer(name, standard)
          return min(max(number < 0 ? number + shape.count : number, 0), shape.count)
        }
        let (start, end) = (try bound("start", 0), try bound("end", shape.count))
        return ONNXValue(ONNXConstant(start < end ? Array(shape[start..<end]) : []))
      }),
    "HannWindow": window { 0.5 - 0.5 * cos($0) },
    "HammingWindow": window { 25.0 / 46 - 21.0 / 46 * cos($0) },
    "BlackmanWindow": window { 0.42 - 0.5 * cos($0) + 0.08 * cos(2 * $0) },
    "MelWeightMatrix": .init(single: melWeights),
  ]

  private static func given(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let attributes = call.attributes
    func integers(_ numbers: [Int], _ shape: [Int]) -> ONNXValue {
      ONNXValue(ONNXConstant(.int64, shape, .integers(numbers.map { Int64($0) })))
    }
    if let tensor = try attributes.tensor("value") {
      var constant = try call.source.constant(tensor)
      constant.name = constant.count > 1 ? call.wish : nil
      return ONNXValue(constant)
    }
    if let number = try attributes.float("value_float") {
      return ONNXValue(ONNXConstant(.float, [], .doubles([number])))
    }
    if let number = try attributes.integer("value_int") { return integers([number], []) }
    if let numbers = try attributes.floats("value_floats") {
      return ONNXValue(ONNXConstant(.float, [numbers.count], .doubles(numbers)))
    }
    if let numbers = try attributes.integers("value_ints") { return integers(numbers, [numbers.count]) }
    throw ONNXError(
      "it holds no numbers: texts and tensors of which only some numbers are stored are not known")
  }

  private static func filled(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let shape = try call.integers(0, "the shape") ?? []
    let count = try shape.numbers(of: "a constant")
    var value = ONNXConstant(.float, [1], .doubles([0]))
    if let tensor = try call.attributes.tensor("value") { value = try call.source.constant(tensor) }
    guard value.count == 1 else { throw ONNXError("the attribute 'value' must be one number") }
    try call.source.take(count)
    return ONNXValue(try value.strided(shape, Array(repeating: 0, count: shape.count)))
  }

  private static func range(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let element = try call.operand(0).element
    let bounds = try (0..<3).map { index throws(ONNXError) in try call.constant(index, "a bound") }
    guard let start = bounds[0].single, let limit = bounds[1].single, let step = bounds[2].single, step != 0
    else {
      throw ONNXError("its start, limit and step must be single numbers, and the step not 0")
    }
    let count = max(0, ((limit - start) / step).rounded(.up))
    guard count <= Double(Limits.extent) else {
      throw ONNXError("it would have more than \(Limits.extent) numbers")
    }
    try call.source.take(Int(count))
    let numbers = (0..<Int(count)).map { start + Double($0) * step }
    return ONNXValue(ONNXConstant(element, [numbers.count], computed: numbers))
  }

  private static func eye(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let element = try call.attributes.element("dtype") ?? x.element
    let k = try call.attributes.integer("k", 0)
    guard x.rank == 2 else { throw ONNXError("it takes a matrix, not \(x.shape)") }
    try call.source.take(x.count)
    let numbers = (0..<x.shape[0]).flatMap { row in
      (0..<x.shape[1]).map { column in column &- row == k ? 1 as Int64 : 0 }
    }
    return ONNXValue(ONNXConstant(element, x.shape, .integers(numbers)))
  }

  private static func nonZero(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.constant(0, "the input")
    let numbers = x.doubles
    let found = numbers.indices.filter { numbers[$0] != 0 }
    try call.source.take(found.count * x.shape.count)
    let places = zip(x.shape, x.shape.rowMajorStrides).flatMap { extent, stride in
      found.map { Int64($0 / stride % extent) }
    }
    return ONNXValue(ONNXConstant(.int64, [x.shape.count, found.count], .integers(places)))
  }

  /// A window by the formula of its numbers' angles.
  private static func window(_ formula: @escaping @Sendable (Double) -> Double) -> ONNXOperator {
    .init(
      single: { call throws(ONNXError) in
        let size = try call.constant(0, "the size").single ?? 0
        let isPeriodic = try call.attributes.flag("periodic", true)
        guard (1...Double(Limits.extent)).contains(size) else {
          throw ONNXError("a window of \(size) numbers")
        }
        try call.source.take(Int(size))
        let period = isPeriodic ? size : max(1, size - 1)
        let numbers = (0..<Int(size)).map { formula(2 * .pi * Double($0) / period) }
        return ONNXValue(
          ONNXConstant(
            try call.attributes.element("output_datatype") ?? .float, [numbers.count], .doubles(numbers)))
      })
  }

  /// Triangles over the bins of a spectrum, evenly spaced in mel (2595 log10(1 + f / 700)).
  private static func melWeights(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let numbers = try (0..<5).map { index throws(ONNXError) in
      try call.constant(index, "input \(index + 1)").single ?? 0
    }
    let (bands, size, rate, low, high) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    guard (1...4096).contains(bands), (1...Double(1 << 20)).contains(size), rate > 0, low >= 0, high > low,
      high <= 1e12
    else {
      throw ONNXError(
        "a matrix of \(bands) bands over a spectrum of \(size) from \(low) to \(high) Hz is not known")
    }
    let bins = Int(size) / 2 + 1
    try call.source.take(bins * Int(bands))
    func mel(_ frequency: Double) -> Double { 2595 * log10(1 + frequency / 700) }
    let step = (mel(high) - mel(low)) / (bands + 2)
    let edges = (0..<Int(bands) + 2).map { index in
      let frequency = 700 * (pow(10, (mel(low) + Double(index) * step) / 2595) - 1)
      return Int(min(((size + 1) * frequency / rate).rounded(.down), 0x1p40))
    }
    var weights = [Double](repeating: 0, count: bins * Int(bands))
    for band in 0..<Int(bands) {
      let (lower, center, upper) = (edges[band], edges[band + 1], edges[band + 2])
      if center == lower, center < bins { weights[center * Int(bands) + band] = 1 }
      for bin in lower..<max(lower, min(center + 1, bins)) where center > lower {
        weights[bin * Int(bands) + band] = Double(bin - lower) / Double(center - lower)
      }
      for bin in center..<max(center, min(upper, bins)) where upper > center {
        weights[bin * Int(bands) + band] = Double(upper - bin) / Double(upper - center)
      }
    }
    return ONNXValue(
      ONNXConstant(
        try call.attributes.element("output_datatype") ?? .float, [bins, Int(bands)], .doubles(weights)))
  }
}
