// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Legato

/// Opens libLLVM on a thread of its own, while the command looks at the files that it is given.
///
///     arguments ─▶ model ─▶ files ─▶ code ─▶ …
///                    └─ libLLVM ──────┘
///
/// Opening it takes most of the time of a short run; who is told that the command line or the model is wrong does not wait
/// for it. What is wrong with the library is said by who compiles.
final class CompilerOpening {
  private let isOpen = DispatchSemaphore(value: 0)
  private var hasBegun = false

  /// Called once.
  func begin() {
    let job = Job { [isOpen] in
      _ = try? HostCompiler.found()
      isOpen.signal()
    }
    hasBegun = job.begin()
  }

  /// Returns when the thread is done, if there is one: a process must not end while a library is being opened in it.
  func wait() {
    if hasBegun { isOpen.wait() }
  }
}
