// SPDX-License-Identifier: Apache-2.0

/// The length of the tail that is written after the input's end, such as echoes.
public enum Tail: Hashable, Sendable {
  /// A length in seconds, from 0 to 3600.
  case seconds(Double)
  /// To the last frame with a sample above -96 dB, or as far from the level at which the output rests; at most 60
  /// seconds.
  case audible

  /// -96 dB.
  static let threshold: Float = 1.584_893_2e-5
  package static let longest = 60.0

  /// The most frames that it takes.
  func frames(sampleRate: Int) -> Int {
    switch self {
    case .seconds(let seconds): Int((seconds * Double(sampleRate)).rounded())
    case .audible: Int(Self.longest) * sampleRate
    }
  }
}
