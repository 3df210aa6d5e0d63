// SPDX-License-Identifier: Apache-2.0

import Glibc
import RealtimeCore

/// A misdeed of a program, done on purpose.
enum Misdeed: CaseIterable {
  case allocatesInC, growsAnArray, makesAnObject, locks, writes, asksForItsParent, touchesAPage

  /// How the report on it begins.
  var phrase: String {
    switch self {
    case .allocatesInC, .growsAnArray, .makesAnObject: "heap allocation"
    case .locks: "lock"
    case .writes, .asksForItsParent: "system call"
    case .touchesAPage: "page faults in each"
    }
  }

  var entersTheKernel: Bool { self == .writes || self == .asksForItsParent }

  /// A program that commits it in every block.
  func program() throws -> Program {
    switch self {
    case .allocatesInC:
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, _ in unsafe free(malloc(100)) })
    case .growsAnArray:
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, frames in
        var frameNumbers: [Int] = []
        for frame in 0..<min(frames, 2) { frameNumbers.append(frame) }
      })
    case .makesAnObject:
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, frames in _ = Counter(frames) })
    case .locks:
      // Made on first use, which is to be now.
      _ = unsafe mutex
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, _ in
        unsafe pthread_mutex_lock(mutex)
        unsafe pthread_mutex_unlock(mutex)
      })
    case .writes:
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, _ in _ = write(-1, nil, 0) })
    case .asksForItsParent:
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, _ in _ = getppid() })
    case .touchesAPage:
      _ = unsafe (freshPage, lastPage)
      return unsafe try HandMadeProgram.make(entry: { _, _, _, _, _ in
        guard unsafe freshPage < lastPage else { return }
        unsafe freshPage.storeBytes(of: 1, as: UInt8.self)
        unsafe freshPage += 4096
      })
    }
  }
}

private final class Counter {
  let count: Int
  init(_ count: Int) { self.count = count }
}

nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  unsafe pthread_mutex_init(mutex, nil)
  return unsafe mutex
}()

/// The next page of many that nobody has touched yet.
nonisolated(unsafe) private var freshPage = unsafe untouchedPages
nonisolated(unsafe) private let lastPage = unsafe untouchedPages + untouchedBytes

private let untouchedBytes = 1 << 28

nonisolated(unsafe) private let untouchedPages: UnsafeMutableRawPointer = {
  let pages = unsafe mmap(nil, untouchedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { fatalError("the system has no 256 MiB") }
  // A huge page would be touched once only.
  unsafe madvise(pages, untouchedBytes, MADV_NOHUGEPAGE)
  return unsafe pages
}()
