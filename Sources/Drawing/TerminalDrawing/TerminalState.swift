// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Synchronization

/// The terminal that a program draws on, which is given back, whatever ends the process.
///
///     enter ─▶ pictures ─▶ leave               the end, a failure, a signal that ends the process
///                ▲  ▼
///              ^Z and fg                       given back, stopped; taken again and drawn anew
///
/// What is written goes through an opening of its own, which never waits: who shares the terminal, a shell, keeps its
/// own. A terminal that takes nothing any more loses what it was sent when it is given back, so that nothing has to
/// wait for it.
///
/// Its functions are called by handlers of signals, too: they only load, store and make system calls.
package enum TerminalState {
  /// Whether the terminal is ours at the moment.
  private static let isEntered = Atomic(false)
  /// Whether it is ours apart from stops.
  private static let isInUse = Atomic(false)
  /// Whether what it shows is not what was drawn last.
  package static let isStale = Atomic(false)

  @safe private struct Places: @unchecked Sendable {
    let former = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    let raw = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    let enter = unsafe Self.bytes(TerminalSequences.enter)
    let leave = unsafe Self.bytes(TerminalSequences.leave)

    private static func bytes(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
      let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
      unsafe _ = bytes.initialize(fromContentsOf: Array(text.utf8))
      return unsafe bytes
    }
  }

  /// The opening that is written through; -1 while there is none.
  private static let output = Atomic<Int32>(-1)

  /// How long a terminal may take to make room before what it was sent is dropped.
  private static let patience: Int32 = 200

  /// Made before a handler can use it, and kept as long as the process lives.
  private static let places = Places()

  /// Signals that a fault in the process raises.
  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

  /// Takes the terminal: keys come one by one, and the screen is ours.
  ///
  /// - Returns: Whether that could be done.
  package static func enter() -> Bool {
    guard unsafe tcgetattr(STDIN_FILENO, places.former) == 0, open() else { return false }
    var raw = unsafe places.former.pointee
    // ^C and ^Z stay signals; line ends are still made of newlines.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
      unsafe bytes[Int(VMIN)] = 0
      unsafe bytes[Int(VTIME)] = 0
    }
    unsafe places.raw.initialize(to: raw)
    isInUse.store(true, ordering: .relaxed)
    take()
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGTSTP, SIGCONT] + faults { unsafe sigaddset(&signals, number) }
    defer { unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    signal(SIGTSTP) { _ in
      TerminalState.giveBack()
      kill(getpid(), SIGSTOP)
    }
    signal(SIGCONT) { _ in TerminalState.take() }
    for number in faults {
      signal(number) { number in
        TerminalState.giveBack()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    return true
  }

  /// Gives the terminal back for good.
  package static func leave() {
    guard isInUse.exchange(false, ordering: .relaxed) else { return }
    giveBack()
    for number in [SIGTSTP, SIGCONT] + faults { signal(number, SIG_DFL) }
    close(output.exchange(-1, ordering: .relaxed))
  }

  private static func open() -> Bool {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    var descriptor = unsafe Glibc.open("/proc/self/fd/\(STDOUT_FILENO)", flags)
    // The terminal of another user, under su.
    if descriptor < 0 { descriptor = unsafe Glibc.open("/dev/tty", flags) }
    output.store(descriptor, ordering: .relaxed)
    return descriptor >= 0
  }

  /// Gives the terminal back before the process ends or stops; where it is not ours, nothing.
  package static func giveBack() {
    guard isEntered.exchange(false, ordering: .relaxed) else { return }
    // Whoever a signal interrupted may be about to read it.
    let code = errno
    defer { errno = code }
    // Who sees the usual screen finds lines edited there.
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, places.former)
    unsafe writeWhole(places.leave)
  }

  private static func take() {
    guard isInUse.load(ordering: .relaxed) else { return }
    let code = errno
    defer { errno = code }
    isEntered.store(true, ordering: .relaxed)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, places.raw)
    unsafe writeWhole(places.enter)
    isStale.store(true, ordering: .relaxed)
  }

  /// Writes as much as the terminal takes without waiting, while it is ours; 0 for nothing.
  package static func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard isEntered.load(ordering: .relaxed) else { return 0 }
    return unsafe max(0, Glibc.write(output.load(ordering: .relaxed), bytes.baseAddress, bytes.count))
  }

  /// Writes all of it; what the terminal was sent before and does not take is dropped then.
  private static func writeWhole(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    let descriptor = output.load(ordering: .relaxed)
    for _ in 0..<2 {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let hasRoom = unsafe poll(&ready, 1, patience) > 0
      if unsafe hasRoom && Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count { return }
      tcflush(descriptor, TCOFLUSH)
    }
  }

  /// Columns and rows; what the environment or custom says where the terminal does not know.
  package static var size: (columns: Int, rows: Int) {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return (
      isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80, isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
    )
  }

  /// Whether a view can be drawn and worked with: both ways are a terminal, and it is this process's turn to use it.
  package static var isAtHand: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }
}
