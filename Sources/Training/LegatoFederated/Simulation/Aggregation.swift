// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How a server makes one model of what devices have learned; formulas and defaults are Flower's.
public enum Strategy: Hashable, Sendable {
  /// The mean, weighted by examples (McMahan and others, 2017).
  case fedAvg
  /// The same; devices are held near the model of the round by μ/2 |p - p₀|² (Li and others, 2020).
  case fedProx(mu: Double)
  /// Adam on the way from the model to that mean (Reddi and others, 2021).
  case fedAdam(rate: Double = 0.1, beta1: Double = 0.9, beta2: Double = 0.99, tau: Double = 1e-3)
}

/// The server's side of learning together: the model, and what the strategy remembers.
package struct Aggregation: Sendable {
  package private(set) var weights: [[Float]]
  private let strategy: Strategy
  private var first: [[Double]]
  private var second: [[Double]]
  private var round = 0

  package init(_ weights: [[Float]], _ strategy: Strategy) {
    (self.weights, self.strategy) = (weights, strategy)
    first = weights.map { $0.map { _ in 0 } }
    second = first
  }

  /// Takes over what devices have learned, in the order in which they stand.
  package mutating func add(_ results: [(arrays: [[Float]], examples: Int)]) {
    let whole = results.reduce(0.0) { $0 + Double($1.examples) }
    guard whole > 0 else { return }
    round += 1
    for row in weights.indices {
      for place in weights[row].indices {
        let mean = results.reduce(0.0) { $0 + Double($1.arrays[row][place]) * Double($1.examples) } / whole
        guard case .fedAdam(let rate, let beta1, let beta2, let tau) = strategy else {
          weights[row][place] = Float(mean)
          continue
        }
        let way = mean - Double(weights[row][place])
        first[row][place] = beta1 * first[row][place] + (1 - beta1) * way
        second[row][place] = beta2 * second[row][place] + (1 - beta2) * way * way
        let step =
          rate * (1 - pow(beta2, Double(round) + 1)).squareRoot() / (1 - pow(beta1, Double(round) + 1))
        weights[row][place] += Float(step * first[row][place] / (second[row][place].squareRoot() + tau))
      }
    }
  }
}
