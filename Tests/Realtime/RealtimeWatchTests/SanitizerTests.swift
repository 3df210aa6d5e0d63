// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RealtimeWatch
import TestEquipment
import Testing

/// Where a sanitizer is linked, it ends a process that breaks its rule, and says why. That these tests ran shows that
/// the others ran under it, too.
@Suite struct SanitizerTests {
  @Test(.enabled(if: RealtimeWatch.hasSanitizer), .endsProcesses) func `the RealtimeSanitizer sees the heap`()
    async
  {
    let result = await #expect(processExitsWith: .exitCode(43), observing: [\.standardErrorContent]) {
      _ = RealtimeWatch.counts { unsafe free(malloc(100)) }
    }
    expect(result, says: "RealtimeSanitizer: unsafe-library-call", "`malloc`")
  }

  @Test(.enabled(if: RealtimeWatch.hasSanitizer), .endsProcesses) func `the RealtimeSanitizer sees a lock`()
    async
  {
    let result = await #expect(processExitsWith: .exitCode(43), observing: [\.standardErrorContent]) {
      let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      unsafe pthread_mutex_init(lock, nil)
      _ = RealtimeWatch.counts { unsafe _ = pthread_mutex_lock(lock) }
    }
    expect(result, says: "RealtimeSanitizer: unsafe-library-call", "`pthread_mutex_lock`")
  }

  @Test(.enabled(if: RealtimeWatch.hasSanitizer), .endsProcesses)
  func `the RealtimeSanitizer sees the kernel`() async {
    let result = await #expect(processExitsWith: .exitCode(43), observing: [\.standardErrorContent]) {
      _ = RealtimeWatch.counts { _ = write(-1, nil, 0) }
    }
    expect(result, says: "RealtimeSanitizer: unsafe-library-call", "`write`")
  }

  @Test(.enabled(if: Sanitizer.address.isLinked), .endsProcesses)
  func `the address sanitizer sees a row's end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let row = UnsafeMutablePointer<Float>.allocate(capacity: 8)
      unsafe row.initialize(repeating: 0, count: 8)
      unsafe print(row[8])
    }
    expect(result, says: "AddressSanitizer: heap-buffer-overflow")
  }

  @Test(.enabled(if: Sanitizer.thread.isLinked), .endsProcesses) func `the thread sanitizer sees a race`()
    async
  {
    let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
      let row = UnsafeMutablePointer<Float>.allocate(capacity: 1)
      unsafe row.initialize(to: 0)
      let address = UInt(bitPattern: row)
      let writers = (0..<2).map { number in
        Thread {
          // Were each to write but once, one might begin when the other has ended.
          for _ in 0..<50 {
            unsafe UnsafeMutablePointer<Float>(bitPattern: address)!.pointee = Float(number)
            usleep(1000)
          }
        }
      }
      for writer in writers { writer.start() }
      while !writers.allSatisfy(\.isFinished) { usleep(1000) }
    }
    expect(result, says: "ThreadSanitizer: data race")
  }

  private func expect(_ result: ExitTest.Result?, says words: String...) {
    let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for word in words { #expect(report.contains(word), "\(report)") }
  }
}
