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
/// `removeAll` touches memory that was allocated beforehand, and calls unlink(2): it is safe in a signal handler
/// on any thread, provided that the handler reaches the object without making it (a `static let` must have been
/// used before). After it no writer makes or finishes a file: each throws `interrupted`.
@safe public final class PendingFiles: Sendable {
  private struct Slot: ~Copyable {
    let state = Atomic<Int>(PendingFiles.free)
  }

  private static let free = 0
  private static let claimed = 1
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

  /// Deletes every file that is pending and refuses those to come.
  public func removeAll() {
    // Whoever a signal interrupted may be about to read it.
    let code = errno
    defer { errno = code }
    closed.store(true, ordering: .sequentiallyConsistent)
    for index in 0..<capacity {
      if unsafe slots[index].state.load(ordering: .sequentiallyConsistent) == Self.pending {
        unsafe unlink(paths + index * Self.pathBytes)
      }
    }
  }

  /// Whether `removeAll` has been called.
  package var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Notes a path before its file is made. Afterwards `isClosed` is to be asked: a file that is made after
  /// `removeAll` is its maker's to delete.
  func insert(_ path: String) -> Int {
    for index in 0..<capacity {
      let (won, _) = unsafe slots[index].state.compareExchange(
        expected: Self.free, desired: Self.claimed, ordering: .sequentiallyConsistent)
      guard won else { continue }
      // A path that does not fit is one that no file can be made at.
      unsafe path.withPath { text in
        _ = unsafe strncpy(paths + index * Self.pathBytes, text, Self.pathBytes - 1)
      }
      unsafe slots[index].state.store(Self.pending, ordering: .sequentiallyConsistent)
      return index
    }
    preconditionFailure("more files are being written than PendingFiles was made for")
  }

  /// Forgets a path whose file is whole or gone.
  func remove(_ slot: Int) {
    unsafe slots[slot].state.store(Self.free, ordering: .sequentiallyConsistent)
  }
}
