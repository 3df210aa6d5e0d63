// SPDX-License-Identifier: Apache-2.0

/// The most bytes of a message that is put together, or those that are left of them. What stands in it twice counts twice.
package struct MessageBounds: Hashable, Sendable {
  /// Of the chunks of all arrays.
  var numbers: Int
  /// Of all other objects.
  var words: Int

  package init(numbers: Int, words: Int) { (self.numbers, self.words) = (numbers, words) }

  /// The most of a request for a model: numbers of up to 8 bytes, and 4 KiB for each array and 1 MiB for what is said
  /// beside them, and as much again for the heads of npy files.
  ///
  /// - Parameter counts: how many numbers each of the model's arrays has.
  init(for counts: [Int]) {
    words = 1 << 20 + counts.count << 12
    numbers = counts.reduce(words) { $0 + 8 * $1 }
  }
}
