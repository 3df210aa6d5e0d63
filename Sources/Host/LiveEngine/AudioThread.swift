// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RealtimeCore

/// A thread for sound: with real-time priority where the system grants it, a stack that is resident as a whole, and
/// signals blocked, which belong to the thread that controls it.
///
///     ┌ guard ┬───────── stack ─────────┐
///     │       │ every page was touched  │
///     └───────┴─────────────────────────┘
@safe package final class AudioThread {
  /// Whether it has real-time priority (SCHED_FIFO); not where the system does not allow it.
  package let hasPriority: Bool
  /// Becomes readable when the work is done; for `poll`.
  package var endDescriptor: Int32 { end.descriptor }
  private let end: Waker
  private let thread: pthread_t
  private let stack: UnsafeMutableRawPointer
  private var isJoined = false

  private static let stackBytes = 512 << 10
  private static let guardBytes = 64 << 10

  /// Begins the work.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes, as tools such as `top -H` show it.
  package init(named name: String, _ work: @escaping @Sendable () -> Void) throws(AudioThreadError) {
    guard let end = Waker(), let stack = unsafe Self.makeStack() else {
      throw AudioThreadError(starting: errno)
    }
    let task = unsafe Unmanaged.passRetained(Task(name: name, end: end, work))
    var started = unsafe Self.start(on: stack, task, withPriority: true)
    let hasPriority = started.code == 0
    if !hasPriority { started = unsafe Self.start(on: stack, task, withPriority: false) }
    guard started.code == 0 else {
      unsafe task.release()
      unsafe munmap(stack, Self.stackBytes + Self.guardBytes)
      throw AudioThreadError(starting: started.code)
    }
    self.end = end
    thread = started.thread
    unsafe self.stack = stack
    self.hasPriority = hasPriority
  }

  /// Waits for the end of the work.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }

  deinit {
    join()
    unsafe munmap(stack, Self.stackBytes + Self.guardBytes)
  }

  private final class Task: Sendable {
    let name: String
    let end: Waker
    let work: @Sendable () -> Void

    init(name: String, end: Waker, _ work: @escaping @Sendable () -> Void) {
      self.name = name
      self.end = end
      self.work = work
    }

    func run() {
      setName()
      work()
      end.wake()
    }

    /// Tells the kernel, where tools look.
    private func setName() {
      let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = unsafe Array(name.utf8).withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
      close(file)
    }
  }

  /// A resident stack, with guard pages at its lower end.
  private static func makeStack() -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_POPULATE
    let memory = unsafe mmap(nil, stackBytes + guardBytes, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return nil }
    unsafe mprotect(memory, guardBytes, PROT_NONE)
    return unsafe memory
  }

  private static func start(
    on stack: UnsafeMutableRawPointer, _ task: Unmanaged<Task>, withPriority: Bool
  ) -> (code: Int32, thread: pthread_t) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstack(&attributes, stack + guardBytes, stackBytes)
    if withPriority { ask(forPriorityIn: &attributes) }
    var thread = pthread_t()
    let code = SignalMask.withoutSignals {
      unsafe pthread_create(
        &thread, &attributes,
        { task in
          // It was handed over below, retained.
          if let task = unsafe task { unsafe Unmanaged<Task>.fromOpaque(task).takeRetainedValue().run() }
          return nil
        }, task.toOpaque())
    }
    return (code, thread)
  }

  /// The priority: above ordinary programs, below most drivers' interrupts.
  private static let priority: Int32 = 70

  /// Asks for real-time priority for a thread; the system refuses it without the right.
  static func ask(forPriorityIn attributes: inout pthread_attr_t) {
    var parameters = sched_param()
    parameters.sched_priority = priority
    unsafe pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    unsafe pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    unsafe pthread_attr_setschedparam(&attributes, &parameters)
  }
}
