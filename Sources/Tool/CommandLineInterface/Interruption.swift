// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import Glibc
internal import LiveEngine
internal import Synchronization
internal import TerminalDrawing

/// The handling of interruptions: unfinished files are deleted, then the process ends by the signal.
///
/// Where something plays, the first signal that asks for the end only asks: the sound fades, and the process ends by
/// the signal afterwards. The second one does not wait. Where a run has to report what it did, the first one deletes
/// unfinished files and keeps others from being begun; the process ends by it when the report is written.
///
///     timeout 10 legato live …     ─▶ SIGTERM to the program, and at once to its group: one request
package enum Interruption {
  /// The files that a run writes at a time, at most: 256 jobs of a batch, and 16 more.
  package static let mostFiles = 256 + 16

  /// The files that are being written.
  package static let pending = PendingFiles(capacity: mostFiles)

  /// The run's report, which is finished also when somebody has asked for the end; only the second signal deletes it.
  package static let pendingReport = PendingFiles(capacity: 1)

  /// Whether a line on the terminal has no end yet.
  static let lineIsOpen = Atomic(false)

  /// The signals that end a process which does not ask for them, and can be caught at any point of its work.
  private static let endings = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
  ]

  /// The signals that a run which plays takes for a request.
  private static let requests = [SIGINT, SIGTERM, SIGHUP]

  /// The signal that asked for the end; 0 before one did.
  static let request = Atomic<Int32>(0)

  /// The time of the request in nanoseconds; 0 before one came.
  private static let requestTime = Atomic<Int64>(0)

  /// The waker that the handler of a request wakes; made before a handler can use it.
  private static let waker = Waker()

  /// Makes the first interruption ask for the end, as `request` tells.
  ///
  /// - Returns: A descriptor that becomes readable then.
  @discardableResult
  package static func beginAsking() -> Int32 {
    let descriptor = waker?.descriptor ?? -1
    prepare()
    forgetRequest()
    for number in requests {
      let former = signal(number) { number in
        switch Interruption.ask(by: number) {
        case .first: Interruption.waker?.wake()
        case .same: break
        case .second: Interruption.end(by: number)
        }
      }
      ignoreAgain(number, former)
    }
    return descriptor
  }

  /// Makes the first interruption only delete unfinished files and keep others from being begun, as `request` tells,
  /// until `endReporting`.
  package static func beginReporting() {
    prepare()
    forgetRequest()
    for number in requests {
      let former = signal(number) { number in
        switch Interruption.ask(by: number) {
        // Whoever finds its file gone asks for the request: it is there before.
        case .first: Interruption.pending.removeAll()
        case .same: break
        case .second: Interruption.end(by: number)
        }
      }
      ignoreAgain(number, former)
    }
  }

  /// Ends the process by the signal that came since `beginReporting`; where none did, the next one ends it at once
  /// again.
  ///
  /// - Parameter lastWords: is called before such an end.
  package static func endReporting(_ lastWords: () -> Void) {
    for number in requests { ignoreAgain(number, signal(number) { Interruption.end(by: $0) }) }
    endIfAsked(lastWords)
  }

  /// Ends the process by the signal that asked for the end; goes on where none did.
  ///
  /// - Parameter lastWords: is called before such an end.
  package static func endIfAsked(_ lastWords: () -> Void = {}) {
    let number = request.load(ordering: .sequentiallyConsistent)
    guard number != 0 else { return }
    lastWords()
    end(by: number)
  }

  /// Whether somebody asked for the end.
  package static var isAsked: Bool { request.load(ordering: .relaxed) != 0 }

  private enum Asking {
    case first, same, second
  }

  /// Signals that come so soon after the first one, in nanoseconds, are the same request, which came on several ways.
  private static var sameRequestSpan: Int64 { 200_000_000 }

  /// Takes a signal for a request; in its handler.
  private static func ask(by number: Int32) -> Asking {
    let now = MonotonicClock.nanoseconds
    let (isFirst, first) = requestTime.compareExchange(
      expected: 0, desired: now, ordering: .sequentiallyConsistent)
    guard isFirst else { return now - first < sameRequestSpan ? .same : .second }
    request.store(number, ordering: .sequentiallyConsistent)
    return .first
  }

  /// Makes handlers of requests take the next signal for the first one.
  private static func forgetRequest() {
    waker?.rest()
    request.store(0, ordering: .relaxed)
    requestTime.store(0, ordering: .relaxed)
  }

  /// Ends the process by a signal, and leaves no unfinished file.
  package static func end(by number: Int32) {
    TerminalState.giveBack()
    pending.removeAll()
    pendingReport.removeAll()
    if lineIsOpen.load(ordering: .relaxed) { unsafe write(STDERR_FILENO, "\n", 1) }
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Ends the process where it has lost what it needs to go on, and leaves no unfinished file; by the signal where one
  /// asked for the end before.
  ///
  /// - Parameter line: says what it lost, beginning with a place.
  package static func end(saying line: String) -> Never {
    let number = request.load(ordering: .sequentiallyConsistent)
    if number != 0 { end(by: number) }
    pending.removeAll()
    pendingReport.removeAll()
    let console = Console(isQuiet: true)
    console.endProgress()
    console.error(line)
    _exit(1)
  }

  /// Ignores a signal again that was ignored: whoever started the process under nohup wants it to go on.
  private static func ignoreAgain(_ number: Int32, _ former: sighandler_t?) {
    guard unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    signal(number, SIG_IGN)
  }

  /// Ends the process as the end of a pipe ends other programs, without a word.
  package static func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Makes interruptions leave nothing half done; called once, before the first file is written.
  package static func begin() {
    prepare()
    lineIsOpen.store(false, ordering: .relaxed)
    // The writer reports a pipe that is not read.
    signal(SIGPIPE, SIG_IGN)

    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in endings {
      let former = signal(number) { Interruption.end(by: $0) }
      ignoreAgain(number, former)
      unsafe sigaddset(&signals, number)
    }
    // A program that blocks signals for its own threads hands that on to those it starts.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Makes what handlers use, before one can.
  private static func prepare() {
    withExtendedLifetime((pending, pendingReport)) {}
    _ = lineIsOpen.load(ordering: .relaxed)
  }
}
