// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A slot each way between a thread that prepares things and the audio thread, which uses one of them at a time.
///
///     control thread                         audio thread
///     post ─────────▶ [ fresh   ] ─────────▶ take
///     collect ◀────── [ retired ] ◀───────── retire
///
/// What passes is an address, and whoever holds it owns what stands there. Each move is one exchange, so that nobody
/// waits, nothing is owned twice, and nothing is lost: a fresh thing that was not taken yet comes back to who posts the
/// next one, and where a retired one was not collected yet, the audio thread keeps the next one and tries again later.
/// The mailbox frees nothing: what is left in it when both threads are done is for `post(nil)` and `collect` to find.
@safe package final class Mailbox: Sendable {
  /// The slots, for the audio thread, which counts no references. They live as long as the mailbox.
  package let slots: MailboxSlots

  package init() { unsafe slots = MailboxSlots() }

  deinit { unsafe slots.deallocate() }

  /// Leaves something for the audio thread, or nothing; gives back what it had not taken yet.
  package func post(_ fresh: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe slots.fresh.pointee.exchange(fresh, ordering: .acquiringAndReleasing)
  }

  /// The address that the audio thread has retired, if there is one.
  package func collect() -> UnsafeMutableRawPointer? {
    unsafe slots.retired.pointee.exchange(nil, ordering: .acquiring)
  }
}

/// Both slots of a mailbox, for code that must not count references.
///
/// It is as good as a pointer: whoever keeps it keeps the mailbox, too.
@unsafe package struct MailboxSlots: @unchecked Sendable {
  fileprivate let fresh: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
  fileprivate let retired: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>

  fileprivate init() {
    unsafe fresh = .allocate(capacity: 1)
    unsafe retired = .allocate(capacity: 1)
    unsafe fresh.initialize(to: Atomic(nil))
    unsafe retired.initialize(to: Atomic(nil))
  }

  fileprivate func deallocate() {
    unsafe fresh.deinitialize(count: 1)
    unsafe retired.deinitialize(count: 1)
    unsafe fresh.deallocate()
    unsafe retired.deallocate()
  }

  /// The address that was posted last and not taken yet.
  @_noLocks package func take() -> UnsafeMutableRawPointer? {
    // Looking first leaves the slot in both threads' caches as long as nothing is posted.
    guard unsafe fresh.pointee.load(ordering: .relaxed) != nil else { return nil }
    return unsafe fresh.pointee.exchange(nil, ordering: .acquiring)
  }

  /// Hands back what is not used any more; false where the one before has not been collected yet.
  @_noLocks package func retire(_ used: UnsafeMutableRawPointer) -> Bool {
    // Only this thread fills the slot: once it is empty, it stays so until here.
    guard unsafe retired.pointee.load(ordering: .relaxed) == nil else { return false }
    unsafe retired.pointee.store(used, ordering: .releasing)
    return true
  }
}
