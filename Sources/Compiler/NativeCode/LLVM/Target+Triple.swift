// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning

extension Target {
  /// The baseline CPU of a triple's machine, with the triple as LLVM spells it; nil where no code can be made for it.
  ///
  ///     x86_64-linux-gnu   → x86-64,  x86_64-unknown-linux-gnu
  ///     aarch64-none-elf   → aarch64, aarch64-unknown-none-elf
  ///
  /// Objects are ELF, and calls follow the conventions of Unix: Linux of any kind, and machines without a system.
  package static func baseline(ofTriple triple: String) -> Target? {
    var parts = triple.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard (2...4).contains(parts.count), !parts.contains("") else { return nil }
    var target: Target
    switch parts.removeFirst() {
    case "x86_64", "amd64":
      guard let level = x86(level: "x86-64") else { return nil }
      target = level
    case "aarch64", "arm64": target = aarch64
    case _: return nil
    }
    let vendor = systems.contains(parts[0]) ? "unknown" : parts.removeFirst()
    guard let system = parts.first, systems.contains(system), parts.count <= 2 else { return nil }
    target.triple = ([target.architecture, vendor] + parts).joined(separator: "-")
    return target
  }

  private static let systems = ["linux", "none"]

  /// The names that `named` understands for a triple's machine, the baseline first; none where there is no such
  /// machine.
  package static func names(ofTriple triple: String) -> [String] {
    guard let baseline = baseline(ofTriple: triple) else { return [] }
    return names.sorted { $0 == baseline.name && $1 != baseline.name }.filter { name in
      name == "host"
        ? baseline.architecture == hostArchitecture : architecture(ofCPU: name) == baseline.architecture
    }
  }

  private static func architecture(ofCPU name: String) -> String {
    (x86(level: name) ?? aarch64).architecture
  }

  /// The machine that this process is made for.
  static var hostArchitecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #endif
  }

  /// The target that a user has named, with a triple in place of the usual one.
  ///
  /// - Throws: what `named` throws; `unknownTriple`; `foreignCPU` where the CPU is none of the triple's machine.
  package static func named(
    _ name: String, triple: String?, cache: CodeCache? = nil
  ) throws(NativeCodeError) -> Target {
    guard let triple else { return try named(name, cache: cache) }
    guard let baseline = baseline(ofTriple: triple) else { throw .unknownTriple(triple) }
    guard names(ofTriple: triple).contains(name) else { throw .foreignCPU(name, triple: triple) }
    var target = try named(name, cache: cache)
    target.triple = baseline.triple
    return target
  }
}
