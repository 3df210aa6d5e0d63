// SPDX-License-Identifier: Apache-2.0

// How messages write numbers.

/// With two decimals, such as 3.07.
package func decimals(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  let fraction = String(hundredths % 100)
  return "\(hundredths / 100)." + (fraction.count < 2 ? "0" : "") + fraction
}
