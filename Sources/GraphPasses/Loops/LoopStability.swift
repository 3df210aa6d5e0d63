// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Whether the numbers of a part grow without end.
///
///     y = x + 1.2 * delay(y, 100)                    1 = 1.2 w^100 has a solution inside of the unit circle
///     y = x - 1.2 * lowpass(delay(y, 100), 800)      likewise: what comes back in phase is low enough
///
/// The determinant of a `LoopPart` has as many zeros inside of a closed curve as it turns around zero along it (the
/// argument principle of Cauchy).
struct LoopStability {
  /// Rounding of what an author takes for 1.
  static let margin = 1e-6
  /// A longer walk is not made, in multiplications.
  static let mostWork = 200_000_000.0

  let part: LoopPart
  /// Of the circle: what grows by less after the way around is not seen.
  let radius: Double

  init(_ part: LoopPart) {
    self.part = part
    radius = pow(1 + Self.margin, -1 / Double(part.wayAround.frames))
  }

  init(_ part: LoopPart, radius: Double) { (self.part, self.radius) = (part, radius) }

  /// nil where the part may die away.
  var growth: LoopGrowth? {
    guard part.hasLines else { return growthOfFilter }
    let filters = part.filters.compactMap { LoopStability($0).growth }
    guard let loudest = filters.max(by: { $0.gain < $1.gain }) else { return growthOfLines }
    // Lines could hold it back.
    return growsAtAnEnd || zeros > 0 ? loudest : nil
  }

  func determinant(_ angle: Double) -> Complex { part.determinant(radius: radius, angle: angle) }

  /// The determinant along an arc of the circle, in all its turns; nil where that takes too long.
  func walk(_ arc: ClosedRange<Double>) -> PhaseWalk? { walk(arc, determinant) }

  /// The same along a ray, from one logarithm of the radius to another.
  func walk(along angle: Double, _ logarithms: ClosedRange<Double>) -> PhaseWalk? {
    walk(logarithms) { part.determinant(radius: exp($0), angle: angle) }
  }

  private func walk(_ range: ClosedRange<Double>, _ function: (Double) -> Complex) -> PhaseWalk? {
    let degree = Double(part.degree)
    guard (range.upperBound - range.lowerBound) * degree * 4 * part.work < Self.mostWork else { return nil }
    return PhaseWalk(range, step: 2 / degree, tolerance: 0.5, function)
  }

  /// How many zeros lie inside of the circle; none where one lies on it, or that takes too long.
  private var zeros: Int { walk(0 ... .pi).map { Int(($0.turn / .pi).rounded()) } ?? 0 }

  /// At 0 the determinant is 1: where it lies below 0 on the circle, there is a zero in between.
  private var growsAtAnEnd: Bool { determinant(0).real < 0 || determinant(.pi).real < 0 }

  /// All of a few frames: the circle is made smaller until no zero is left.
  private var growthOfFilter: LoopGrowth? {
    guard zeros > 0 else { return nil }
    // No zero lies as far inside as that.
    var (least, most) = (log(0.9 / max(part.largestSum, 1)), log(radius))
    for _ in 0..<40 {
      let middle = (least + most) / 2
      let circle = LoopStability(part, radius: exp(middle)).walk(0 ... .pi)
      if let circle, abs(circle.turn) < .pi / 2 { least = middle } else { most = middle }
    }
    let circle = LoopStability(part, radius: exp(least)).walk(0 ... .pi)
    let nearest = circle?.samples.min { $0.value.squaredMagnitude < $1.value.squaredMagnitude }
    let frames = part.wayAround.frames
    return LoopGrowth(frames: frames, gain: exp(-least * Double(frames)), frequency: nearest?.place ?? 0)
  }
}
