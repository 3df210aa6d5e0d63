// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Sums over rows: reductions, matrices and convolutions.
extension Run {
  mutating func reduce(
    _ kind: Op.Reduction, outer: Range<Int>, extent: Int, inner: Int, from base: Int, into start: Int
  ) {
    for major in outer {
      for minor in 0..<inner {
        let first = base + major * extent * inner + minor
        let result: Estimate
        switch kind {
        case .sum where extent == 1:
          // A sum that begins with zero makes +0 of -0.
          result = results[first].withZeroOfEitherSign
        case .sum:
          var sum = EstimateSum(rounding: rounds)
          for position in 0..<extent { sum.add(results[first + position * inner]) }
          result = sum.result
        case .maximum:
          var largest = results[first]
          for position in 1..<max(1, extent) { largest = .larger(largest, results[first + position * inner]) }
          result = largest
        }
        results[start + major * inner + minor] = result
      }
    }
  }

  mutating func dense(
    outer: Range<Int>, inputs: Int, outputs: Int, inner: Int, from bases: [Int], into start: Int
  ) {
    for major in outer {
      for output in 0..<outputs {
        for minor in 0..<inner {
          var sum = EstimateSum(rounding: rounds)
          if bases.count > 2 { sum.add(results[bases[2] + output]) }
          for input in 0..<inputs {
            sum.add(
              results[bases[0] + (major * inputs + input) * inner + minor],
              times: results[bases[1] + output * inputs + input])
          }
          results[start + (major * outputs + output) * inner + minor] = sum.result
        }
      }
    }
  }

  /// `y[o, p] = bias[o] + Σ weight[o, i, k] · x[i, p · stride + k · dilation]` over the channels of o's group; along
  /// frames the last tap meets the present frame, and what is before the start is zero.
  mutating func convolve(
    _ operands: [Int], _ frame: Int, into start: Int, _ walk: ConvolutionWalk, outer: Range<Int>
  ) {
    let weights = places[operands[1], frame]!
    let bias = operands.count > 2 ? places[operands[2], frame]! : nil
    let earlier = walk.delays.map { places[operands[0], frame - $0] }
    let inputs = walk.channels / walk.groups
    var row = start + outer.lowerBound * walk.outputs * walk.positions.count * walk.inner
    for major in outer {
      for output in 0..<walk.outputs {
        let firstChannel = major * walk.channels + output / (walk.outputs / walk.groups) * inputs
        for position in walk.positions {
          for minor in 0..<walk.inner {
            var sum = EstimateSum(rounding: rounds)
            if let bias { sum.add(results[bias + output]) }
            for input in 0..<inputs {
              let first = ((firstChannel + input) * walk.area + position) * walk.inner + minor
              let coefficients = weights + (output * inputs + input) * walk.taps.count
              for (tap, distance) in walk.taps.enumerated() {
                let number = earlier[tap].map { results[$0 + first + distance * walk.inner] } ?? .zero
                sum.add(number, times: results[coefficients + tap])
              }
            }
            results[row] = sum.result
            row += 1
          }
        }
      }
    }
  }
}
