// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A measured number with so many significant digits: "0.00123", "1.2e+09".
///
/// A NaN is written without a sign, which hardware gives it by chance.
package func figure(_ number: Double, digits: Int) -> String {
  number.isNaN ? "nan" : String(format: "%.\(digits)g", number)
}

/// Scores as JSON has them: null stands for what is no finite number.
package func finite(_ scores: [String: Double]) -> [String: Double?] {
  scores.mapValues { $0.isFinite ? $0 : nil }
}
