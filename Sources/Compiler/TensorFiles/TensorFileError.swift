// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The reason why a file of tensors, or one of them, is refused.
package struct TensorFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as messages call it.
  package var file: String
  /// The tensor that is wrong; nil for the file as a whole.
  package var tensor: String?
  /// The mistake and its remedy, as it follows the names.
  package var message: String

  package init(_ file: String, tensor: String? = nil, _ message: String) {
    (self.file, self.tensor, self.message) = (file, tensor, message)
  }

  /// A file, or a tensor of it, as messages call it.
  static func subject(_ file: String, tensor: String?) -> String {
    tensor.map { "the tensor \(quoted($0)) of \(quoted(file))" } ?? quoted(file)
  }

  package var description: String {
    "\(Self.subject(file, tensor: tensor)) \(message)"
  }

  /// The same for messages that begin with the file.
  package var reason: String { tensor.map { "the tensor \(quoted($0)) \(message)" } ?? "the file \(message)" }
}
