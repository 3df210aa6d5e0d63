// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageFiles
import TensorFiles

/// Pictures that Pillow wrote, and what it reads in them; `files/make-pictures` made them.
enum PictureSample {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = Bundle.module.resourceURL!.appendingPathComponent("files")
    return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  static func open(_ bytes: [UInt8]) throws(TensorFileError) -> PictureFile {
    try PictureFile(FileReader(bytes), file: "cat")
  }

  /// The numbers of a picture, by a conversion as a command line says it.
  static func array(_ name: String, _ shape: [Int], _ conversion: String = "RGB,[0,255]") throws -> FloatArray
  {
    try open(bytes(name)).array(shape, ImageConversion(conversion)!)
  }

  /// The numbers that Pillow made of it.
  static func expected(_ name: String) throws -> FloatArray {
    try ArrayFile(FileReader(bytes("pictures.npz")), file: "pictures.npz").array(name)
  }

  /// The message about a file that is read as a whole; nil where all is well.
  static func message(about bytes: [UInt8]) -> String? {
    do throws(TensorFileError) {
      _ = try open(bytes).array([3, 2, 2], ImageConversion(.rgb)!)
      return nil
    } catch {
      return error.description
    }
  }

  /// The farthest that numbers are apart.
  static func distance(_ a: FloatArray, _ b: FloatArray) -> Float {
    a.shape == b.shape ? zip(a.numbers, b.numbers).map { abs($0 - $1) }.max() ?? 0 : .infinity
  }
}
