// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  static let signals: [String: ONNXOperator] = [
    "DFT": .init(single: fourier),
    "STFT": .init(single: shortTime),
  ]

  private static func fourier(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    guard x.rank >= 3, let parts = x.shape.last, (1...2).contains(parts) else {
      throw ONNXError("it takes [batch, …, 1 or 2], not \(x.shape)")
    }
    // An attribute below version 20, and an operand from then on.
    let number =
      call.opset < 20
      ? try call.attributes.integer("axis", 1)
      : Int(call.has(2) ? try call.constant(2, "the axis").integers.first ?? -2 : -2)
    let axis = try ONNXCall.axis(number, rank: x.rank)
    let (isInverse, isOneSided) = (try call.attributes.flag("inverse"), try call.attributes.flag("onesided"))
    // Half a spectrum is that of real numbers: what goes in of an inverse, and what comes out otherwise.
    let isReal = isInverse && isOneSided
    let size =
      call.has(1)
      ? Int(try call.constant(1, "the length").integers.first ?? 0)
      : isReal ? 2 * (x.shape[axis] - 1) : x.shape[axis]
    guard axis < x.rank - 1, !isReal || parts == 2 else {
      throw ONNXError("a transform of \(x.shape) along axis \(axis) is not known")
    }
    try check(size)
    let taken = isReal ? size / 2 + 1 : size
    var signal = x
    if taken < x.shape[axis] { signal = try call.slice(x, axis: axis, start: 0, count: taken) }
    if taken > x.shape[axis] { signal = try call.pad(x, axis: axis, 0, taken - x.shape[axis]) }
    let last = x.rank - 1
    if isInverse, parts == 1 { signal = try call.pad(signal, axis: last, 0, 1) }
    // Both parts stand before the axis; real numbers have none.
    let isComplex = isInverse || parts == 2
    let rows =
      isComplex
      ? try call.transpose(signal, Array(0..<axis) + [last] + Array(axis..<last))
      : try call.reshape(signal, signal.shape.dropLast())
    let text = try call.text(rows).unbracketed
    var shape = Array(signal.shape.dropLast())
    if isReal {
      shape[axis] = size
      let numbers = ONNXValue.expression(
        "inverseFourier(\(text), axis: \(axis + 1), size: \(size))", x.element, shape)
      return try call.reshape(numbers, shape + [1])
    }
    shape[axis] = isOneSided && !isInverse ? size / 2 + 1 : size
    shape.insert(2, at: axis)
    let arguments = isComplex ? "axis: \(axis + 1)" : "axis: \(axis)"
    let spectrum = ONNXValue.expression(
      isInverse
        ? "inverseFourier(\(text), \(arguments), output: 'complex')"
        : "fourier(\(text), \(arguments), input: '\(isComplex ? "complex" : "real")', bins: '\(isOneSided ? "half" : "all")')",
      x.element, shape)
    return try call.transpose(spectrum, Array(0..<axis) + Array(axis + 1...last) + [axis])
  }

  /// Refuses lengths that `fourier` does not know.
  private static func check(_ size: Int) throws(ONNXError) {
    guard FourierStages.isPossible(size) else {
      throw ONNXError(
        "a transform of \(size) numbers is not known: a prime factor is larger than \(FourierStages.largestPrime)"
      )
    }
  }

  private static func shortTime(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let hop = Int(try call.constant(1, "the hop").integers.first ?? 0)
    let window = call.has(2) ? try call.constant(2, "the window").doubles : nil
    let size =
      call.has(3)
      ? Int(try call.constant(3, "the length of a frame").integers.first ?? 0) : window?.count ?? 0
    guard x.rank == 2 || x.rank == 3 && x.shape[2] == 1 else {
      throw ONNXError("it takes [batch, signal, 1], not \(x.shape)")
    }
    guard hop >= 1, size >= 1, size <= x.shape[1], window.map({ $0.count == size }) ?? true else {
      throw ONNXError("frames of \(size) numbers, \(hop) apart, of \(x.shape[1]) are not known")
    }
    try check(size)
    let isOneSided = try call.attributes.flag("onesided", true)
    let (bins, frames) = (isOneSided ? size / 2 + 1 : size, (x.shape[1] - size) / hop + 1)
    let signal = try call.reshape(x, [x.shape[0], x.shape[1]])
    var stretches = "windows(\(try call.text(signal).unbracketed), axis: 1, size: \(size), hop: \(hop))"
    if let window { stretches += " * \(try call.text(try call.array("window", [size], window)))" }
    // Frames lie side by side, which is how vectors go through the transform.
    let spectrum = ONNXValue.expression(
      "fourier(transpose(\(stretches), [0, 2, 1]), axis: 1, bins: '\(isOneSided ? "half" : "all")')",
      x.element,
      [x.shape[0], 2, bins, frames])
    return try call.transpose(spectrum, [0, 3, 2, 1])
  }
}
