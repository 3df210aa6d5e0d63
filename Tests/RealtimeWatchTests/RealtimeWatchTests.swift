// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RealtimeWatch
import Synchronization
import Testing

/// The watch sees each offence, and nothing where there is none.
///
/// Where the RealtimeSanitizer is linked it would end the process; what it does has tests of its own.
@Suite(.enabled(if: !RealtimeWatch.hasSanitizer && Sanitizer.isAbsent))
struct RealtimeWatchTests {
  @Test func `work with numbers is no offence`() {
    var sum: UInt64 = 1
    let counts = RealtimeWatch.counts {
      for index in 0..<1000 { sum = sum &* 6_364_136_223_846_793_005 &+ UInt64(index) }
    }
    #expect(counts.offences == [], "\(sum)")
  }

  @Test func `an allocation and its free are seen`() {
    let counts = RealtimeWatch.counts { unsafe free(malloc(100)) }
    #expect(counts.allocations == 1)
    #expect(counts.frees == 1)
    #expect(counts.offences == ["1 heap allocation", "1 free"])
  }

  @Test(arguments: Way.allCases) func `every way to the heap is seen`(way: Way) {
    var memory: UnsafeMutableRawPointer?
    let counts = RealtimeWatch.counts { unsafe memory = way.allocate() }
    #expect(unsafe memory != nil)
    unsafe free(memory)
    #expect(counts.allocations == 1)
    #expect(counts.frees == 0)
  }

  enum Way: CaseIterable {
    case calloc, realloc, reallocarray, aligned, posix, valloc

    func allocate() -> UnsafeMutableRawPointer? {
      switch self {
      case .calloc: return unsafe Glibc.calloc(10, 10)
      case .realloc: return unsafe Glibc.realloc(nil, 100)
      case .reallocarray: return unsafe Glibc.reallocarray(nil, 10, 10)
      case .aligned: return unsafe aligned_alloc(64, 128)
      case .posix:
        var memory: UnsafeMutableRawPointer?
        return unsafe posix_memalign(&memory, 64, 128) == 0 ? memory : nil
      case .valloc: return unsafe Glibc.valloc(100)
      }
    }
  }

  @Test func `an array that grows is seen`() {
    var numbers: [Int] = []
    let counts = RealtimeWatch.counts { numbers.append(1) }
    #expect(counts.allocations == 1, "\(numbers)")
  }

  @Test func `a lock is seen although it is free`() {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    let counts = RealtimeWatch.counts {
      unsafe pthread_mutex_lock(lock)
      unsafe pthread_mutex_unlock(lock)
      unsafe pthread_mutex_trylock(lock)
      unsafe pthread_mutex_unlock(lock)
    }
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
    #expect(counts.offences == ["2 locks"])
  }

  @Test(.enabled(if: RealtimeWatch.seesSystemCalls, "this kernel cannot hand system calls to their thread"))
  func `a system call is seen, and does what it does`() {
    var parent: pid_t = 0
    let counts = RealtimeWatch.counts { parent = getppid() }
    #expect(parent == getppid())
    #expect(counts.systemCalls == 1)
    // The number of getppid on x86-64, the machine whose kernels can do this.
    #expect(counts.lastSystemCall == 110)
    #expect(counts.offences == ["1 system call (the last is number 110)"])
  }

  @Test func `a page's first touch is seen`() {
    let size = 64 * 4096
    let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    unsafe madvise(memory, size, MADV_NOHUGEPAGE)
    let counts = RealtimeWatch.counts {
      for page in 0..<64 { unsafe memory.storeBytes(of: 1, toByteOffset: page * 4096, as: UInt8.self) }
    }
    unsafe munmap(memory, size)
    #expect(counts.minorFaults >= 64)
    #expect(counts.offences == [])
  }

  @Test func `other threads are not seen`() {
    let stage = Stage()
    let other = Thread {
      while !stage.isOver.load(ordering: .relaxed) {
        unsafe free(malloc(100))
        stage.rounds.wrappingAdd(1, ordering: .relaxed)
      }
    }
    other.start()
    let counts = RealtimeWatch.counts {
      let before = stage.rounds.load(ordering: .relaxed)
      while stage.rounds.load(ordering: .relaxed) < before + 100 {}
    }
    stage.isOver.store(true, ordering: .relaxed)
    #expect(counts.offences == [])
  }

  private final class Stage: Sendable {
    let rounds = Atomic(0)
    let isOver = Atomic(false)
  }
}
