// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import TensorFiles

/// A picture in a PNG or JPEG file, as its first bytes tell.
///
///     cat.png ─▶ PictureFile ─▶ Pixels ─▶ FloatArray
///               size known     decoded   resized, scaled
///
/// Nothing that the file says is believed: its size is limited before memory is taken for it, and what is cut off or
/// damaged is refused, not filled up with grey.
package struct PictureFile: Sendable {
  /// The file as messages call it.
  package let file: String
  /// Pixels from left to right, and from top to bottom, once the picture stands upright.
  package let width, height: Int
  private let bytes: [UInt8]
  private let header: Header

  private enum Header: Sendable {
    case png(PNGHeader)
    case jpeg(JPEGHeader)
  }

  /// The most pixels of a picture, 8192 x 6144: they take 192 MiB.
  package static let mostPixels = 3 << 24
  /// Those of a JPEG file that comes in several scans.
  static let mostProgressivePixels = 3 << 23
  /// The most bytes of a file.
  package static let mostBytes = 1 << 27

  /// Whether a file begins as those do that are read.
  package static func isPicture(_ reader: FileReader, file: String) throws(TensorFileError) -> Bool {
    let start = try TensorFile.bytes(0..<min(reader.count, PNGHeader.mark.count), of: reader, file: file)
    return start == PNGHeader.mark || start.starts(with: JPEGHeader.mark)
  }

  /// Reads a file, and what it says of its size.
  ///
  /// - Throws: `TensorFileError`, with what is wrong with it.
  package init(_ reader: FileReader, file: String) throws(TensorFileError) {
    guard try Self.isPicture(reader, file: file) else {
      throw TensorFileError(file, "is no picture; PNG and JPEG are read")
    }
    guard reader.count <= Self.mostBytes else {
      throw TensorFileError(file, "has \(reader.count) bytes; \(Self.mostBytes) are the most of a picture")
    }
    self.file = file
    bytes = try TensorFile.bytes(0..<reader.count, of: reader, file: file)
    do throws(PictureRefusal) {
      let size: (width: Int, height: Int)
      let orientation: Orientation
      if bytes.starts(with: PNGHeader.mark) {
        let png = try PNGHeader(bytes)
        (header, size, orientation) = (.png(png), (png.width, png.height), png.orientation)
      } else {
        let jpeg = try JPEGHeader(bytes)
        (header, size, orientation) = (.jpeg(jpeg), (jpeg.width, jpeg.height), jpeg.orientation)
      }
      (width, height) = orientation.swapsAxes ? (size.height, size.width) : size
    } catch {
      throw TensorFileError(file, error.message)
    }
  }

  /// The picture, decoded.
  func pixels() throws(TensorFileError) -> Pixels {
    do throws(PictureRefusal) {
      return switch header {
      case .png(let header): try header.pixels(bytes)
      case .jpeg(let header): try header.pixels(bytes)
      }
    } catch {
      throw TensorFileError(file, error.message)
    }
  }

  /// The picture as numbers.
  ///
  /// - Parameter shape: [channels, height, width] or the like, as `ImageLayout` reads it.
  /// - Throws: `TensorFileError` where the file is damaged, or the shape is none of a picture.
  package func array(
    _ shape: [Int], _ conversion: ImageConversion
  ) throws(TensorFileError) -> FloatArray {
    guard let count = FloatArray.count(of: shape), (1...FloatArray.mostNumbers).contains(count) else {
      throw TensorFileError(
        file, "is a picture, which gets 1 to \(FloatArray.mostNumbers) numbers, and not the shape \(shape)")
    }
    guard let layout = ImageLayout(shape, channels: conversion.format.channels) else {
      throw TensorFileError(
        file, "is a picture, and no \(conversion.format.rawValue) picture has the shape \(shape)")
    }
    return FloatArray(shape: shape, numbers: try pixels().numbers(layout, conversion))
  }
}

/// The reason why a picture is not read, as it follows the file's name.
struct PictureRefusal: Error {
  let message: String

  init(_ message: String) { self.message = message }

  /// Throws what is wrong with a size.
  static func check(_ width: Int, _ height: Int) throws(PictureRefusal) {
    guard width > 0, height > 0 else {
      throw PictureRefusal("has \(width) x \(height) pixels, which is none")
    }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, count <= PictureFile.mostPixels else {
      throw PictureRefusal(
        "has \(width) x \(height) pixels; \(PictureFile.mostPixels) are the most, such as 8192 x 6144")
    }
  }
}
