// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LegatoTraining

/// How the examples of a data set go to devices.
public enum Sharding: Hashable, Sendable {
  /// At random, as many to each as to the others.
  case even
  /// Sorted by label, in two pieces for each device: most see two labels (McMahan and others, 2017).
  case byLabel
  /// Of each label shares by a Dirichlet distribution: the smaller the number, the less alike are devices.
  case dirichlet(Double)

  /// The examples of each device.
  ///
  /// - Parameters:
  ///   - labels: the label of each example.
  ///   - devices: how many devices there are; none stays without an example where there are enough.
  ///   - seed: says which goes where.
  public func shards(_ labels: [Int], devices: Int, seed: UInt64) -> [[Int]] {
    var random = SeededNumbers(seed: seed)
    var shards = [[Int]](repeating: [], count: devices)
    switch self {
    case .even:
      for (turn, index) in labels.indices.shuffled(using: &random).enumerated() {
        shards[turn % devices].append(index)
      }
    case .byLabel:
      let sorted = labels.indices.sorted { (labels[$0], $0) < (labels[$1], $1) }
      let pieces = 2 * devices
      for (turn, piece) in (0..<pieces).shuffled(using: &random).enumerated() {
        shards[turn / 2] += sorted[piece * sorted.count / pieces..<(piece + 1) * sorted.count / pieces]
      }
    case .dirichlet(let alpha):
      for label in Set(labels).sorted() {
        let own = labels.indices.filter { labels[$0] == label }.shuffled(using: &random)
        // Where the number is small they are too small for doubles, and their logarithms are not.
        let logarithms = (0..<devices).map { _ in random.logGamma(max(alpha, 1e-9)) }
        let largest = logarithms.max() ?? 0
        let shares = logarithms.map { exp($0 - largest) }
        let whole = shares.reduce(0, +)
        var (sum, begin) = (0.0, 0)
        for (device, share) in shares.enumerated() {
          sum += share
          let end =
            device == devices - 1
            ? own.count : min(own.count, Int((sum / whole * Double(own.count)).rounded()))
          shards[device] += own[begin..<max(begin, end)]
          begin = max(begin, end)
        }
      }
    }
    // A device without examples takes one of whoever has most.
    while let poor = shards.firstIndex(of: []),
      let rich = shards.indices.max(by: { shards[$0].count < shards[$1].count }),
      shards[rich].count > 1
    {
      shards[poor].append(shards[rich].removeLast())
    }
    return shards.map { $0.sorted() }
  }
}

extension SeededNumbers {
  /// The logarithm of a number of the gamma distribution with a shape, and the scale 1 (Marsaglia and Tsang, 2000).
  mutating func logGamma(_ shape: Double) -> Double {
    guard shape >= 1 else { return logGamma(shape + 1) + log(1 - share()) / shape }
    let d = shape - 1.0 / 3
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let v = pow(1 + c * x, 3)
      if v > 0, log(1 - share()) < 0.5 * x * x + d - d * v + d * log(v) { return log(d * v) }
    }
  }
}
