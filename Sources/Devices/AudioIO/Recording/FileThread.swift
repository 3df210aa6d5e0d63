// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RealtimeCore
internal import Synchronization

/// A thread that does with a file what the audio thread must not: it works as long as there is something to do, and
/// looks again a little later.
///
///     step ─▶ again ─▶ step ─▶ later ┄ 20 ms ┄▶ step ─▶ done
///
/// No signal is handled on it.
final class FileThread: Sendable {
  enum Step {
    case again
    /// There is nothing to do right now.
    case later
    case done
  }

  private let work: Work

  /// - Parameters:
  ///   - path: the file, for messages.
  ///   - step: is called until it says that it is done, and told whether it is to come to its end.
  init(for path: String, _ step: @escaping @Sendable (_ isToEnd: Bool) -> Step) throws(AudioFileError) {
    work = Work(step)
    let code = SignalMask.withoutSignals { [work] in DetachedThread.begin { work.run() } }
    guard code == 0 else { throw AudioFileError(path, errno: code) }
  }

  deinit { work.isAsked.store(true, ordering: .releasing) }

  /// Lets the thread come to its end, and waits for that; false where it takes too long: it is left to itself then.
  func end(within milliseconds: Int) -> Bool {
    work.isAsked.store(true, ordering: .releasing)
    return isDone(within: milliseconds)
  }

  /// Whether the work is done, or is within so many milliseconds.
  func isDone(within milliseconds: Int) -> Bool {
    for _ in 0..<milliseconds where !work.isDone.load(ordering: .acquiring) { usleep(1000) }
    return work.isDone.load(ordering: .acquiring)
  }

  /// The state that both threads share; it lives until both have let it go.
  private final class Work: Sendable {
    let isAsked = Atomic<Bool>(false)
    let isDone = Atomic<Bool>(false)
    private let step: @Sendable (Bool) -> Step

    init(_ step: @escaping @Sendable (Bool) -> Step) { self.step = step }

    func run() {
      work: while true {
        switch step(isAsked.load(ordering: .acquiring)) {
        case .again: continue
        case .later: usleep(20_000)
        case .done: break work
        }
      }
      isDone.store(true, ordering: .releasing)
    }
  }
}
