// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension ModelDocument {
  /// A parameter: minimum < maximum, the default between them, all within the range of a 32-bit float.
  package struct Parameter: Hashable, Sendable {
    package static let defaultRamp = 0.02
    package static let maximumRamp = 10.0

    package internal(set) var name: String
    package let place: Place
    package let defaultValue: Double
    package let minimum: Double
    package let maximum: Double
    /// "dB", "Hz", "ms", "levels", …; free text.
    package let unit: String?
    package let scale: Scale
    /// Seconds from one value to the next; 0 steps.
    package let ramp: Double
    /// The MIDI controller that turns it, on any channel; nil where the model leaves it open.
    package let midi: Int?
    package let description: String?

    /// How a control divides its way between minimum and maximum.
    package enum Scale: String, CaseIterable, Sendable {
      case linear
      /// Equal ways are equal ratios; the minimum is above 0.
      case logarithmic
    }
  }
}
