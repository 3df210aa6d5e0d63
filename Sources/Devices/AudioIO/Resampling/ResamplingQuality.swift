// SPDX-License-Identifier: Apache-2.0

internal import CSampleRate

/// How well sound is brought to another rate: libsamplerate's ways to do so.
public enum ResamplingQuality: String, CaseIterable, Sendable {
  /// Windowed sinc functions, of 97, 90 and 80 per cent of the band; the wider, the slower.
  case best, medium, fast
  /// A straight line from frame to frame.
  case linear
  /// Each frame until the next one.
  case hold

  var converter: Int32 {
    switch self {
    case .best: Int32(SRC_SINC_BEST_QUALITY)
    case .medium: Int32(SRC_SINC_MEDIUM_QUALITY)
    case .fast: Int32(SRC_SINC_FASTEST)
    case .linear: Int32(SRC_LINEAR)
    case .hold: Int32(SRC_ZERO_ORDER_HOLD)
    }
  }

  /// Frames of the lower rate that one frame may depend on, generously: the longest function has 286.
  static let reach = 512

  /// The delay of libsamplerate in its frames: it begins between a copy of the first frame and that frame.
  var delay: Int {
    switch self {
    case .best, .medium, .fast: 0
    case .linear, .hold: 1
    }
  }
}
