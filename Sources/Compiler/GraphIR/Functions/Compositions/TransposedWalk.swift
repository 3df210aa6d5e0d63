// SPDX-License-Identifier: Apache-2.0

/// The way of a transposed convolution along one axis, taken apart by the phases of its stride.
///
///     stride 2, taps w0 w1 w2     results 0 2 4 …   x with w2 w0         results 1 3 5 …   x with w1
///
/// Tap t spreads the number at i to the result i · stride + t · dilation, so that a result meets only those taps that lead
/// to its phase: those of each phase are a convolution of stride 1.
struct TransposedWalk {
  /// Phases side by side that meet as many taps, as far behind.
  struct Run {
    var phases: Range<Int>
    /// The first tap of each phase; the others follow `step` taps apart.
    var firstTaps: [Int]
    var count: Int
    /// Positions of x by which the number that meets the first tap is behind the result.
    var lag: Int
  }

  /// The positions of x.
  let extent: Int
  let kernelSize: Int
  let dilation: Int
  let stride: Int
  /// The results that are kept, of all from that of the first tap of the first number on.
  let kept: Range<Int>

  init(extent: Int, kernelSize: Int, dilation: Int, stride: Int, padding: String) {
    (self.extent, self.kernelSize, self.dilation) = (extent, kernelSize, dilation)
    let reach = (kernelSize - 1) * dilation + 1
    switch padding {
    case "full": kept = 0..<(extent - 1) * stride + reach
    case "same":
      let start = max(0, reach - stride) / 2
      kept = start..<start + extent * stride
    default: kept = 0..<extent * stride
    }
    // A single number has no next one, and no more phases than results.
    self.stride = min(stride, kept.upperBound)
  }

  private var common: Int {
    var (a, b) = (stride, dilation)
    while b > 0 { (a, b) = (b, a % b) }
    return a
  }

  /// Taps from one to the next of the same phase, and the positions of x between what they meet.
  var step: Int { stride / common }
  var innerDilation: Int { dilation / common }

  /// The results of each phase that are computed.
  var results: Range<Int> { kept.lowerBound / stride..<(kept.upperBound + stride - 1) / stride }

  /// The phases that meet any taps, in order.
  var runs: [Run] {
    var runs: [Run] = []
    let taps = (0..<min(kernelSize, step)).sorted { $0 * dilation % stride < $1 * dilation % stride }
    for tap in taps {
      let (lag, phase) = (tap * dilation).quotientAndRemainder(dividingBy: stride)
      let count = (kernelSize - tap + step - 1) / step
      if let last = runs.last, last.phases.upperBound == phase, last.count == count, last.lag == lag {
        runs[runs.count - 1].phases = last.phases.lowerBound..<phase + 1
        runs[runs.count - 1].firstTaps.append(tap)
      } else {
        runs.append(Run(phases: phase..<phase + 1, firstTaps: [tap], count: count, lag: lag))
      }
    }
    return runs
  }

  /// The taps that the phases of a run meet, one phase after the other, in the order of the positions of x.
  func taps(of run: Run) -> [Int] {
    run.firstTaps.flatMap { first in (0..<run.count).reversed().map { first + $0 * step } }
  }

  /// A name for these taps, which no others have.
  func name(of run: Run) -> String {
    let phases = "phases \(run.phases.lowerBound) to \(run.phases.upperBound - 1) of \(stride)"
    return "\(kernelSize) taps \(dilation) apart, \(phases)"
  }
}
