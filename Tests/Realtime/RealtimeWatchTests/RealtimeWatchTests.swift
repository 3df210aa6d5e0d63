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
    // The heap itself may enter the kernel when it grows.
    unsafe free(malloc(100))
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
    let bytes = HeapUse.bytes { unsafe free(way.allocate()) }
    #expect([100, 128].contains(bytes))
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

  @Test(arguments: Lock.allCases) func `a lock is seen although it is free`(lock: Lock) {
    // Every kind of lock fits in.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    defer { unsafe memory.deallocate() }
    var status: Int32 = -1
    let counts = unsafe lock.made(in: memory) { take in RealtimeWatch.counts { status = take() } }
    #expect(status == 0)
    #expect(counts.offences == ["1 lock"])
  }

  enum Lock: CaseIterable {
    case mutex, triedMutex, reader, triedReader, writer, triedWriter, spinning, semaphore, triedSemaphore

    /// Makes a free lock, hands over what takes it, and clears it away.
    func made<R>(in memory: UnsafeMutableRawPointer, _ body: (_ take: () -> Int32) -> R) -> R {
      switch self {
      case .mutex, .triedMutex:
        let mutex = unsafe memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        defer {
          unsafe pthread_mutex_unlock(mutex)
          unsafe pthread_mutex_destroy(mutex)
        }
        return body { unsafe self == .mutex ? pthread_mutex_lock(mutex) : pthread_mutex_trylock(mutex) }
      case .reader, .triedReader, .writer, .triedWriter:
        let lock = unsafe memory.bindMemory(to: pthread_rwlock_t.self, capacity: 1)
        unsafe pthread_rwlock_init(lock, nil)
        defer {
          unsafe pthread_rwlock_unlock(lock)
          unsafe pthread_rwlock_destroy(lock)
        }
        return body {
          switch self {
          case .reader: unsafe pthread_rwlock_rdlock(lock)
          case .triedReader: unsafe pthread_rwlock_tryrdlock(lock)
          case .writer: unsafe pthread_rwlock_wrlock(lock)
          case .triedWriter: unsafe pthread_rwlock_trywrlock(lock)
          case .mutex, .triedMutex, .spinning, .semaphore, .triedSemaphore: -1
          }
        }
      case .spinning:
        let lock = unsafe memory.bindMemory(to: pthread_spinlock_t.self, capacity: 1)
        unsafe pthread_spin_init(lock, 0)
        defer {
          unsafe pthread_spin_unlock(lock)
          unsafe pthread_spin_destroy(lock)
        }
        return body { unsafe pthread_spin_lock(lock) }
      case .semaphore, .triedSemaphore:
        let semaphore = unsafe memory.bindMemory(to: sem_t.self, capacity: 1)
        unsafe sem_init(semaphore, 0, 1)
        defer { unsafe sem_destroy(semaphore) }
        return body { unsafe self == .semaphore ? sem_wait(semaphore) : sem_trywait(semaphore) }
      }
    }
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
