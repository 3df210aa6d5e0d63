// SPDX-License-Identifier: Apache-2.0

/// A complex function along a line, at places so close that it is seen how it turns around zero.
struct PhaseWalk {
  struct Sample {
    var place: Double
    var value: Complex
  }

  /// More often a step is not halved: the function is zero there.
  private static let mostHalvings = 40

  private(set) var samples: [Sample]
  private let tolerance: Double

  /// nil where the function is zero on the way, or no number.
  ///
  /// - Parameters:
  ///   - step: What the function does not turn around zero within.
  ///   - tolerance: By how much of itself the function changes from sample to sample at most, below 1.
  init?(
    _ range: ClosedRange<Double>, step: Double, tolerance: Double, _ function: (Double) -> Complex
  ) {
    self.tolerance = tolerance
    samples = [Sample(place: range.lowerBound, value: function(range.lowerBound))]
    let length = range.upperBound - range.lowerBound
    let count = max(1, Int((length / step).rounded(.up)))
    for index in 1...count {
      let place =
        index == count ? range.upperBound : range.lowerBound + length * Double(index) / Double(count)
      let end = Sample(place: place, value: function(place))
      guard walk(from: samples[samples.count - 1], to: end, 0, function) else { return nil }
    }
  }

  private mutating func walk(
    from start: Sample, to end: Sample, _ halvings: Int, _ function: (Double) -> Complex
  ) -> Bool {
    let place = (start.place + end.place) / 2
    let middle = Sample(place: place, value: function(place))
    if isNear(start, middle) && isNear(middle, end) {
      samples.append(middle)
      samples.append(end)
      return true
    }
    return halvings < Self.mostHalvings && walk(from: start, to: middle, halvings + 1, function)
      && walk(from: middle, to: end, halvings + 1, function)
  }

  private func isNear(_ a: Sample, _ b: Sample) -> Bool {
    let (least, most) = (
      min(a.value.squaredMagnitude, b.value.squaredMagnitude),
      max(a.value.squaredMagnitude, b.value.squaredMagnitude)
    )
    guard least > 0, most.isFinite else { return false }
    return (a.value - b.value).squaredMagnitude <= tolerance * tolerance * least
  }

  /// By how much the function turns around zero, in radians.
  var turn: Double {
    zip(samples, samples.dropFirst()).reduce(0) { $0 + ($1.1.value / $1.0.value).angle }
  }
}
