// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with an ONNX file, or that is not known: a sentence without a full stop, which follows the file's
/// name.
///
///     node 'Conv_12' (Conv): the weight must be a constant
package struct ONNXError: Error, Hashable, Sendable {
  package let message: String
  /// Whether a number in place of an input might do away with it.
  let asksForConstant: Bool

  package init(_ message: String) { self.init(message, asksForConstant: false) }

  init(_ message: String, asksForConstant: Bool) {
    (self.message, self.asksForConstant) = (message, asksForConstant)
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
