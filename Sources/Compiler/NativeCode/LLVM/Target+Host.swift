// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning

extension Target {
  /// The names that `named` accepts.
  package static let names = ["host", "x86-64", "x86-64-v3", "x86-64-v4", "aarch64"]

  /// The target that a user has named.
  ///
  /// - Throws: `unknownCPU` with the names there are; for `host`, what `host()` throws.
  package static func named(_ name: String, cache: CodeCache? = nil) throws(NativeCodeError) -> Target {
    if name == "host" { return try host(cache) }
    if name == "aarch64" { return aarch64 }
    guard let level = x86(level: name) else { throw .unknownCPU(name) }
    return level
  }

  /// The machine at hand, as LLVM sees it: the CPU's name, and what this CPU really has.
  ///
  /// - Parameter cache: where it may be known already.
  /// - Throws: what `LLVMLibrary.shared` throws.
  package static func host(_ cache: CodeCache? = nil) throws(NativeCodeError) -> Target {
    if let cache { return try cache.host() }
    let library = try LLVMLibrary.shared()
    return Target(
      triple: library.hostTriple, cpu: library.hostCPU, features: library.hostFeatures)
  }

  /// Derives what the planner asks for from LLVM's features.
  package init(triple: String, cpu: String, features: String) {
    let present = Target.present(in: features)
    let isX86 = triple.hasPrefix("x86_64")
    let vectorBytes =
      if present.isSuperset(of: ["avx512f", "avx512vl", "avx512dq", "avx512bw"]) {
        64
      } else if present.contains("avx2") {
        32
      } else {
        16
      }
    self.init(
      triple: triple, cpu: cpu, features: features, vectorBytes: vectorBytes,
      vectorRegisters: isX86 && vectorBytes < 64 ? 16 : 32,
      hasFMA: !isX86 || present.contains("fma"),
      hasVectorRounding: !isX86 || present.contains("sse4.1"))
  }

  /// The features that a feature string switches on.
  static func present(in features: String) -> Set<String> {
    Set(features.split(separator: ",").filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) })
  }
}
