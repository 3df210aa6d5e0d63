// SPDX-License-Identifier: Apache-2.0

/// The reason why sound cannot be brought to another rate.
package enum ResamplerError: Error, Equatable, CustomStringConvertible {
  /// The rates are too far apart.
  case ratio(from: Int, to: Int)
  /// Anything else that libsamplerate refuses, in its words.
  case library(String)

  /// How many times one rate may be the other.
  static let largestRatio = 256

  package var description: String {
    switch self {
    case .ratio(let from, let to):
      "\(from) Hz cannot be resampled to \(to) Hz at once: one of them is more than \(Self.largestRatio) times the other"
    case .library(let reason): "cannot be resampled: \(reason)"
    }
  }
}
