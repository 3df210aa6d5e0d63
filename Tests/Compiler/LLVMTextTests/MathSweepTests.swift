// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode
import TestEquipment
import Testing

@Suite struct MathSweepTests {
  private static let count = 1_000_000

  /// Half of the operands walk through a band, half through all exponents and both signs.
  private static func operands(of function: MathFunction) -> (x: [Float], y: [Float]) {
    var generator = SplitMix(seed: 0x1e9a70)
    let (low, high) = (function.band.lowerBound, function.band.upperBound)
    var (x, y) = ([Float](), [Float]())
    x.reserveCapacity(count)
    y.reserveCapacity(count)
    for index in 0..<count / 2 {
      let random = generator.next()
      x.append(low + (high - low) * (Float(index) / Float(count / 2)))
      y.append(low + (high - low) * Float(random >> 40) * 0x1p-24)
      x.append(anyNormal(UInt32(truncatingIfNeeded: index &* 8590)))
      y.append(anyNormal(UInt32(truncatingIfNeeded: random)))
    }
    return (x, y)
  }

  /// A float of these bits, or a normal one next to it.
  private static func anyNormal(_ bits: UInt32) -> Float {
    let value = Float(bitPattern: bits)
    return value.isNormal ? value : Float(bitPattern: bits ^ 0x4000_0000)
  }

  @Test(arguments: MathFunction.all)
  func staysWithinItsBound(function: MathFunction) throws {
    let (x, y) = Self.operands(of: function)
    let exact = x.indices.map { function.exact(Double(x[$0]), Double(y[$0])) }
    for target in try Target.runnable {
      let native = try MathProgram(function, target: target, width: target.lanes, vectors: 4)(x, y)
      var (worst, place) = (0.0, 0)
      for index in native.indices {
        let excess = Self.excess(
          native[index], exact[index], argument: x[index], y[index], function)
        if !(excess <= worst) { (worst, place) = (excess, index) }
      }
      #expect(
        worst <= 1,
        "\(function.name)(\(x[place]), \(y[place])) for \(target.cpu): \(native[place]), not \(exact[place])")
    }
  }

  /// The error as a part of what is allowed; not a number where only one of the values is.
  private static func excess(
    _ native: Float, _ exact: Double, argument x: Float, _ y: Float, _ function: MathFunction
  ) -> Double {
    let value = Double(native)
    // Far away, nothing is claimed of a remainder.
    if function.name == "modulo", (x / y).magnitude >= 0x1p28 { return 0 }
    if exact.isNaN { return value.isNaN ? 0 : .nan }
    let smallest = Double(Float.leastNormalMagnitude)
    if exact.magnitude < smallest { return value.magnitude <= smallest ? 0 : .infinity }
    let radius = function.accuracy.radius(exact: exact, argument: Double(x))
    let largest = Double(Float.greatestFiniteMagnitude)
    if value.isInfinite { return exact.magnitude + radius > largest && exact * value > 0 ? 0 : .infinity }
    let error = (value - exact).magnitude
    return error == 0 ? 0 : error / radius
  }

  @Test(arguments: MathFunction.all)
  func doesNotDependOnTheWidth(function: MathFunction) throws {
    let (all, others) = Self.operands(of: function)
    let (x, y) = (Array(all.prefix(20_000)), Array(others.prefix(20_000)))
    for target in try Target.runnable {
      let expected = try MathProgram(function, target: target, width: 1, vectors: 1)(x, y)
      for (width, vectors) in [(1, 3), (target.lanes, 1), (target.lanes, 4), (4 * target.lanes, 1)] {
        let values = try MathProgram(function, target: target, width: width, vectors: vectors)(x, y)
        let differing = x.indices.first {
          values[$0].bitPattern != expected[$0].bitPattern && !(values[$0].isNaN && expected[$0].isNaN)
        }
        #expect(
          differing == nil,
          "\(function.name) of \(differing.map { (x[$0], y[$0]) }!), \(vectors) × \(width), \(target.cpu)")
      }
    }
  }

  /// Levels that cannot be executed here are named in the test's report, and nothing is claimed of them.
  @Test(
    .enabled("this machine has no AVX-512: x86-64-v4 is compiled, but not executed") {
      try Target.x86(level: "x86-64-v4")!.runsHere
    })
  func coversTheWidestVectors() throws {
    #expect(try Target.runnable.map(\.cpu) == ["x86-64", "x86-64-v3", "x86-64-v4"])
  }
}
