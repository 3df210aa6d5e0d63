// SPDX-License-Identifier: Apache-2.0

internal import CInstructions

/// Counts the instructions that this thread executes: work as a number that, unlike time, does not depend on who else
/// uses the machine.
package enum InstructionCount {
  /// Whether the machine counts them; virtual machines and containers often hide the counter.
  package static let isAvailable: Bool = {
    let counter = instructions_open()
    guard counter >= 0 else { return false }
    defer { instructions_close(counter) }
    return instructions_read(counter) > 0
  }()

  /// The instructions that the body takes.
  ///
  /// Precondition: the machine counts them.
  package static func count(_ body: () throws -> Void) rethrows -> UInt64 {
    let counter = instructions_open()
    precondition(counter >= 0, "this machine counts no instructions")
    defer { instructions_close(counter) }
    let before = instructions_read(counter)
    try body()
    return instructions_read(counter) - before
  }
}
