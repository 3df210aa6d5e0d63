// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Numbers that are known when the code is made.
extension FunctionBuilder {
  /// A vector of floats that a block has loaded.
  struct LoadedConstant: Hashable {
    var bits: UInt32
    var width: Int
  }

  /// A float in all lanes: written out, or loaded from the module's constants.
  ///
  ///     @float.16.3E800000 = private unnamed_addr constant <16 x float> splat (float 0x3FD0000000000000), align 64
  ///     …
  ///     %v7 = load <16 x float>, ptr @float.16.3E800000, align 64, !invariant.load !0
  ///
  /// The code is the same, for LLVM places vectors in memory anyhow. But a vector that is written out stands for as
  /// many numbers as it has lanes while LLVM selects instructions, which takes a tenth longer. Where size matters they
  /// are written out: LLVM then keeps one lane in memory.
  package func constant(_ value: Float) -> Lanes {
    guard width > 1, value.bitPattern != 0, goal == .speed else {
      return splat("float \(Self.literal(value))", .float)
    }
    let key = LoadedConstant(bits: value.bitPattern, width: width)
    if let loaded = loadedConstants[key] { return loaded }
    let type = Lanes.type(.float, width: width)
    declare("!0 = !{}")
    let name = define("load \(type), ptr \(place(of: value)), align \(width * 4), !invariant.load !0")
    let lanes = Lanes(names: [name], element: .float, width: width)
    loadedConstants[key] = lanes
    return lanes
  }

  /// A float that vectors are multiplied by or added to.
  ///
  /// Staggered vectors read it from memory each for itself, as an operand of the instruction that uses it: registers
  /// are few while parameters change. It is read as if it were volatile, so that LLVM neither makes one reading of them
  /// all nor puts the vectors side by side again, which both fill the registers up.
  ///
  /// - Parameter vectors: How many use it.
  package func coefficient(_ value: Float, vectors: Int) -> Lanes {
    guard isStaggered, vectors > 1, value.bitPattern != 0 else { return constant(value) }
    let type = Lanes.type(.float, width: width)
    let place = place(of: value)
    var names: [String] = []
    forEachVector(vectors) { _ in
      names.append(define("load volatile \(type), ptr \(place), align \(width * 4)"))
    }
    return Lanes(names: names, element: .float, width: width)
  }

  /// The global constant that holds a float for all lanes.
  private func place(of value: Float) -> String {
    let constant = LoadedConstant(bits: value.bitPattern, width: width)
    if let known = placesOfConstants[constant] { return known }
    let place = "@float.\(width).\(Self.digits(value.bitPattern))"
    placesOfConstants[constant] = place
    let number = "<\(width) x float> splat (float \(Self.literal(value)))"
    declare("\(place) = private unnamed_addr constant \(number), align \(width * 4)")
    return place
  }

  package func constant(double value: Double) -> Lanes {
    splat("double \(Self.literal(double: value))", .double)
  }

  package func constant(int32 value: Int32) -> Lanes {
    splat("i32 \(value)", .i32)
  }

  package func constant(int64 value: Int64) -> Lanes {
    splat("i64 \(value)", .i64)
  }

  private func splat(_ typed: String, _ element: ElementType) -> Lanes {
    let name = width == 1 ? String(typed.drop { $0 != " " }.dropFirst()) : "splat (\(typed))"
    return Lanes(names: [name], element: element, width: width)
  }

  /// A float as IR writes it: the bits of the double of the same value.
  package static func literal(_ value: Float) -> String { literal(double: Double(value)) }

  package static func literal(double value: Double) -> String { "0x" + digits(value.bitPattern) }

  private static func digits<Bits: FixedWidthInteger>(_ bits: Bits) -> String {
    let digits = String(bits, radix: 16, uppercase: true)
    return String(repeating: "0", count: Bits.bitWidth / 4 - digits.count) + digits
  }
}
