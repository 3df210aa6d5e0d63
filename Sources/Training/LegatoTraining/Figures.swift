// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// A measured number with so many significant digits: "0.00123", "1.2e+09".
///
/// A NaN is written without a sign, which hardware gives it by chance.
package func figure(_ number: Double, digits: Int) -> String {
  number.isNaN ? "nan" : String(format: "%.\(digits)g", number)
}

/// Some names, and how many there are more.
package func listed(_ names: [String]) -> String {
  let shown = names.prefix(6).map { printable($0, limit: 40) }.joined(separator: ", ")
  return names.count > 6 ? "\(shown) and \(names.count - 6) more" : shown
}

/// Scores as JSON has them: null stands for what is no finite number.
package func finite(_ scores: [String: Double]) -> [String: Double?] {
  scores.mapValues { $0.isFinite ? $0 : nil }
}
