// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import TensorFiles

/// A file of tensors in the making.
enum TensorBytes {
  /// The length, the header and so many bytes of 0.
  static func file(_ header: String, zeros: Int = 0) -> [UInt8] {
    let length = UInt64(header.utf8.count)
    return (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array(header.utf8)
      + [UInt8](repeating: 0, count: zeros)
  }

  static func sample(_ name: String) throws -> [UInt8] {
    let folder = Bundle.module.resourceURL!.appendingPathComponent("files")
    return Array(try Data(contentsOf: folder.appendingPathComponent("\(name).safetensors")))
  }

  static func open(_ bytes: [UInt8]) throws(TensorFileError) -> TensorFile {
    try TensorFile(FileReader(bytes), file: "amp.safetensors")
  }

  /// The message about a file all of whose tensors are read; nil where all is well.
  static func message(about bytes: [UInt8]) -> String? {
    do throws(TensorFileError) {
      let file = try open(bytes)
      for entry in file.entries where entry.element.isReadable { _ = try file.numbers(of: entry) }
      return nil
    } catch {
      return error.description
    }
  }
}

extension TensorFile {
  /// The numbers of a tensor by its name.
  func numbers(_ name: String) throws -> Numbers {
    guard let entry = entry(name) else { throw TensorFileError(file, tensor: name, "is not there") }
    return try numbers(of: entry)
  }
}
