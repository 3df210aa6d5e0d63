// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A parameter set at a frame: the one at which a block begins.
package struct ParameterEvent: Hashable, Sendable {
  /// The absolute frame, or the step.
  package var frame: Int
  /// The parameter's position in the graph.
  package var parameter: Int
  package var value: Float

  package init(frame: Int, parameter: Int, value: Float) {
    self.frame = frame
    self.parameter = parameter
    self.value = value
  }
}

/// The way of one parameter through time.
///
///     target ·············╭──────
///                      ╱
///     start ────────╯             a ramp of `length` frames, begun by a set between two blocks
///
/// All ramps count from one beginning: where one begins, those that move set out anew from where they are.
/// A set before the first frame holds from there; one of a parameter without a ramp jumps.
struct ParameterTrack {
  private let minimum: Float
  private let maximum: Float
  private let rampFrames: Int
  /// Whether ramps are computed in floats, as native code does.
  private let rounds: Bool
  private var start: Estimate
  private var target: Double
  private var length = 0
  private var elapsed = 0

  init(_ declaration: ParameterDeclaration, clock: Clock, rounding rounds: Bool) {
    self.rounds = rounds
    (minimum, maximum) = (declaration.minimum, declaration.maximum)
    rampFrames = clock == .stream ? declaration.rampFrames : 0
    let initial = Self.plain(declaration.initial)
    start = Estimate(certain: initial)
    target = initial
  }

  /// The target changes before the frame is computed; not-a-number is ignored, and so is the present target.
  mutating func set(_ value: Float, atFrame frame: Int) {
    guard !value.isNaN else { return }
    let target = bounded(value)
    guard target != self.target else { return }
    start = current
    self.target = target
    elapsed = 0
    length = frame > 0 ? rampFrames : 0
  }

  /// Whether a set of this value begins a ramp.
  func beginsRamp(_ value: Float, atFrame frame: Int) -> Bool {
    !value.isNaN && frame > 0 && rampFrames > 0 && bounded(value) != target
  }

  /// Sets out anew from where it is, to land where it would have landed.
  mutating func restart() {
    guard elapsed < length else { return }
    start = current
    length -= elapsed
    elapsed = 0
  }

  private func bounded(_ value: Float) -> Double {
    Self.plain(min(max(value, minimum), maximum))
  }

  /// The value at the next frame.
  mutating func advance() -> Estimate {
    if elapsed < length { elapsed += 1 }
    return current
  }

  /// The value at the last executed frame: `start + elapsed · (target - start) / length`.
  ///
  /// Native code rounds the difference, the step (to zero where it is a denormal), in some cases the product, and
  /// the sum. The error of the step leads all of a ramp to one side.
  private var current: Estimate {
    guard elapsed < length else { return Estimate(certain: target) }
    guard elapsed > 0 else { return start }
    let share = Double(elapsed) / Double(length)
    func between(_ start: Double) -> Double { start + share * (target - start) }
    let (low, high) = (between(start.low), between(start.high))
    let distance = max((target - start.low).magnitude, (target - start.high).magnitude)
    let steps = share * distance
    let error =
      Estimate.roundoff * (4 * steps + max(low.magnitude, high.magnitude)) + Double(elapsed)
      * Estimate.smallest
    return Estimate(
      value: rounds ? roundedValue : between(start.value), low: low - error, high: high + error)
  }

  /// The same in floats, the product and the sum rounded once.
  private var roundedValue: Double {
    let (start, target) = (Float(start.value), Float(target))
    return Double(start.addingProduct(Float(elapsed), (target - start) / Float(length)))
  }

  /// A denormal is zero, and zero has one sign.
  private static func plain(_ value: Float) -> Double {
    value.magnitude < .leastNormalMagnitude ? 0 : Double(value)
  }
}
