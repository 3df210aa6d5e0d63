// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Lets tests that mostly wait, for other programs or for time to pass, wait on threads of their own.
///
///     pool        compute · compute · compute · compute        a thread for each core
///     waiting     run ░░░░░░░░ · run ░░░░ · run ░░░░░░         a few more
///
/// A thread of the pool that waits is a core that stands still, while tests that compute are in line for it.
package struct WaitingTests: SuiteTrait, TestTrait, TestScoping {
  fileprivate let threads: WaitingThreads

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(threads) { try await function() }
  }
}

extension Trait where Self == WaitingTests {
  /// Most of the time these tests wait.
  package static var waits: Self { Self(threads: .shared) }

  /// The test expects a process to end, and must not be in line when it does: from then on until somebody
  /// asks for its status, the thread of Swift Testing that sees processes end turns round and round.
  package static var endsProcesses: Self { Self(threads: .ends) }
}
