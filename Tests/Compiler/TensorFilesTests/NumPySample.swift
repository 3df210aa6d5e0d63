// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorFiles

/// Files of arrays that NumPy wrote; `files/make-arrays` made them.
enum NumPySample {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = Bundle.module.resourceURL!.appendingPathComponent("files")
    return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  static func open(_ bytes: [UInt8]) throws(TensorFileError) -> ArrayFile {
    try ArrayFile(FileReader(bytes), file: "in.npz")
  }

  static func array(_ file: String, _ name: String = "") throws -> FloatArray {
    try open(bytes(file)).array(name)
  }

  /// The message about a file all of whose arrays are read; nil where all is well.
  static func message(about bytes: [UInt8]) -> String? {
    do throws(TensorFileError) {
      let file = try open(bytes)
      for name in file.names ?? [""] {
        let shape = try file.shape(of: name)
        guard try file.array(name).shape == shape else { return "two shapes" }
      }
      return nil
    } catch {
      return error.description
    }
  }

  /// An npy file with some words in its header, and so many bytes of 0.
  static func npy(_ words: String, version: UInt8 = 1, zeros: Int = 0) -> [UInt8] {
    let length = words.utf8.count
    let lengthBytes = (0..<(version == 1 ? 2 : 4)).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    return [0x93] + Array("NUMPY".utf8) + [version, 0] + lengthBytes + Array(words.utf8)
      + [UInt8](repeating: 0, count: zeros)
  }
}
