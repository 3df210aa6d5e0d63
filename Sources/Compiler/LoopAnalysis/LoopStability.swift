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
  static let mostWork = 100_000_000.0
  /// From so many places zeros are searched.
  static let mostSearches = 12

  let part: LoopPart
  /// Of the circle: what grows by less after the way around is not seen.
  let radius: Double

  init(_ part: LoopPart) {
    self.part = part
    radius = pow(1 + Self.margin, -1 / Double(part.framesAround))
  }

  init(_ part: LoopPart, radius: Double) { (self.part, self.radius) = (part, radius) }

  /// nil where the part may die away.
  var growth: LoopGrowth? {
    guard !part.isQuiet else { return nil }
    guard part.hasLines else { return growthOfFilter }
    let filters = part.filters.compactMap { LoopStability($0).growth }
    guard let loudest = filters.max(by: { $0.gain < $1.gain }) else { return growthOfLines }
    // Lines could hold it back.
    return growsAtAnEnd || walk(0 ... .pi).map(hasZeros) ?? false ? loudest : nil
  }

  /// All of a few frames.
  private var growthOfFilter: LoopGrowth? {
    guard let walk = walk(0 ... .pi), hasZeros(walk) else { return nil }
    let nearest = walk.samples.sorted { $0.value.squaredMagnitude < $1.value.squaredMagnitude }
    let step = nearest.count / Self.mostSearches + 1
    let places = stride(from: 0, to: nearest.count, by: step).map { nearest[$0].place }
    return loudest(from: [0, .pi] + places)
      ?? LoopGrowth(frames: part.framesAround, gain: 1, frequency: nearest[0].place)
  }

  // MARK: Turns

  func determinant(_ angle: Double) -> Complex { part.determinant(radius: radius, angle: angle) }

  /// At 0 the determinant is 1: where it lies below 0 on the circle, there is a zero in between.
  private var growsAtAnEnd: Bool { determinant(0).real < 0 || determinant(.pi).real < 0 }

  /// Whether zeros lie inside of the circle around the half of which a walk led.
  private func hasZeros(_ walk: PhaseWalk) -> Bool { walk.turn > .pi / 2 }

  /// The determinant along an arc of the circle, in all its turns; nil where that takes too long, or meets a zero.
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

  // MARK: Zeros

  /// The growth of the fastest-growing zero found from some frequencies; of equal ones that of the lowest.
  ///
  /// - Parameter level: How loud the response is at most.
  func loudest(from places: [Double], level: Double = 1) -> LoopGrowth? {
    // On the circle, and where it is as far inside as one line of all frames would be.
    let depths = level > 1 ? [0, log(level) / Double(part.longest)] : [0]
    let found = places.flatMap { place in depths.compactMap { search(from: place, depth: $0) } }
    guard let most = found.map(\.gain).max() else { return nil }
    return found.filter { $0.gain >= most * (1 - Self.margin) }.min { $0.frequency < $1.frequency }
  }

  /// The growth of the zero that Newton's method for the logarithm of w finds from a frequency; nil where
  /// that is not inside of the circle.
  private func search(from angle: Double, depth: Double) -> LoopGrowth? {
    let (longest, frames) = (Double(part.longest), part.framesAround)
    func determinant(_ logarithm: Complex) -> Complex {
      part.determinant(radius: exp(logarithm.real), angle: logarithm.imaginary)
    }
    var place = Complex(log(radius) - depth, angle)
    let aside = Complex(1e-6 / Double(part.degree))
    for _ in 0..<80 {
      let slope = (determinant(place + aside) - determinant(place - aside)) * (0.5 / aside.real)
      let step = determinant(place) / slope
      // Further it is no guess any more.
      let kept = min(1, 1 / (longest * step.magnitude))
      guard kept.isFinite else { return nil }
      place = place - step * kept
      guard step.magnitude < 1e-9 / longest else { continue }
      let gain = exp(-place.real * Double(frames))
      guard place.real < log(radius), gain.isFinite else { return nil }
      return LoopGrowth(
        frames: frames, gain: gain, frequency: abs(place.imaginary.remainder(dividingBy: 2 * .pi)))
    }
    return nil
  }
}

/// How a linear loop grows without end.
struct LoopGrowth {
  /// How long the way around is.
  var frames: Int
  /// How much louder it is after it; 1 where that is not found.
  var gain: Double
  /// Of what grows most: radians a frame, 0 to π.
  var frequency: Double
}
