// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Legato

/// Opens libLLVM on a thread of its own, while the command still looks at what it is asked for.
///
///     arguments ─▶ model ─▶ files ─▶ code ─▶ …
///     libLLVM ────────────────────────┘
///
/// Opening it takes most of the time of a short run. What is wrong with it is said by who compiles.
struct CompilerOpening {
  private let isOpen = DispatchSemaphore(value: 0)
  private let hasBegun: Bool

  init() {
    let job = Job { [isOpen] in
      _ = try? HostCompiler.found()
      isOpen.signal()
    }
    hasBegun = job.begin()
  }

  /// Returns when the thread is done: a process must not end while a library is being opened in it.
  func wait() {
    if hasBegun { isOpen.wait() }
  }
}
