// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// What adds up over rows: reductions, matrices and convolutions.
extension Run {
  mutating func reduce(
    _ kind: Kernel.Reduction, _ node: Int, _ start: Int, outer: Int, extent: Int, inner: Int, from base: Int
  ) {
    let x = results[program.operands[node][0]]
    for major in 0..<outer {
      for minor in 0..<inner {
        let first = base + major * extent * inner + minor
        let result: Estimate
        switch kind {
        case .sum where extent == 1:
          // A sum that begins with zero makes +0 of -0.
          result = x[first].withZeroOfEitherSign
        case .sum:
          var sum = EstimateSum()
          for position in 0..<extent { sum.add(x[first + position * inner]) }
          result = sum.result
        case .maximum:
          var largest = x[first]
          for position in 1..<max(1, extent) { largest = .larger(largest, x[first + position * inner]) }
          result = largest
        }
        results[node][start + major * inner + minor] = result
      }
    }
  }

  mutating func dense(
    _ node: Int, _ start: Int, outer: Int, inputs: Int, outputs: Int, inner: Int, _ bases: [Int]
  ) {
    let operands = program.operands[node]
    let (x, weight) = (results[operands[0]], results[operands[1]])
    for major in 0..<outer {
      for output in 0..<outputs {
        for minor in 0..<inner {
          var sum = EstimateSum()
          if operands.count > 2 { sum.add(results[operands[2]][bases[2] + output]) }
          for input in 0..<inputs {
            sum.add(
              x[bases[0] + (major * inputs + input) * inner + minor],
              times: weight[bases[1] + output * inputs + input])
          }
          results[node][start + (major * outputs + output) * inner + minor] = sum.result
        }
      }
    }
  }

  /// `y[o, p] = bias[o] + Σ weight[o, i, k] · x[i, p · stride + k · dilation]` over the channels of o's group; along
  /// frames the last tap meets the present frame, `x[i, t - (taps - 1 - k) · dilation]`, and what is before the
  /// start is zero.
  mutating func convolve(_ node: Int, _ frame: Int, _ walk: ConvolutionWalk) {
    let operands = program.operands[node]
    let (x, weight) = (results[operands[0]], results[operands[1]])
    let (present, weightBase) = (base(operands[0], frame)!, base(operands[1], frame)!)
    let earlier = (0..<walk.taps).map { tap in
      walk.alongFrames ? base(operands[0], frame - (walk.taps - 1 - tap) * walk.dilation) : present
    }
    let inputs = walk.channels / walk.groups
    var row = base(node, frame)!
    for major in 0..<walk.outer {
      for output in 0..<walk.outputs {
        let firstChannel = major * walk.channels + output / (walk.outputs / walk.groups) * inputs
        for position in 0..<walk.positions {
          for minor in 0..<walk.inner {
            var sum = EstimateSum()
            if operands.count > 2 { sum.add(results[operands[2]][base(operands[2], frame)! + output]) }
            for input in 0..<inputs {
              let channel = (firstChannel + input) * walk.extent
              for tap in 0..<walk.taps {
                let place = walk.alongFrames ? 0 : position * walk.stride + tap * walk.dilation
                let coefficient = weight[weightBase + (output * inputs + input) * walk.taps + tap]
                let number = earlier[tap].map { x[$0 + (channel + place) * walk.inner + minor] } ?? .zero
                sum.add(number, times: coefficient)
              }
            }
            results[node][row] = sum.result
            row += 1
          }
        }
      }
    }
  }
}
