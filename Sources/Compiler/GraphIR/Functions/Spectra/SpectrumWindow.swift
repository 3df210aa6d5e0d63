// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The windows of spectra, periodic.
enum SpectrumWindow {
  /// A window in the middle of a stretch.
  static func weights(_ window: String, _ windowSize: Int, in size: Int) -> [Double] {
    let start = (size - windowSize) / 2
    return (0..<size).map { place in
      guard (start..<start + windowSize).contains(place) else { return 0 }
      let angle = 2 * Double.pi * Double(place - start) / Double(windowSize)
      switch window {
      case "hann": return 0.5 - 0.5 * cos(angle)
      case "hamming": return 0.54 - 0.46 * cos(angle)
      case "blackman": return 0.42 - 0.5 * cos(angle) + 0.08 * cos(2 * angle)
      default: return 1
      }
    }
  }
}
