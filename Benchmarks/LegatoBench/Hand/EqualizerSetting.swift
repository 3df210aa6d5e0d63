// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels
internal import RealtimeCore

/// The setting of `models/eq8.json` while it is timed, for the model and for C.
struct EqualizerSetting {
  fileprivate enum Kind { case lowShelf, peak, highShelf }

  fileprivate struct Band {
    let name: String
    let kind: Kind
    let frequency: Double
    /// In decibels.
    let gain: Double
    let q: Double
  }

  private static let bands = [
    Band(name: "low", kind: .lowShelf, frequency: 80, gain: 6, q: 0.7),
    Band(name: "one", kind: .peak, frequency: 150, gain: -4, q: 1),
    Band(name: "two", kind: .peak, frequency: 300, gain: 3, q: 1.5),
    Band(name: "three", kind: .peak, frequency: 600, gain: 5, q: 2),
    Band(name: "four", kind: .peak, frequency: 1500, gain: -6, q: 4),
    Band(name: "five", kind: .peak, frequency: 3500, gain: 4, q: 1),
    Band(name: "six", kind: .peak, frequency: 7000, gain: -3, q: 0.8),
    Band(name: "high", kind: .highShelf, frequency: 11_000, gain: 6, q: 0.7),
  ]

  /// The model's parameters.
  static var parameters: [String: Float] {
    var values: [String: Float] = [:]
    for band in bands {
      values["\(band.name)Frequency"] = Float(band.frequency)
      values["\(band.name)Gain"] = Float(band.gain)
      values["\(band.name)Q"] = Float(band.q)
    }
    return values
  }

  /// The values that the parameters glide to.
  static var ends: [String: Float] { parameters.mapValues { $0 * 1.1 } }

  /// The ramps of `HAND_GLIDING_EQUALIZER`, from `parameters` to `ends`.
  static var ramps: [Float] {
    let starts = bands.map(\.frequency) + bands.map(\.gain) + bands.map(\.q)
    return starts.map { Float($0) } + starts.map { Float($0 * 0.1 / Double(Program.endlessFrames)) }
  }

  /// The rows of `HAND_EQUALIZER`, worked out in double precision.
  static func coefficients(sampleRate: Double) -> [Float] {
    let filters = (bands + bands).map { $0.coefficients(sampleRate) }
    precondition(filters.count == Int(HAND_LOOP_CHANNELS), "a lane for each filter of two channels")
    return filters[0].indices.flatMap { row in filters.map { Float($0[row]) } }
  }
}

extension EqualizerSetting.Band {
  /// With s1, s2 what the integrators hold, x what comes in and r = x - s2 - reach s1:
  ///
  ///     band = s1 + share r          s1' = s1 + 2 share r          s2' = s2 + 2 slope band
  ///     y    = direct x + ofBand band + ofLow s2
  ///
  /// - Returns: reach, share, slope, direct, ofBand, ofLow.
  fileprivate func coefficients(_ sampleRate: Double) -> [Double] {
    let root = pow(10, gain / 40)
    var slope = tan(.pi * frequency / sampleRate)
    var damping = 1 / q
    let (direct, band, low): (Double, Double, Double)
    switch kind {
    case .lowShelf:
      slope /= sqrt(root)
      (direct, band, low) = (1, damping * (root - 1), root * root - 1)
    case .peak:
      damping /= root
      (direct, band, low) = (1, damping * (root * root - 1), 0)
    case .highShelf:
      slope *= sqrt(root)
      (direct, band, low) = (root * root, damping * (1 - root) * root, 1 - root * root)
    }
    let share = slope / (1 + slope * (slope + damping))
    return [slope + damping, share, slope, direct, band + low * slope, low]
  }
}
