// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Taps from frame 0 on in place of those that stand before it: of all there are, those that sound most like them.
///
///     … -0.1  0.2 │ 0.9  0.3 …      a response that begins sharply, resampled: it rings before it begins
///     →         0 │ 1.1  0.2 …      the same at what is heard, and no frame later
///
/// To leave those taps out would change the loudness, to wait for them the phase against sound that does not. Least squares
/// of the spectra's difference, by which the taps c solve a system with the weights' inverse transform w:
///
///     Σ w[m - n] c[n]  =  Σ w[m - p] before[p]        n, m from 0 on, p below 0
///
/// The difference counts most in the lower three quarters of what both rates have. What lies above is nearly free: there
/// the taps pay for coming late.
struct CausalBeginning {
  /// Frames of the file that last as long as one of the model.
  let ratio: Double

  /// Taps for each frame of the slower rate.
  private static let taps = 64.0
  /// Bands by their upper edges, in shares of what both rates have, and how much a difference counts in them. The more
  /// of a fast model's band is free, the less it must count to leave what is heard alone.
  private var bands: [(edge: Double, weight: Double)] {
    let common = min(1, ratio)
    return [(0.75 * common, 1), (0.9 * common, 0.1), (1, 3e-4 * common * common)]
  }

  func taps(insteadOf before: ArraySlice<Double>) -> [Double] {
    guard before.contains(where: { $0 != 0 }) else { return [] }
    let count = Int(Self.taps / min(1, ratio))
    let kernel = (0..<count + before.count).map { weight(Double($0)) }
    let wanted = (0..<count).map { tap in
      zip(before.reversed(), kernel[(tap + 1)...]).reduce(0) { $0 + $1.0 * $1.1 }
    }
    return Self.solution(kernel[..<count], wanted)
  }

  /// The inverse transform of the weights.
  private func weight(_ distance: Double) -> Double {
    var (sum, below) = (0.0, 0.0)
    for band in bands {
      func share(_ edge: Double) -> Double {
        distance == 0 ? edge : sin(.pi * edge * distance) / (.pi * distance)
      }
      sum += band.weight * (share(band.edge) - share(below))
      below = band.edge
    }
    return sum
  }

  /// Solves a symmetric Toeplitz system by Levinson's recursion.
  ///
  /// - Parameter row: the first row of the matrix.
  private static func solution(_ row: ArraySlice<Double>, _ wanted: [Double]) -> [Double] {
    // The solution for the leading part, and that for (0, …, 0, 1), back to front.
    var (solution, edge) = ([wanted[0] / row[0]], [1 / row[0]])
    for size in 1..<wanted.count {
      let miss = (0..<size).reduce(0) { $0 + row[size - $1] * edge[$1] }
      let scale = 1 / (1 - miss * miss)
      edge = (0...size).map { place in
        let (own, mirrored) = (place < size ? edge[place] : 0, place > 0 ? edge[size - place] : 0)
        return scale * (own - miss * mirrored)
      }
      let rest = wanted[size] - (0..<size).reduce(0) { $0 + row[size - $1] * solution[$1] }
      solution.append(0)
      for place in 0...size { solution[place] += rest * edge[size - place] }
    }
    return solution
  }
}
