// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphPlanning
import LLVMText
import NativeCode
import Testing

@Suite struct MathSpecialValueTests {
  private static let denormal = Float.leastNormalMagnitude / 4

  /// Arguments and exact results; what is not a number equals itself here.
  static let table: [(function: String, argument: Float, result: Float)] = [
    ("tanh", 0, 0), ("tanh", -0.0, -0.0), ("tanh", .infinity, 1), ("tanh", -.infinity, -1),
    ("tanh", 20, 1), ("tanh", -9.5, -1), ("tanh", .greatestFiniteMagnitude, 1), ("tanh", .nan, .nan),
    ("sigmoid", 0, 0.5), ("sigmoid", .infinity, 1), ("sigmoid", -.infinity, 0), ("sigmoid", .nan, .nan),
    ("exp", 0, 1), ("exp", -0.0, 1), ("exp", .infinity, .infinity), ("exp", -.infinity, 0),
    ("exp", 88.8, .infinity), ("exp", -104, 0), ("exp", -1000, 0), ("exp", .nan, .nan),
    ("log", 1, 0), ("log", 0, -.infinity), ("log", -0.0, -.infinity), ("log", denormal, -.infinity),
    ("log", -denormal, -.infinity), ("log", -1, .nan), ("log", -.infinity, .nan),
    ("log", .infinity, .infinity), ("log", .nan, .nan),
    ("sin", 0, 0), ("sin", -0.0, -0.0), ("sin", .infinity, .nan), ("sin", -.infinity, .nan),
    ("sin", .nan, .nan), ("cos", 0, 1), ("cos", -0.0, 1), ("cos", .infinity, .nan), ("cos", .nan, .nan),
    ("tan", 0, 0), ("tan", -0.0, -0.0), ("tan", -.infinity, .nan), ("tan", .nan, .nan),
    ("erf", 0, 0), ("erf", -0.0, -0.0), ("erf", .infinity, 1), ("erf", -.infinity, -1),
    ("erf", .nan, .nan),
    ("sign", 0, 0), ("sign", -0.0, -0.0), ("sign", .leastNormalMagnitude, 1), ("sign", -3, -1),
    ("sign", .infinity, 1), ("sign", -.infinity, -1), ("sign", .nan, .nan),
  ]

  @Test(arguments: MathFunction.all.filter { $0.operands == 1 })
  func singlePoints(function: MathFunction) throws {
    let rows = Self.table.filter { $0.function == function.name }
    let arguments = rows.map(\.argument)
    try #require(!rows.isEmpty)
    for target in try Target.runnable {
      let program = try MathProgram(function, target: target, width: target.lanes, vectors: 2)
      for (row, value) in zip(rows, program(arguments, arguments)) {
        #expect(
          Self.same(value, row.result), "\(row.function)(\(row.argument)) is \(value) for \(target.cpu)")
      }
    }
  }

  private static let magnitudes: [Float] = [
    0, 1, 2, 3, 0.5, 2.5, 0x1.fffffep-1, 0x1.000002p0, 0x1p23 + 1, 0x1p24 + 2, 1e-30, 1e30,
    .leastNormalMagnitude, denormal, .greatestFiniteMagnitude, .infinity,
  ]

  /// Every pair of these must give what C gives, with denormals as zeros.
  static let corners: [Float] = magnitudes + magnitudes.map { -$0 } + [.nan]

  @Test func powerOfCorners() throws {
    try compareCorners("power", bound: 7e-8) { Glibc.powf($0, $1) }
  }

  @Test func arctangentOfCorners() throws {
    try compareCorners("atan2", bound: 1.9e-7) { Glibc.atan2f($0, $1) }
  }

  private func compareCorners(
    _ name: String, bound: Float, _ reference: (Float, Float) -> Float
  ) throws {
    let pairs = Self.corners.flatMap { x in Self.corners.map { (x, $0) } }
    for target in try Target.runnable {
      let program = try MathProgram(
        MathFunction.named(name), target: target, width: target.lanes, vectors: 1)
      var failures: [String] = []
      for (pair, value) in zip(pairs, program(pairs.map(\.0), pairs.map(\.1))) {
        let exact = Self.flushed(reference(Self.flushed(pair.0), Self.flushed(pair.1)))
        let isNear = exact.isFinite && exact != 0 && (value - exact).magnitude <= 2 * bound * exact.magnitude
        if isNear || Self.same(Self.flushed(value), exact) { continue }
        failures.append("\(name)(\(pair.0), \(pair.1)) is \(value), not \(exact), for \(target.cpu)")
      }
      #expect(failures.isEmpty)
    }
  }

  @Test func moduloOfCorners() throws {
    let rows: [(x: Float, y: Float, result: Float)] = [
      (5, 3, 2), (-5, 3, 1), (5, -3, -1), (-5, -3, -2), (6, 3, 0), (7.5, 1, 0.5), (-0.25, 1, 0.75),
      (0, 3, 0), (1, 0, .nan), (0, 0, .nan), (-1, -0.0, .nan), (.infinity, 3, .nan), (.nan, 3, .nan),
      (3, .nan, .nan), (0x1p24, 3, 1), (1, 0.1, 0.099999987),
    ]
    for target in try Target.runnable {
      let program = try MathProgram(
        MathFunction.named("modulo"), target: target, width: target.lanes, vectors: 1)
      for (row, value) in zip(rows, program(rows.map(\.x), rows.map(\.y))) {
        #expect(Self.same(value, row.result), "\(row.x) % \(row.y) is \(value) for \(target.cpu)")
      }
    }
  }

  /// Odd functions are odd to the bit, and what is bounded by 1 never exceeds it, however large the argument.
  @Test(arguments: ["tanh", "erf", "sin", "cos"])
  func neverExceedsOne(name: String) throws {
    let arguments = (0..<0x7f80).flatMap { high in
      [0, 0x5555, 0xffff].map { Float(bitPattern: UInt32(high) << 16 | $0) }
    }
    for target in try Target.runnable {
      let program = try MathProgram(
        MathFunction.named(name), target: target, width: target.lanes, vectors: 4)
      let values = program(arguments, arguments)
      let mirrored = program(arguments.map { -$0 }, arguments)
      let excess = arguments.indices.first { !(values[$0].magnitude <= 1) }
      #expect(excess == nil, "\(name)(\(arguments[excess!])) is \(values[excess!]) for \(target.cpu)")
      let sign: Float = name == "cos" ? 1 : -1
      // Of larger angles, the quadrants say nothing.
      let skew = arguments.indices.first {
        arguments[$0] < 1e15 && mirrored[$0].bitPattern != (sign * values[$0]).bitPattern
      }
      #expect(skew == nil, "\(name)(±\(arguments[skew!])) for \(target.cpu)")
    }
  }

  private static func same(_ a: Float, _ b: Float) -> Bool {
    a.isNaN && b.isNaN || a.bitPattern == b.bitPattern
  }

  private static func flushed(_ x: Float) -> Float {
    x.isSubnormal ? (x.sign == .minus ? -0.0 : 0) : x
  }
}
