// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

/// A progress line of what may be over at once or take long, on the terminal.
///
///     looking for files: 312000
///     net.onnx: step 8192 of 1000000
///
/// It is written a few times a second at most, however often something is noted.
struct PreparationLine: ~Copyable {
  private let console: Console
  private var next = ContinuousClock.now + Self.pause

  private static let pause = Duration.milliseconds(200)

  init(_ console: Console) { self.console = console }

  mutating func note(_ text: @autoclosure () -> String) {
    let now = ContinuousClock.now
    guard now >= next else { return }
    next = now + Self.pause
    console.progress(text())
  }

  /// Takes the line away.
  deinit { console.endProgress() }
}
