// SPDX-License-Identifier: Apache-2.0

/// The first thing that is wrong with bytes that should be a message.
package struct ProtobufError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes from the beginning of the file.
  package let place: Int
  /// The fault, without its place.
  package let message: String

  package init(at place: Int, _ message: String) { (self.place, self.message) = (place, message) }

  package var description: String { "byte \(place): \(message)" }
}
