// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoundAnalysis

// How pictures write numbers.

/// With some decimals, and a true minus; "0.0" has none.
package func decimals(_ number: Double, _ places: Int) -> String {
  let text = String(format: "%.\(places)f", abs(number))
  let isZero = text.allSatisfy { $0 == "0" || $0 == "." }
  return number < 0 && !isZero ? "−" + text : text
}

/// An amplitude as "−3.0 dBFS"; "silent" where there is none.
func fullScaleDecibels(_ amplitude: Double) -> String {
  amplitude > 0 ? "\(decimals(decibels(ofAmplitude: amplitude), 1)) dBFS" : "silent"
}
