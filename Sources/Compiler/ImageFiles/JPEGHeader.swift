// SPDX-License-Identifier: Apache-2.0

internal import CTurboJPEG

/// The markers of a JPEG file, as far as they matter before it is decoded.
struct JPEGHeader {
  static let mark: [UInt8] = [0xFF, 0xD8, 0xFF]
  /// A Huffman code for each block of 64 pixels takes a bit at least.
  private static let mostPixelsOfByte = 512

  let width, height: Int
  let orientation: Orientation

  /// - Throws: `PictureRefusal` where the picture is too large, larger than its bytes can say, or in a printer's colours.
  init(_ bytes: [UInt8]) throws(PictureRefusal) {
    let (sizes, space) = try Decoder().sizes(bytes)
    // The library says nothing of a header that ends before the size.
    guard sizes.width > 0, sizes.height > 0 else {
      throw PictureRefusal("is damaged: its header says no size, and may be cut off")
    }
    try PictureRefusal.check(sizes.width, sizes.height)
    (width, height) = sizes
    guard space != TJCS_CMYK.rawValue, space != TJCS_YCCK.rawValue else {
      throw PictureRefusal("has the colours of a printer (CMYK); save it as RGB")
    }
    var exif: Range<Int>?
    var (isArithmetic, isProgressive) = (false, false)
    for (marker, content) in Self.segments(bytes) {
      switch marker {
      // Those of arithmetic coding can say much more with a byte.
      case 0xC9...0xCB:
        isArithmetic = true
        isProgressive = marker == 0xCA
      case 0xC2: isProgressive = true
      case 0xE1 where exif == nil && bytes[content].starts(with: "Exif\0\0".utf8):
        exif = content.lowerBound + 6..<content.upperBound
      case _: break
      }
    }
    orientation = exif.map { Orientation(exif: bytes[$0]) } ?? .upright
    // The library keeps all of their coefficients, up to six bytes of a pixel, beside the picture.
    if isProgressive, width * height > PictureFile.mostProgressivePixels {
      throw PictureRefusal(
        "has \(width) x \(height) pixels in several scans (progressive); \(PictureFile.mostProgressivePixels) are "
          + "the most, such as 6144 x 4096; save it without these")
    }
    guard isArithmetic || width * height <= bytes.count * Self.mostPixelsOfByte else {
      throw PictureRefusal(
        "is damaged: it says that it has \(width) x \(height) pixels, and has no data for them")
    }
  }

  /// The segments before the coded picture: a marker, a length of two bytes that counts itself, and content.
  private static func segments(_ bytes: [UInt8]) -> [(marker: UInt8, content: Range<Int>)] {
    var segments: [(marker: UInt8, content: Range<Int>)] = []
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      // Bytes that fill up come before a marker.
      if marker == 0xFF {
        place += 1
        continue
      }
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      guard marker != 0xDA, length >= 2, place + 2 + length <= bytes.count else { break }
      segments.append((marker, place + 4..<place + 2 + length))
      place += 2 + length
    }
    return segments
  }

  /// Decodes the file, which is the one that was looked at.
  func pixels(_ bytes: [UInt8]) throws(PictureRefusal) -> Pixels {
    let colours = try Decoder().colours(bytes, width, height)
    return Pixels(colours, width: width, height: height, orientation)
  }

  /// A decoder of the library's.
  @safe private struct Decoder: ~Copyable {
    private let handle: tjhandle

    init() throws(PictureRefusal) {
      guard let handle = unsafe tjInitDecompress() else {
        throw PictureRefusal("cannot be decoded: no memory")
      }
      unsafe self.handle = unsafe handle
    }

    deinit { unsafe tjDestroy(handle) }

    func sizes(_ bytes: [UInt8]) throws(PictureRefusal) -> (size: (width: Int, height: Int), space: UInt32) {
      var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
      let code = unsafe bytes.withUnsafeBufferPointer { file in
        unsafe tjDecompressHeader3(
          handle, file.baseAddress, UInt(file.count), &width, &height, &sampling, &space)
      }
      guard code == 0 else { throw refusal() }
      return ((Int(width), Int(height)), UInt32(space))
    }

    func colours(_ bytes: [UInt8], _ width: Int, _ height: Int) throws(PictureRefusal) -> [UInt8] {
      // A file that is cut off or damaged is a warning to the library, which goes on in grey.
      let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT
      var code: Int32 = 0
      let colours = unsafe [UInt8](unsafeUninitializedCapacity: width * height * 4) { memory, count in
        code = unsafe bytes.withUnsafeBufferPointer { file in
          unsafe tjDecompress2(
            handle, file.baseAddress, UInt(file.count), memory.baseAddress, Int32(width), 0, Int32(height),
            TJPF_RGBA.rawValue, flags)
        }
        count = code == 0 ? memory.count : 0
      }
      guard code == 0 else { throw refusal() }
      return colours
    }

    private func refusal() -> PictureRefusal {
      PictureRefusal("is damaged: \(unsafe String(cString: tjGetErrorStr2(handle)))")
    }
  }
}
