// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import Synchronization

/// What happens when the run is interrupted: unfinished files are deleted, then the process ends by the signal.
enum Interruption {
  /// The files that are being written. `begin` uses it before a signal handler can.
  static let pending = PendingFiles(capacity: BatchOptions.mostJobs + 16)

  /// Whether a line on the terminal has no end yet.
  static let lineIsOpen = Atomic(false)

  /// The signals that end a process which does not ask for them, and can be caught at any point of its work.
  private static let endings = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
  ]

  /// Ends the process as the end of a pipe ends other programs, without a word.
  static func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Makes interruptions leave nothing half done; called once, before the first file is written.
  static func begin() {
    withExtendedLifetime(pending) {}
    lineIsOpen.store(false, ordering: .relaxed)
    // What cannot be written is said by the writer, in a message that names the file.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)

    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in endings {
      let former = signal(number) { number in
        Interruption.pending.removeAll()
        if Interruption.lineIsOpen.load(ordering: .relaxed) { unsafe write(STDERR_FILENO, "\n", 1) }
        signal(number, SIG_DFL)
        raise(number)
      }
      // Who started the process under nohup or in the background wants it to go on.
      if unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
      unsafe sigaddset(&signals, number)
    }
    // A program that blocks signals for its own threads hands that on to those it starts.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
