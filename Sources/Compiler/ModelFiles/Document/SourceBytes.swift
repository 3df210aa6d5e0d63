// SPDX-License-Identifier: Apache-2.0

/// The bytes that a document was read from: what is written of it later is this text, whatever has become of the file. Documents
/// that say the same are equal, whatever their comments.
package struct SourceBytes: Hashable, Sendable {
  package var bytes: [UInt8] = []

  package static func == (first: SourceBytes, second: SourceBytes) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
