// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with an ONNX file, or that is not known: a sentence without a full stop, which follows the file's
/// name.
///
///     node 'Conv_12' (Conv): the weight must be a constant
package struct ONNXError: Error, Hashable, Sendable {
  package let message: String
  /// The values that would have to be known while the model is translated, by their names in the file.
  let unknown: [String]

  package init(_ message: String) { self.init(message, unknown: []) }

  init(_ message: String, unknown: [String]) {
    (self.message, self.unknown) = (message, unknown)
  }
}

/// Everything that is wrong with an ONNX file, as far as it could be told.
package struct ONNXErrors: Error, Hashable, Sendable {
  package let all: [ONNXError]

  package init(_ all: [ONNXError]) {
    precondition(!all.isEmpty, "errors without an error")
    self.all = all
  }
}
