// SPDX-License-Identifier: Apache-2.0

internal import Legato

/// The contexts of a thread's last file, kept for the next one.
///
///     file ─▶ bank ─▶ file of the same kind ─▶ the same bank, as it was in the beginning
///
/// Giving memory back to the system interrupts all processors on which the process runs; a thread that renders file
/// after file would keep the others from work. One thread uses a shelf, for one file at a time.
package final class ContextShelf {
  private var bank: ContextBank?

  package init() {}

  /// Contexts in their first condition.
  func bank(
    _ program: Program, _ shape: ContextBank.Shape, automation: Automation
  ) throws(ContextError) -> ContextBank {
    // A program moves its parameters in one way: both are made for a rate.
    if let bank, bank.program === program, bank.shape == shape {
      bank.reset()
      return bank
    }
    // The memory of one goes before that of the other comes.
    bank = nil
    let made = try ContextBank(program, shape, automation: automation)
    bank = made
    return made
  }
}
