// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// An amplitude in decibels, 1 being 0 dB; nothing is minus infinity.
package func decibels(ofAmplitude amplitude: Double) -> Double { 20 * log10(amplitude) }

/// A power in decibels, 1 being 0 dB; nothing is minus infinity.
package func decibels(ofPower power: Double) -> Double { 10 * log10(power) }

/// The amplitude of so many decibels.
package func amplitude(ofDecibels decibels: Double) -> Double { pow(10, decibels / 20) }
