// SPDX-License-Identifier: Apache-2.0

/// The error-to-signal ratio (ESR) of whole data: the power of what is wrong over that of the whole target.
///
///     mean over the examples of mse(dst, target) / P = Σ (target - dst)² / Σ target²,   P the mean of all target²
///
/// So a window that is nearly silent weighs as much as its error is loud; `esr`, a ratio of each window, divides that error
/// by next to nothing.
extension TrainingTask {
  /// The expression whose mean over data is its ratio.
  ///
  /// - Parameters:
  ///   - output: the name of what comes out.
  ///   - target: the name of what should.
  ///   - power: the mean square of all targets, as `power(of:)` of the data; of silence the error is left as it is.
  public static func relativeError(
    of output: String = "dst", target: String = "target", power: Double
  ) -> String {
    "mse(\(output), \(target)) * \(power > 1e-12 ? 1 / power : 1)"
  }
}

extension Dataset {
  /// The mean square of the numbers of an array over all examples.
  public func power(of name: String) throws -> Double {
    var (sum, numbers) = (0.0, 0)
    for index in 0..<count {
      let item = try item(index)[name] ?? []
      sum += item.reduce(0) { $0 + Double($1) * Double($1) }
      numbers += item.count
    }
    return sum / Double(max(1, numbers))
  }
}
