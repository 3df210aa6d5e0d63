// SPDX-License-Identifier: Apache-2.0

import ImageFiles
import TensorFiles
import Testing

/// Every kind of picture is read as Pillow reads it, laid over black, and stands upright.
@Suite struct PictureFileTests {
  /// Rounded is what has an opacity, and numbers of 16 bits; JPEG is what two releases of one library may differ by.
  static let kinds: [(name: String, tolerance: Float)] = [
    ("photo.png", 0), ("small.png", 0), ("interlaced.png", 0), ("grey.png", 0), ("bits.png", 0),
    ("palette.png", 1e-4), ("alpha.png", 1e-4), ("grey-alpha.png", 1e-4), ("deep.png", 1), ("held-6.png", 0),
    ("small.jpg", 1), ("subsampled.jpg", 1), ("progressive.jpg", 1), ("grey.jpg", 1),
  ]

  @Test(arguments: kinds) func everyKind(name: String, tolerance: Float) throws {
    let expected = try PictureSample.expected(name)
    let file = try PictureSample.open(PictureSample.bytes(name))
    #expect([file.height, file.width, 3] == expected.shape)
    let distance = PictureSample.distance(try PictureSample.array(name, expected.shape), expected)
    #expect(distance <= tolerance, "\(name)")
  }

  @Test(arguments: 1...8) func everyWayToHoldACamera(orientation: Int) throws {
    let name = "held-\(orientation).jpg"
    let expected = try PictureSample.expected(name)
    #expect(expected.shape == (orientation < 5 ? [5, 7, 3] : [7, 5, 3]))
    #expect(PictureSample.distance(try PictureSample.array(name, expected.shape), expected) <= 1)
  }

  @Test func aCameraThatSaysNonsenseHeldItUpright() throws {
    let upright = try PictureSample.array("held-1.jpg", [5, 7, 3])
    let whole = try PictureSample.bytes("held-6.jpg")
    let start = whole.indices.first { whole[$0...].starts(with: "Exif".utf8) }! + 6
    #expect(whole[start...].starts(with: "MM".utf8))
    // The byte order, the mark, the place of the directory, its length, and the tag, the type and the value in it.
    for (place, byte) in [(0, 0), (3, 9), (4, 0xFF), (9, 0), (11, 9), (13, 9), (19, 9), (19, 0)]
      as [(Int, UInt8)]
    {
      var bytes = whole
      bytes[start + place] = byte
      let found = try PictureSample.open(bytes).array([5, 7, 3], ImageConversion("RGB,[0,255]")!)
      #expect(PictureSample.distance(found, upright) == 0, "byte \(place)")
    }
  }

  static let sizes = [
    "bilinear 8x10", "bilinear 17x23", "bilinear 20x26", "bilinear 9x30", "bilinear 1x1", "area 8x10",
    "area 5x23", "area 8x30", "area 17x1", "area 1x1", "bilinear,crop 8x8", "bilinear,crop=0.875 8x8",
    "bilinear,crop 6x10", "area,crop 1x1",
  ]

  @Test(arguments: sizes) func everySize(name: String) throws {
    let expected = try PictureSample.expected("photo.png \(name)")
    let rule = name.split(separator: " ")[0]
    let found = try PictureSample.array("photo.png", expected.shape, "RGB,[0,255],\(rule)")
    #expect(PictureSample.distance(found, expected) < 1e-3)
  }

  @Test func largerByAreaIsBilinear() throws {
    let area = try PictureSample.array("photo.png", [20, 26, 3], "RGB,[0,255],area")
    #expect(area == (try PictureSample.array("photo.png", [20, 26, 3])))
  }

  // MARK: Channels and scales

  @Test func channelsStandWhereTheShapeSays() throws {
    let (height, width) = (17, 23)
    let last = try PictureSample.array("photo.png", [height, width, 3]).numbers
    let first = try PictureSample.array("photo.png", [3, height, width]).numbers
    let turned = try PictureSample.array("photo.png", [1, 3, height, width], "BGR,[0,255]")
    #expect(turned.shape == [1, 3, height, width])
    for place in 0..<height * width {
      for channel in 0..<3 {
        let number = last[3 * place + channel]
        #expect(first[channel * height * width + place] == number)
        #expect(turned.numbers[(2 - channel) * height * width + place] == number)
      }
    }
    // Of three by three by three, channels come first.
    let ambiguous = try PictureSample.array("photo.png", [3, 3, 3], "RGB,[0,255],area").numbers
    let clear = try PictureSample.array("photo.png", [1, 3, 3, 3], "RGB,[0,255],area").numbers
    #expect(ambiguous == clear && ambiguous[0..<9] != ambiguous[9..<18])
  }

  @Test func greyIsWhatIsSeen() throws {
    let colours = try PictureSample.array("photo.png", [17, 23, 3]).numbers
    for shape in [[17, 23], [1, 17, 23], [17, 23, 1], [1, 1, 17, 23]] {
      let grey = try PictureSample.array("photo.png", shape, "grey,[0,255]").numbers
      for place in grey.indices {
        let seen =
          0.299 * colours[3 * place] + 0.587 * colours[3 * place + 1] + 0.114 * colours[3 * place + 2]
        #expect(abs(grey[place] - seen) < 1e-3)
      }
    }
  }

  @Test(arguments: [
    ("RGB", [0, 0, 0], [1, 1, 1]), ("RGB,[-1,1]", [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
    ("RGB,[1, 0]", [1, 1, 1], [-1, -1, -1]),
    ("RGB,ImageNet", [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ("BGR,imagenet", [0.406, 0.456, 0.485], [0.225, 0.224, 0.229]),
    ("RGB,mean=[0.1,0.2,0.3],deviation=[1,2,4]", [0.1, 0.2, 0.3], [1, 2, 4]),
  ]) func scales(text: String, mean: [Float], deviation: [Float]) throws {
    let plain = try PictureSample.array("small.png", [3, 5, 7], "\(text.prefix(3)),[0,255]").numbers
    let scaled = try PictureSample.array("small.png", [3, 5, 7], text).numbers
    for place in plain.indices {
      let channel = place / 35
      let number = (plain[place] / 255 - mean[channel]) / deviation[channel]
      #expect(abs(scaled[place] - number) < 1e-5)
    }
  }
}
