// SPDX-License-Identifier: Apache-2.0

/// The reason why a program cannot be made from code, weights and a layout.
public enum ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code follows the conventions of another version of the compiler.
  case version(program: String, found: Int, expected: Int)
  /// The layout contradicts itself; `reason` says where.
  case layout(program: String, reason: String)
  /// The system has no memory for a context in which the program warms up.
  case outOfMemory(program: String, bytes: Int)
  /// Weights that are not copied begin at an address that is no multiple of 64.
  case weightsMisaligned(address: UInt)

  public var description: String {
    switch self {
    case .version(let program, let found, let expected):
      "program '\(program)' has version \(found), and this library runs version \(expected); compile it again"
    case .layout(let program, let reason):
      "program '\(program)' has a damaged layout: \(reason); compile it again"
    case .outOfMemory(let program, let bytes):
      "program '\(program)' has to warm up, and \(bytes) bytes cannot be allocated for it; free memory"
    case .weightsMisaligned(let address):
      "weights begin at 0x\(String(address, radix: 16)), which is no multiple of \(Weights.alignment); "
        + "align them or have them copied"
    }
  }
}
