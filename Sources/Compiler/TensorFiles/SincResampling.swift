// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Brings the samples of a response from one rate to another at once, in double precision: a sinc with a Kaiser window.
///
///     before the first frame │ 0 … the file's end │ as far as the sinc reaches
///     ───── its beginning ───▶ the nearest that begins at 0
///
/// A function of our own, though AudioIO has libsamplerate: the compiler needs no library of sound, and the taps of a
/// model have the same bits whichever version of one is installed.
struct SincResampling {
  /// Frames of the one rate that last as long as one of the other.
  private let ratio: Double
  /// The share of the frames' own band that passes: the window's transition ends where the narrower of both bands does.
  private let band: Double
  /// Frames on each side that take part in one.
  private let reach: Double

  /// Zeros of the sinc on each side, and the shape of the window: -100 dB of what does not pass.
  private static let (zeros, beta) = (96, 10.06)
  /// Places of the table between two zeros: what lies between them is 120 dB below.
  private static let places = 1024

  /// The window times the sinc, from its middle on.
  private static let table: [Double] = (0...zeros * places).map { place in
    let x = Double(place) / Double(places)
    let edge = x / Double(zeros)
    let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
    return sinc * bessel(beta * (1 - edge * edge).squareRoot()) / bessel(beta)
  }

  init(from: Double, to: Double) {
    ratio = from / to
    band = 0.967 * min(1, to / from)
    reach = Double(Self.zeros) / band
  }

  /// The samples at the other rate, times the ratio of both.
  func scaled(_ samples: [Float]) -> [Float] {
    guard ratio != 1 else { return samples }
    let lead = Int((reach / ratio).rounded(.up))
    let count = Int(((Double(samples.count) + reach) / ratio).rounded(.up))
    let all = (-lead..<count).map { ratio * value(of: samples, at: Double($0) * ratio) }
    let beginning = CausalBeginning(ratio: ratio).taps(insteadOf: all[..<lead])
    return (0..<max(count, beginning.count)).map { frame in
      Float(
        (frame < count ? all[lead + frame] : 0) + (frame < beginning.count ? beginning[frame] : 0))
    }
  }

  /// The sum of the samples around a place between two of them.
  private func value(of samples: [Float], at place: Double) -> Double {
    let first = max(0, Int((place - reach).rounded(.up)))
    let last = min(samples.count - 1, Int((place + reach).rounded(.down)))
    var sum = 0.0
    for frame in stride(from: first, through: last, by: 1) {
      let x = abs(Double(frame) - place) * band * Double(Self.places)
      let index = min(Int(x), Self.table.count - 2)
      let (low, high) = (Self.table[index], Self.table[index + 1])
      sum += Double(samples[frame]) * (low + (x - Double(index)) * (high - low))
    }
    return sum * band
  }

  /// The modified Bessel function of order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > 1e-18 * sum {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }
}
