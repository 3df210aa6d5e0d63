// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode
import Testing

@Suite struct TargetTests {
  @Test func hostIsDescribed() throws {
    let host = try Target.host()
    #expect(!host.cpu.isEmpty && host.cpu != "generic")
    #expect(host.features.contains("+"))
    #expect(host == (try Target.named("host")))
    #expect(try host.runsHere)
  }

  @Test(arguments: ["x86-64", "x86-64-v3", "x86-64-v4"])
  func levelsAreNamed(name: String) throws {
    #expect(try Target.named(name) == Target.x86(level: name))
  }

  @Test(arguments: ["", "Host", "x86-64-v2", "znver4"])
  func otherNamesAreErrors(name: String) throws {
    let error = #expect(throws: NativeCodeError.unknownCPU(name)) { try Target.named(name) }
    #expect(
      error?.description
        == "no CPU is called '\(name)': choose one of host, x86-64, x86-64-v3, x86-64-v4, aarch64")
  }

  @Test(arguments: [
    ("+sse2,-sse4.1,-fma,-avx2", 16, 16, false, false),
    ("+sse2,+sse4.1,-fma,-avx2", 16, 16, false, true),
    ("+sse4.1,+fma,+avx2,-avx512f", 32, 16, true, true),
    ("+sse4.1,+fma,+avx2,+avx512f,+avx512vl,+avx512dq,-avx512bw", 32, 16, true, true),
    ("+sse4.1,+fma,+avx2,+avx512f,+avx512vl,+avx512dq,+avx512bw", 64, 32, true, true),
  ])
  func featuresDecide(
    features: String, bytes: Int, registers: Int, hasFMA: Bool, rounds: Bool
  ) {
    let target = Target(triple: "x86_64-pc-linux-gnu", cpu: "znver5", features: features)
    #expect(target.vectorBytes == bytes)
    #expect(target.vectorRegisters == registers)
    #expect(target.hasFMA == hasFMA)
    #expect(target.hasVectorRounding == rounds)
  }

  @Test func armHasWhatAllOfThemHave() {
    let target = Target(triple: "aarch64-unknown-linux-gnu", cpu: "cortex-a76", features: "+neon")
    #expect(target.vectorBytes == 16 && target.vectorRegisters == 32)
    #expect(target.hasFMA && target.hasVectorRounding)
  }

  static let haswell =
    "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3,-avx512f"

  @Test(arguments: [
    ("x86-64", nil),
    ("x86-64-v3", nil),
    ("x86-64-v4", "which lacks avx512bw, avx512cd, avx512dq, avx512f, avx512vl"),
  ])
  func aMachineWithoutAVX512(level: String, obstacle: String?) throws {
    let machine = Target(triple: "x86_64-pc-linux-gnu", cpu: "haswell", features: Self.haswell)
    #expect(try Target.named(level).obstacle(on: machine) == obstacle)
  }

  @Test func aMachineWithMaskedFeatures() throws {
    let features = Self.haswell.replacing("+avx2", with: "-avx2").replacing("+fma", with: "-fma")
    let machine = Target(triple: "x86_64-pc-linux-gnu", cpu: "haswell", features: features)
    #expect(try Target.named("x86-64-v3").obstacle(on: machine) == "which lacks avx2, fma")
    #expect(machine.obstacle(on: machine) == nil)
  }

  @Test func anotherArchitecture() throws {
    let machine = Target(triple: "aarch64-unknown-linux-gnu", cpu: "cortex-a76", features: "+neon")
    #expect(try Target.named("x86-64").obstacle(on: machine) == "which is aarch64")
  }

  @Test(arguments: [
    ("x86_64-linux-gnu", "x86_64-unknown-linux-gnu", "x86-64"),
    ("amd64-linux", "x86_64-unknown-linux", "x86-64"),
    ("aarch64-unknown-linux-musl", "aarch64-unknown-linux-musl", "aarch64"),
    ("arm64-none-elf", "aarch64-unknown-none-elf", "aarch64"),
  ])
  func triplesNameBaselines(_ text: String, _ triple: String, _ name: String) throws {
    let target = try #require(Target.baseline(ofTriple: text))
    #expect(target.triple == triple && target.name == name)
    #expect(Target.names(ofTriple: text).first == name)
  }

  @Test(arguments: [
    "", "x86_64", "riscv64-linux-gnu", "x86_64-windows-msvc", "x86_64-pc-linux-gnu-more", "aarch64--linux",
  ])
  func otherTriplesNameNothing(text: String) {
    #expect(Target.baseline(ofTriple: text) == nil && Target.names(ofTriple: text).isEmpty)
    #expect(throws: NativeCodeError.unknownTriple(text)) { try Target.named("x86-64", triple: text) }
  }

  @Test func aTripleNeedsACPUOfItsMachine() throws {
    #expect(throws: NativeCodeError.foreignCPU("x86-64-v3", triple: "aarch64-linux-gnu")) {
      try Target.named("x86-64-v3", triple: "aarch64-linux-gnu")
    }
    let target = try Target.named("x86-64-v3", triple: "x86_64-linux-musl")
    #expect(target.triple == "x86_64-unknown-linux-musl" && target.cpu == "x86-64-v3")
  }
}
