// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import TensorFiles

/// The digest of a checkpoint, which tells damage: a number for each array, in the order of the file, and one for the texts.
///
///     "digest": "91ac3d0f5e7b2214 04be770c1d9ae3f8 …"
///
/// It is kept in files: what it comes to for some arrays stays as it is. It detects damage, and is not cryptographic. Beside
/// it stands the format, by which a file has one: else damage of its own name would let all other damage pass.
enum CheckpointDigest {
  /// The name of its text.
  static let key = "digest"
  /// The text that says a digest is there.
  static let format = (key: "format", value: "2")

  static func text(of arrays: [Weights], _ texts: [String: String]) -> String {
    let all = arrays.map(fingerprint) + [fingerprint(of: texts)]
    return all.map { String($0, radix: 16) }.joined(separator: " ")
  }

  /// Compares a file with the digest in it, if there is one.
  ///
  /// - Throws: `TensorFileError` where they differ.
  static func check(_ file: TensorFile) throws(TensorFileError) {
    let flaw = "not as it was written: the checkpoint is damaged; take a copy of it, or begin anew"
    guard let stated = file.metadata[key] else {
      guard file.metadata[format.key] == format.value else { return }
      throw TensorFileError(file.file, "has texts that are \(flaw)")
    }
    let wanted = stated.split(separator: " ", omittingEmptySubsequences: false).map { UInt64($0, radix: 16) }
    guard wanted.count == file.entries.count + 1 else { throw TensorFileError(file.file, "is \(flaw)") }
    for (entry, wanted) in zip(file.entries, wanted) {
      let array = Weights(name: entry.name, shape: entry.shape, values: try file.numbers(of: entry))
      guard fingerprint(of: array) == wanted else {
        throw TensorFileError(file.file, tensor: entry.name, "is \(flaw)")
      }
    }
    guard fingerprint(of: file.metadata) == wanted.last else {
      throw TensorFileError(file.file, "has texts that are \(flaw)")
    }
  }

  private static func fingerprint(of array: Weights) -> UInt64 {
    let words = array.name.utf8.map(UInt64.init) + array.shape.map { UInt64($0) } + [array.values.fingerprint]
    return words.fingerprint
  }

  private static func fingerprint(of texts: [String: String]) -> UInt64 {
    texts.filter { $0.key != key }.sorted { $0.key < $1.key }.map { "\($0.key)\0\($0.value)\0" }.joined()
      .utf8.fingerprint
  }
}
