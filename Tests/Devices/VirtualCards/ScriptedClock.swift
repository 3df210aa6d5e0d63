// SPDX-License-Identifier: Apache-2.0

internal import CScriptedClock

/// Time that passes only where a card with `pace slept` sleeps, for a program that is compared with the computer's
/// clock: what it counts is exact, however busy the machine is.
package enum ScriptedClock {
  /// Runs the body on such a clock, which is this thread's alone. All cards that it uses share it.
  package static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    scripted_clock_set(true)
    defer { scripted_clock_set(false) }
    return try body()
  }

  /// The longest time, in milliseconds, for which this thread was ready to wait in its last run.
  package static var longestWait: Int { Int(scripted_clock_longest_wait()) }
}
