// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The ratio of two colours' luminance (Web Content Accessibility Guidelines 2.1): 1 where they are as light, at most
/// 21.
///
/// - Parameters: colours such as `#0f172a`.
package func contrastRatio(_ one: String, _ other: String) -> Double {
  let (low, high) = (min(luminance(one), luminance(other)), max(luminance(one), luminance(other)))
  return (high + 0.05) / (low + 0.05)
}

private func luminance(_ color: String) -> Double {
  guard let number = Int(color.dropFirst(), radix: 16) else { preconditionFailure("'\(color)' is no colour") }
  let parts = [16, 8, 0].map { shift in
    let part = Double(number >> shift & 255) / 255
    return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
  }
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
}
