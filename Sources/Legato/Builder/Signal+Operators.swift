// SPDX-License-Identifier: Apache-2.0

/// Arithmetic with signals and numbers, element by element.
extension Signal {
  /// The sum.
  public static func + (x: Signal, y: Signal) -> Signal { x.call("+", [("y", y)]) }
  public static func + (x: Signal, y: Float) -> Signal { x + x.number(y) }
  public static func + (x: Float, y: Signal) -> Signal { y.number(x) + y }

  /// The difference.
  public static func - (x: Signal, y: Signal) -> Signal { x.call("-", [("y", y)]) }
  public static func - (x: Signal, y: Float) -> Signal { x - x.number(y) }
  public static func - (x: Float, y: Signal) -> Signal { y.number(x) - y }

  /// The product.
  public static func * (x: Signal, y: Signal) -> Signal { x.call("*", [("y", y)]) }
  public static func * (x: Signal, y: Float) -> Signal { x * x.number(y) }
  public static func * (x: Float, y: Signal) -> Signal { y.number(x) * y }

  /// The quotient; x / 0 as IEEE 754 says.
  public static func / (x: Signal, y: Signal) -> Signal { x.call("/", [("y", y)]) }
  public static func / (x: Signal, y: Float) -> Signal { x / x.number(y) }
  public static func / (x: Float, y: Signal) -> Signal { y.number(x) / y }

  /// The remainder x - y * floor(x / y), with the sign of y.
  public static func % (x: Signal, y: Signal) -> Signal { x.call("%", [("y", y)]) }
  public static func % (x: Signal, y: Float) -> Signal { x % x.number(y) }
  public static func % (x: Float, y: Signal) -> Signal { y.number(x) % y }

  /// The negative, -x.
  public static prefix func - (x: Signal) -> Signal { x.call("negate") }
}

/// Comparisons: 1 where they hold, else 0. They are written with a point, as those of SIMD vectors are.
extension Signal {
  public static func .< (x: Signal, y: Signal) -> Signal { x.call("<", [("y", y)]) }
  public static func .< (x: Signal, y: Float) -> Signal { x .< x.number(y) }

  public static func .<= (x: Signal, y: Signal) -> Signal { x.call("<=", [("y", y)]) }
  public static func .<= (x: Signal, y: Float) -> Signal { x .<= x.number(y) }

  public static func .> (x: Signal, y: Signal) -> Signal { x.call(">", [("y", y)]) }
  public static func .> (x: Signal, y: Float) -> Signal { x .> x.number(y) }

  public static func .>= (x: Signal, y: Signal) -> Signal { x.call(">=", [("y", y)]) }
  public static func .>= (x: Signal, y: Float) -> Signal { x .>= x.number(y) }

  public static func .== (x: Signal, y: Signal) -> Signal { x.call("==", [("y", y)]) }
  public static func .== (x: Signal, y: Float) -> Signal { x .== x.number(y) }

  public static func .!= (x: Signal, y: Signal) -> Signal { x.call("!=", [("y", y)]) }
  public static func .!= (x: Signal, y: Float) -> Signal { x .!= x.number(y) }
}
