// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RealtimeCore
import Synchronization
import Testing

/// Messages in a mailbox are owned by one side at a time, and come back once.
struct MailboxTests {
  @Test func theNewestIsTaken() {
    let mailbox = Mailbox()
    #expect(unsafe mailbox.slots.take() == nil && mailbox.collect() == nil)
    let (first, second) = unsafe (Self.address(1), Self.address(2))
    #expect(unsafe mailbox.post(first) == nil)
    #expect(unsafe mailbox.post(second) == first)
    #expect(unsafe mailbox.slots.take() == second)
    #expect(unsafe mailbox.slots.take() == nil)
    #expect(unsafe mailbox.post(nil) == nil)
  }

  @Test func nothingIsRetiredOverWhatWasNotCollected() {
    let mailbox = Mailbox()
    let (first, second) = unsafe (Self.address(1), Self.address(2))
    #expect(unsafe mailbox.slots.retire(first))
    #expect(unsafe !mailbox.slots.retire(second))
    #expect(unsafe mailbox.collect() == first)
    #expect(unsafe mailbox.collect() == nil)
    #expect(unsafe mailbox.slots.retire(second))
    #expect(unsafe mailbox.collect() == second)
  }

  /// A letter's number is written by who posts it, read and changed by who takes it, and read again where it comes
  /// back: the thread sanitizer sees where one side does not see what the other one wrote.
  @Test func twoThreadsLoseNothing() {
    let count = 20_000
    let mailbox = Mailbox()
    let letters = UnsafeMutablePointer<Int>.allocate(capacity: count)
    defer { unsafe letters.deallocate() }
    for letter in 0..<count { unsafe (letters + letter).initialize(to: 0) }
    let isOver = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    let slots = unsafe mailbox.slots
    let thread = Thread {
      var held: UnsafeMutableRawPointer?
      while true {
        let isLast = isOver.load(ordering: .acquiring)
        if let used = unsafe held {
          if unsafe slots.retire(used) { unsafe held = nil }
        } else if let letter = unsafe slots.take() {
          unsafe letter.assumingMemoryBound(to: Int.self).pointee += 10
          unsafe held = letter
        } else if isLast {
          break
        }
      }
      ended.signal()
    }
    thread.start()
    var (taken, untouched) = (0, 0)
    func note(_ letter: UnsafeMutableRawPointer?) {
      guard let letter = unsafe letter?.assumingMemoryBound(to: Int.self) else { return }
      switch unsafe letter.pointee {
      case 1: untouched += 1
      case 11: taken += 1
      case let other: Issue.record("a letter came back as \(other)")
      }
      unsafe letter.pointee = -1
    }
    for letter in 0..<count {
      unsafe letters[letter] = 1
      unsafe note(mailbox.post(UnsafeMutableRawPointer(letters + letter)))
      unsafe note(mailbox.collect())
    }
    isOver.store(true, ordering: .releasing)
    while ended.wait(timeout: .now()) == .timedOut { unsafe note(mailbox.collect()) }
    unsafe note(mailbox.collect())
    #expect(taken + untouched == count && taken > 0, "\(taken) taken, \(untouched) not")
  }

  private static func address(_ number: Int) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(bitPattern: number)!
  }
}
