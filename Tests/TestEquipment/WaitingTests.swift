// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Lets tests that mostly wait, for other programs or for time to pass, wait on threads of their own.
///
///     pool        compute · compute · compute · compute        a thread for each core
///     waiting     run ░░░░░░░░ · run ░░░░ · run ░░░░░░         a few more
///
/// A thread of the pool that waits is a core that stands still, while tests that compute are in line for it.
package struct WaitingTests: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTests {
  /// Most of the time these tests wait.
  package static var waits: Self { Self() }
}
