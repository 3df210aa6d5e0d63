// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato
internal import LegatoTraining

/// Privacy of what a device sends: its way from the server's weights is shortened to a norm, and noise is added, on the
/// device itself.
///
///     way ← way · min(1, norm / |way|) + noise · norm · N(0, 1)
///
/// What goes out of a round hides whether this device had any data at all, to (ε, δ) over all of its rounds: the Gaussian
/// mechanism, whose Rényi divergence of the order α is α / (2 noise²) a round (Mironov, 2017), as ε by Canonne, Kamath and
/// Steinke (2020). How many examples there are, and the scores of judging, are not covered.
public struct UpdatePrivacy: Hashable, Sendable {
  /// The largest norm of a way, over all arrays.
  public let norm: Double
  /// The noise's standard deviation as a multiple of the norm.
  public let noise: Double
  /// The chance that the promise may not hold.
  public let delta: Double

  /// - Throws: `FederatedError.unsupported` where a number is out of its range.
  public init(norm: Double, noise: Double, delta: Double = 1e-5) throws(FederatedError) {
    guard norm.isFinite, norm > 0, noise.isFinite, noise > 0, delta > 0, delta < 1 else {
      throw .unsupported("privacy takes a norm and a noise above 0, and a delta between 0 and 1")
    }
    (self.norm, self.noise, self.delta) = (norm, noise, delta)
  }

  /// The ε of so many rounds together.
  public func epsilon(rounds: Int) -> Double { epsilon(exposure: Double(rounds) / (noise * noise)) }

  /// The ε of rounds whose 1 / noise² come to so much together, the least over the orders that accountants are used to;
  /// infinite where one went without noise.
  public func epsilon(exposure: Double) -> Double {
    guard exposure > 0 else { return 0 }
    let orders = (1..<100).map { 1 + Double($0) / 10 } + (11..<64).map(Double.init) + [128, 256, 512, 1024]
    let least = orders.map { order -> Double in
      let divergence = exposure * order / 2
      // So little is told that δ covers it.
      if delta * delta + expm1(-divergence) > 0 { return 0 }
      guard order > 1.01 else { return .infinity }
      return divergence + log1p(-1 / order) - log(delta * order) / (order - 1)
    }.min()!
    return max(0, least)
  }

  /// The arrays that are sent in place of those that were learned.
  func sent<Random: RandomNumberGenerator>(
    _ arrays: [Tensor], from begin: [Tensor], using random: inout Random
  ) throws -> [Tensor] {
    try UpdateWay(from: begin, to: arrays).arrays(within: norm) { $0 + noise * norm * random.normal() }
  }
}
