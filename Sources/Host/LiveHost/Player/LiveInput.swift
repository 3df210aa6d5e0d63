// SPDX-License-Identifier: Apache-2.0

/// A source of events for the control thread: controllers, edits.
protocol LiveInput: AnyObject {
  /// Become readable when there is something to take.
  var descriptors: [Int32] { get }

  /// Takes what is there, without waiting.
  func take()
}
