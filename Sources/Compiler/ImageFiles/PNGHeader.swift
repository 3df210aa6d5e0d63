// SPDX-License-Identifier: Apache-2.0

internal import CPNG

/// The chunks of a PNG file, as far as they matter before it is decoded.
struct PNGHeader {
  static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Deflated bytes stand for so many times as many at most.
  private static let mostInflation = 1032

  let width, height: Int
  private(set) var orientation = Orientation.upright

  /// Walks along the chunks: each has its length, its type, that many bytes, and their check sum.
  ///
  /// - Throws: `PictureRefusal` where the file is cut off, the picture too large, or larger than its bytes can say.
  init(_ bytes: [UInt8]) throws(PictureRefusal) {
    func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    var (place, data, isWhole) = (Self.mark.count, 0, false)
    var exif: Range<Int>?
    while !isWhole {
      guard place <= bytes.count - 12, number(place) <= bytes.count - 12 - place else {
        throw PictureRefusal("is cut off, after \(bytes.count) bytes")
      }
      let content = place + 8..<place + 8 + number(place)
      switch bytes[place + 4..<place + 8] {
      case let type where type.elementsEqual("IDAT".utf8): data += content.count
      case let type where type.elementsEqual("eXIf".utf8): exif = content
      case let type where type.elementsEqual("IEND".utf8): isWhole = true
      case _: break
      }
      place = content.upperBound + 4
    }
    let first = Self.mark.count
    guard bytes[first + 4..<first + 8].elementsEqual("IHDR".utf8), number(first) == 13 else {
      throw PictureRefusal("is damaged: it does not begin with its size")
    }
    (width, height) = (number(first + 8), number(first + 12))
    try PictureRefusal.check(width, height)
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][bytes[first + 17]] ?? 1
    let row = 1 + (width * channels * Int(bytes[first + 16]) + 7) / 8
    guard row * height <= data * Self.mostInflation else {
      throw PictureRefusal(
        "is damaged: it says that it has \(width) x \(height) pixels, and has no data for them")
    }
    if let exif { orientation = Orientation(exif: bytes[exif]) }
  }

  /// Decodes the file, which is the one that was walked along.
  func pixels(_ bytes: [UInt8]) throws(PictureRefusal) -> Pixels {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    defer { unsafe png_image_free(&image) }
    func refusal() -> PictureRefusal {
      let message = unsafe withUnsafeBytes(of: image.message) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return PictureRefusal("is damaged: \(message)")
    }
    return try unsafe bytes.span.withUnsafeBytes { file throws(PictureRefusal) in
      guard unsafe png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else {
        throw refusal()
      }
      guard unsafe Int(image.width) == width, unsafe Int(image.height) == height else {
        throw PictureRefusal("is damaged: it says two sizes")
      }
      // Numbers of 16 bits are as bright as those of 8, not linear.
      unsafe image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
      unsafe image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
      var failed = false
      let colours = unsafe [UInt8](unsafeUninitializedCapacity: width * height * 4) { memory, count in
        failed = unsafe png_image_finish_read(&image, nil, memory.baseAddress, Int32(width * 4), nil) == 0
        count = failed ? 0 : memory.count
      }
      guard !failed else { throw refusal() }
      return Pixels(colours, width: width, height: height, orientation)
    }
  }
}
