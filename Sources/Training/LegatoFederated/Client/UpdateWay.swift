// SPDX-License-Identifier: Apache-2.0

internal import Legato

/// The way from a server's arrays to those that a device has learned, over all of them together.
struct UpdateWay {
  private let begin: [Tensor]
  private let steps: [[Double]]
  /// Its Euclidean norm.
  let length: Double

  init(from begin: [Tensor], to end: [Tensor]) {
    self.begin = begin
    steps = zip(end, begin).map { now, then in zip(now.values, then.values).map { Double($0) - Double($1) } }
    length = steps.reduce(0.0) { $1.reduce($0) { $0 + $1 * $1 } }.squareRoot()
  }

  /// The arrays behind the way where it is shortened to a norm, and each step changed then.
  func arrays(within norm: Double, _ changed: (Double) -> Double = { $0 }) throws -> [Tensor] {
    let share = min(1, norm / max(length, .leastNormalMagnitude))
    return try zip(steps, begin).map { steps, then in
      let values = zip(steps, then.values).map { step, start in Float(Double(start) + changed(share * step)) }
      return try Tensor(shape: then.shape, values: values)
    }
  }
}
