// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning

extension Target {
  /// Checks that the machine at hand executes all that LLVM may use for this target.
  ///
  /// Without the check, code for a better machine would end the process with SIGILL.
  ///
  /// - Parameter cache: where it may be known what this machine is.
  /// - Throws: `cannotRunHere`, with what the machine lacks; or what `LLVMLibrary.shared` throws.
  package func requireRunsHere(_ cache: CodeCache? = nil) throws(NativeCodeError) {
    let host = try Target.host(cache)
    if let obstacle = obstacle(on: host) { throw .cannotRunHere(cpu: name, reason: obstacle) }
  }

  /// Whether the machine at hand executes all that LLVM may use for this target.
  package var runsHere: Bool {
    get throws(NativeCodeError) { try obstacle(on: Target.host()) == nil }
  }

  /// The reason why a machine cannot execute this target's code, or nil.
  package func obstacle(on machine: Target) -> String? {
    guard architecture == machine.architecture else { return "which is \(machine.architecture)" }
    let lacking = requiredFeatures.subtracting(Target.present(in: machine.features))
    return lacking.isEmpty ? nil : "which lacks \(lacking.sorted().joined(separator: ", "))"
  }

  private var requiredFeatures: Set<String> {
    let version3: Set = [
      "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3",
      "sse4.1", "sse4.2", "ssse3",
    ]
    let version4: Set = ["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]
    let named =
      switch cpu {
      case "x86-64-v3": version3
      case "x86-64-v4": version3.union(version4)
      default: Set<String>()
      }
    return named.union(Target.present(in: features))
  }
}
