// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The spectrum of a sound over all its length: the mean power of windows that overlap by half.
///
///     samples  ────────────────────────────────
///     windows  ╱╲  ╱╲  ╱╲  ╱╲                       Hann, each transformed
///                ╱╲  ╱╲  ╱╲  ╱╲
///     power    mean over windows and channels
///
/// Calibrated so that a sine within ±1 in all channels reads 1, which is 0 dB, in the bin of its frequency; between two
/// bins it reads up to 1.42 dB less. A sound that is shorter than a window is one window, as long as the sound; of a
/// longer one, less than half a window at the end may be in none. Welch, "The use of fast Fourier transform for the
/// estimation of power spectra", 1967.
package struct LongTermSpectrum {
  /// Frames in a window.
  package let size: Int
  private let channels: Int
  private let transform: FourierTransform
  private let window: [Double]

  /// The latest frames of each channel, of which `filled` have come.
  private var recent: [[Float]]
  private var filled = 0
  /// A windowed row that waits for another one: two real rows are transformed as one complex.
  private var waiting: [Double]?
  /// Sums of power by bin, from 0 to half the rate, and of how many rows.
  private var sums: [Double]
  private var rows = 0

  /// - Parameter sampleRate: decides the size of windows, about a third of a second.
  package init(channels: Int, sampleRate: Int) {
    self.channels = channels
    var size = 256
    while size < 1 << 17, 2 * size <= sampleRate * 2 / 5 { size *= 2 }
    self.size = size
    transform = FourierTransform(count: size)
    window = Self.hann(size)
    recent = Array(repeating: Array(repeating: 0, count: size), count: channels)
    sums = Array(repeating: 0, count: size / 2 + 1)
  }

  private static func hann(_ count: Int) -> [Double] {
    (0..<count).map { pow(sin(.pi * (Double($0) + 0.5) / Double(count)), 2) }
  }

  /// Takes the samples of one frame, one for each channel, of which none is infinite or not a number.
  package mutating func append(_ frame: (_ channel: Int) -> Float) {
    for channel in 0..<channels { recent[channel][filled] = frame(channel) }
    filled += 1
    guard filled == size else { return }
    for channel in 0..<channels {
      add(zip(recent[channel], window).map { Double($0) * $1 })
      for index in 0..<size / 2 { recent[channel][index] = recent[channel][index + size / 2] }
    }
    filled = size / 2
  }

  private mutating func add(_ row: [Double]) {
    rows += 1
    guard let other = waiting else {
      waiting = row
      return
    }
    addPower(of: other, row)
    waiting = nil
  }

  private mutating func addPower(of a: [Double], _ b: [Double]) {
    var (real, imaginary) = (a, b)
    transform.forward(&real, &imaginary)
    for bin in 0...size / 2 {
      let mirror = (size - bin) & (size - 1)
      // |a + ib| at a bin and at its mirror image: twice the power of both.
      let power =
        real[bin] * real[bin] + imaginary[bin] * imaginary[bin] + real[mirror] * real[mirror]
        + imaginary[mirror] * imaginary[mirror]
      sums[bin] += power / 2
    }
  }

  /// The mean power of each bin, from 0 Hz to half the sample rate; all 0 where nothing was taken.
  package var power: [Double] {
    var copy = self
    var weight = window
    if rows == 0, filled > 0 {
      weight = Self.hann(filled)
      for channel in 0..<channels {
        copy.add(
          (0..<size).map { $0 < filled ? Double(recent[channel][$0]) * weight[$0] : 0 })
      }
    }
    if let last = copy.waiting { copy.addPower(of: last, Array(repeating: 0, count: size)) }
    guard copy.rows > 0 else { return sums }
    let amplitude = 2 / weight.reduce(0, +)
    return copy.sums.enumerated().map { bin, sum in
      // 0 Hz and half the rate have no image at negative frequencies.
      let scale = bin == 0 || bin == size / 2 ? amplitude / 2 : amplitude
      return sum / Double(copy.rows) * scale * scale
    }
  }
}
