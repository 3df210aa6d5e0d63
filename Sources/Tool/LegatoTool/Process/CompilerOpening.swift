// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato
internal import NativeCode

/// Opens libLLVM on a thread of its own, while the command looks at the files that it is given.
///
///     arguments ─▶ model ─▶ files ─▶ code ─▶ …
///                    └─ libLLVM ──────┘
///
/// Opening it takes most of the time of a short run; who is told that the command line or the model is wrong does not
/// meet it. Who is told that the files are wrong does not wait for it: the process ends whatever its threads are at.
/// What is wrong with the library is said by who compiles.
enum CompilerOpening {
  /// Begins, and returns at once. Where the system gives no thread, whoever compiles opens the library.
  ///
  /// - Parameter cache: where the machine is known, the model most likely is as well, and then nobody needs the library.
  static func begin(unlessIn cache: CodeCache?) {
    guard cache?.keptHost == nil else { return }
    _ = DetachedThread.begin { _ = try? HostCompiler.found() }
  }
}
