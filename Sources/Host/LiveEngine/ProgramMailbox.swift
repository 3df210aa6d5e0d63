// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The mailbox through which the control side hands programs to a `LiveProcessor` that is playing, and gets them back
/// to free them.
///
///     mailbox.post(edited)             // is played from the next block on, or as soon as the last swap is over
///     …
///     mailbox.collect()                // the one that it replaced: freed here, not on the audio thread
///
/// One thread at a time posts and collects. What is in the mailbox when the last one lets go of it is freed with it.
package final class ProgramMailbox: Sendable {
  let mailbox = Mailbox()
  private let channels: Int

  /// - Parameter channels: of the device, the same for all programs.
  package init(channels: Int) { self.channels = channels }

  deinit {
    _ = post(nil)
    _ = collect()
  }

  /// Hands over a program that has not been played yet.
  ///
  /// - Returns: the one before, if it was never taken: the newest wins.
  @discardableResult package func post(_ program: LiveProgram) -> LiveProgram? { post(.some(program)) }

  private func post(_ program: LiveProgram?) -> LiveProgram? {
    precondition(program.map { $0.channels == channels } ?? true, "a program plays on the device's channels")
    return unsafe LiveProgram.released(mailbox.post(program.map { unsafe $0.retained() }))
  }

  /// Takes back the program that was played before, once that is over; nil where there is none.
  @discardableResult package func collect() -> LiveProgram? { unsafe LiveProgram.released(mailbox.collect()) }
}
