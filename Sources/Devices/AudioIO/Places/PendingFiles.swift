// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The temporary files that are being written, for the moment in which a run is interrupted.
///
/// The library installs no signal handlers. A command that does makes one `PendingFiles` before, keeps it for
/// the life of the process, hands it to its writers and calls `removeAll` from its handler:
///
///     SIGINT ─▶ handler ─▶ pending.removeAll() ─▶ signal(SIGINT, SIG_DFL); raise(SIGINT)
///
/// `removeAll` touches memory that was allocated beforehand, and calls poll(2) and unlink(2): it is safe in a signal
/// handler on any thread, provided that the handler reaches the object without making it (a `static let` must have been
/// used before). After it no writer makes or finishes a file: each throws `interrupted`.
///
/// A file that another thread is just making would be there after it, and the process would end before its maker could
/// take it away again. So the handler waits for those who make files, which takes them one call of the system; as they
/// handle no signals meanwhile, it never waits for the thread that it interrupted.
@safe public final class PendingFiles: Sendable {
  private struct Slot: ~Copyable {
    let state = Atomic<Int>(PendingFiles.free)
  }

  private static let free = 0
  private static let making = 1
  private static let pending = 2
  private static let pathBytes = Int(PATH_MAX)

  private let capacity: Int
  nonisolated(unsafe) private let slots: UnsafeMutablePointer<Slot>
  nonisolated(unsafe) private let paths: UnsafeMutablePointer<CChar>
  private let closed = Atomic<Bool>(false)

  /// - Parameter capacity: the most files that are being written at once.
  public init(capacity: Int) {
    self.capacity = capacity
    unsafe slots = .allocate(capacity: capacity)
    for index in 0..<capacity {
      unsafe (slots + index).initialize(to: Slot())
    }
    // Zeros that take no memory until a path stands there: most slots are never used.
    guard let zeros = unsafe calloc(capacity, Self.pathBytes) else {
      preconditionFailure("there is no memory for the paths of unfinished files")
    }
    unsafe paths = zeros.bindMemory(to: CChar.self, capacity: capacity * Self.pathBytes)
  }

  deinit {
    unsafe slots.deinitialize(count: capacity)
    unsafe slots.deallocate()
    unsafe Glibc.free(paths)
  }

  /// How many milliseconds a file is waited for that is being made: a disk may answer no more.
  private static let patience = 5000

  /// Deletes every file that is pending and refuses those to come.
  public func removeAll() {
    // Whoever a signal interrupted may be about to read it.
    let code = errno
    defer { errno = code }
    closed.store(true, ordering: .sequentiallyConsistent)
    var patience = Self.patience
    for index in 0..<capacity {
      var state = unsafe slots[index].state.load(ordering: .sequentiallyConsistent)
      while state == Self.making, patience > 0 {
        poll(nil, 0, 1)
        patience -= 1
        state = unsafe slots[index].state.load(ordering: .sequentiallyConsistent)
      }
      if state == Self.pending { unsafe unlink(paths + index * Self.pathBytes) }
    }
  }

  /// Whether `removeAll` has been called.
  package var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Makes a file, and notes its path; nil after `removeAll`.
  ///
  /// - Parameter open: makes the file, and returns its descriptor, or -1 with `errno`: nothing is noted then.
  func make(_ path: String, _ open: () -> Int32) -> (slot: Int, descriptor: Int32)? {
    var (all, former) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &former)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
    let slot = claim()
    // A path that does not fit is one that no file can be made at.
    unsafe path.withPath { text in
      _ = unsafe strncpy(paths + slot * Self.pathBytes, text, Self.pathBytes - 1)
    }
    guard !isClosed else {
      remove(slot)
      return nil
    }
    let descriptor = open()
    unsafe slots[slot].state.store(
      descriptor < 0 ? Self.free : Self.pending, ordering: .sequentiallyConsistent)
    return (slot, descriptor)
  }

  private func claim() -> Int {
    for index in 0..<capacity {
      let (won, _) = unsafe slots[index].state.compareExchange(
        expected: Self.free, desired: Self.making, ordering: .sequentiallyConsistent)
      if won { return index }
    }
    preconditionFailure("more files are being written than PendingFiles was made for")
  }

  /// Forgets a path whose file is whole or gone.
  func remove(_ slot: Int) {
    unsafe slots[slot].state.store(Self.free, ordering: .sequentiallyConsistent)
  }
}
