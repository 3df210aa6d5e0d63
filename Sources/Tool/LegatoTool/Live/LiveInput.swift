// SPDX-License-Identifier: Apache-2.0

/// What people or machines turn while something plays: keys, controllers. The thread that controls waits for it.
protocol LiveInput: AnyObject {
  /// Become readable when there is something to take.
  var descriptors: [Int32] { get }

  /// Takes what is there, without waiting. Returns whether the sound goes on: not where somebody asks for the end.
  func take() -> Bool

  /// Is called now and then, at least once a second while something plays.
  func look()
}

extension LiveInput {
  func look() {}
}
