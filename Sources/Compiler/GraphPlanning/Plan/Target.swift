// SPDX-License-Identifier: Apache-2.0

/// The machine that code is made for.
package struct Target: Hashable, Sendable {
  /// An LLVM target triple, such as `x86_64-pc-linux-gnu`.
  package var triple: String
  /// LLVM's name of the CPU, such as `x86-64-v3` or `znver4`.
  package var cpu: String
  /// LLVM's feature string, such as `+avx2,-avx512f`; empty where the CPU's name says all.
  package var features: String
  /// Bytes of the widest vector register: 16, 32 or 64.
  package var vectorBytes: Int
  /// The number of vector registers.
  package var vectorRegisters: Int
  /// Whether the target has fused multiply-add for vectors of float.
  package var hasFMA: Bool
  /// Whether the target rounds vectors in one instruction (SSE4.1 on x86); without it, LLVM calls libm.
  package var hasVectorRounding: Bool

  package init(
    triple: String, cpu: String, features: String, vectorBytes: Int, vectorRegisters: Int,
    hasFMA: Bool, hasVectorRounding: Bool
  ) {
    self.triple = triple
    self.cpu = cpu
    self.features = features
    self.vectorBytes = vectorBytes
    self.vectorRegisters = vectorRegisters
    self.hasFMA = hasFMA
    self.hasVectorRounding = hasVectorRounding
  }

  /// The number of floats in a vector register.
  package var lanes: Int { vectorBytes / 4 }

  /// Whether an operand of an instruction may stand in memory.
  package var takesOperandsFromMemory: Bool { architecture == "x86_64" }

  /// The target's name in messages: the CPU's, or the architecture's where the CPU is any of them.
  package var name: String { cpu == "generic" ? architecture : cpu }

  /// The first part of the triple, such as `x86_64`.
  package var architecture: String { String(triple.prefix { $0 != "-" }) }
}

extension Target {
  /// The x86-64 levels that a user can name, whatever machine compiles.
  package static func x86(level name: String) -> Target? {
    let triple = "x86_64-pc-linux-gnu"
    switch name {
    case "x86-64":
      return Target(
        triple: triple, cpu: name, features: "", vectorBytes: 16, vectorRegisters: 16,
        hasFMA: false, hasVectorRounding: false)
    case "x86-64-v3":
      return Target(
        triple: triple, cpu: name, features: "", vectorBytes: 32, vectorRegisters: 16,
        hasFMA: true, hasVectorRounding: true)
    case "x86-64-v4":
      return Target(
        triple: triple, cpu: name, features: "", vectorBytes: 64, vectorRegisters: 32,
        hasFMA: true, hasVectorRounding: true)
    default:
      return nil
    }
  }

  /// Every 64-bit Arm: ARMv8-A, whose vectors have 16 bytes and know fused multiply-add and rounding.
  package static let aarch64 = Target(
    triple: "aarch64-unknown-linux-gnu", cpu: "generic", features: "", vectorBytes: 16, vectorRegisters: 32,
    hasFMA: true, hasVectorRounding: true)
}
