// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ONNXOperator {
  static let signals: [String: ONNXOperator] = [
    "DFT": .init(single: fourier),
    "STFT": .init(single: shortTime),
  ]

  /// Cosines and sines of all frequencies at all places: a dense layer makes both parts of the spectrum.
  ///
  ///     rows  real of bin 0, imaginary of bin 0, real of bin 1 …     columns  places, of complex numbers both parts
  private static func matrix(
    size: Int, bins: Int, isComplex: Bool, isInverse: Bool, window: [Double]? = nil
  ) -> [Double] {
    let (sign, scale) = (isInverse ? 1.0 : -1, isInverse ? 1 / Double(size) : 1)
    var numbers: [Double] = []
    for bin in 0..<bins {
      for part in 0..<2 {
        for place in 0..<size {
          let angle = sign * 2 * .pi * Double(bin * place % size) / Double(size)
          let weight = scale * (window?[place] ?? 1)
          numbers.append(weight * (part == 0 ? cos(angle) : sin(angle)))
          if isComplex { numbers.append(weight * (part == 0 ? -sin(angle) : cos(angle))) }
        }
      }
    }
    return numbers
  }

  /// The real numbers of half a spectrum, whose bins but the first, and the middle one, stand for two.
  private static func realMatrix(size: Int) -> [Double] {
    (0..<size).flatMap { place in
      (0...size / 2).flatMap { bin in
        let angle = 2 * .pi * Double(bin * place % size) / Double(size)
        let weight = (bin == 0 || 2 * bin == size ? 1 : 2) / Double(size)
        return [weight * cos(angle), -weight * sin(angle)]
      }
    }
  }

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
    guard axis < x.rank - 1, (1...2048).contains(size), !isReal || parts == 2 else {
      throw ONNXError("a transform of \(size) numbers along axis \(axis) is not known; 2048 are the most")
    }
    let half = size / 2 + 1
    let (taken, bins) = (isReal ? half : size, isOneSided && !isInverse ? half : size)
    var signal = x
    if taken < x.shape[axis] { signal = try call.slice(x, axis: axis, start: 0, count: taken) }
    if taken > x.shape[axis] { signal = try call.pad(x, axis: axis, 0, taken - x.shape[axis]) }
    // The axis, and both parts, as one axis behind the others.
    let others = (0..<x.rank - 1).filter { $0 != axis }
    let shape = others.map { x.shape[$0] }
    let rows = try call.reshape(
      try call.transpose(signal, others + [axis, x.rank - 1]), shape + [taken * parts])
    let results = isReal ? 1 : 2
    let weight = try call.array(
      "fourier", [results * bins, taken * parts],
      isReal
        ? realMatrix(size: size) : matrix(size: size, bins: bins, isComplex: parts == 2, isInverse: isInverse)
    )
    let spectrum = ONNXValue.expression(
      "dense(\(try call.text(rows).unbracketed), \(try call.text(weight)))", x.element,
      shape + [results * bins])
    let apart = try call.reshape(spectrum, shape + [bins, results])
    var order = Array(0..<others.count)
    order.insert(others.count, at: axis)
    return try call.transpose(apart, order + [others.count + 1])
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
    guard hop >= 1, (1...2048).contains(size), size <= x.shape[1], window.map({ $0.count == size }) ?? true
    else {
      throw ONNXError(
        "frames of \(size) numbers, \(hop) apart, of \(x.shape[1]) are not known; 2048 are the most")
    }
    let bins = try call.attributes.flag("onesided", true) ? size / 2 + 1 : size
    let frames = (x.shape[1] - size) / hop + 1
    let signal = try call.reshape(x, [x.shape[0], x.shape[1]])
    let weight = try call.array(
      "fourier", [2 * bins, size],
      matrix(size: size, bins: bins, isComplex: false, isInverse: false, window: window))
    let text =
      "dense(windows(\(try call.text(signal).unbracketed), axis: 1, size: \(size), hop: \(hop)), \(try call.text(weight)))"
    return try call.reshape(
      .expression(text, x.element, [x.shape[0], frames, 2 * bins]), [x.shape[0], frames, bins, 2])
  }
}
