// SPDX-License-Identifier: Apache-2.0

import ImageFiles
import Testing

/// A conversion is read as it is written, and nothing else is.
@Suite struct ImageConversionTests {
  @Test(arguments: [
    "RGB,[0,1]", "BGR,[-1,1]", "grey,[0,255],area", "grey,mean=[0.5],deviation=[0.25]",
    "RGB,mean=[0.485,0.456,0.406],deviation=[0.229,0.224,0.225],area",
    "RGB,[0,1],crop", "BGR,[0,255],area,crop=0.875",
  ]) func printed(text: String) { #expect(ImageConversion(text)?.description == text) }

  @Test func whatIsLeftOutIsUsual() {
    #expect(ImageConversion("rgb")?.description == "RGB,[0,1]")
    #expect(ImageConversion("RGB,bilinear,[ -1, 1 ]")?.description == "RGB,[-1,1]")
    #expect(
      ImageConversion("BGR,deviation=[1,2,3],mean=[4,5,6]")?.normalization
        == .standard(mean: [4, 5, 6], deviation: [1, 2, 3]))
  }

  @Test(arguments: [
    "", ",", "RGBA", "RGB,", "RGB,[0,1],[0,1]", "RGB,[0]", "RGB,[0,1,2]", "RGB,[0,nan]", "RGB,[0,1e300]",
    "RGB,[0,1",
    "RGB,0,1]", "grey,ImageNet", "RGB,mean=[1,2,3]", "RGB,mean=[1],deviation=[1]", "RGB,area,area",
    "RGB,cubic", "RGB,crop=0", "RGB,crop=1.5", "RGB,crop=nan", "RGB,crop,crop", "RGB,crop=",
    "RGB,mean=[1,2,3],deviation=[1,0,1]", "RGB,mean=[1,2,3],deviation=[1,1e-60,1]",
    "RGB,[0,1],mean=[1,2,3],deviation=[1,1,1]", "grey,mean=[1],mean=[1],deviation=[1]",
  ]) func refused(text: String) { #expect(ImageConversion(text) == nil) }

  @Test func whatIsWrongIsNamed() {
    #expect(ImageConversion.wrongWord(in: "RGBA,[0,1]") == "RGBA")
    #expect(ImageConversion.wrongWord(in: "RGB,[0,1],aera") == "aera")
    #expect(ImageConversion.wrongWord(in: "grey,mean=[1],deviation=[0]") == "deviation=[0]")
    #expect(ImageConversion.wrongWord(in: "RGB,[0,1e39]") == "[0,1e39]")
    #expect(ImageConversion("RGB,[0,1e38]") != nil && ImageConversion("RGB,[0,1e39]") == nil)
  }

  @Test(
    arguments: [
      ([3, 8, 9], 3, (1, 2)), ([8, 9, 3], 3, (0, 1)), ([1, 3, 8, 9], 3, (2, 3)),
      ([nil, nil, nil, 3], 3, (1, 2)),
      ([nil, 3, nil, nil], 3, (2, 3)), ([8, 9], 1, (0, 1)), ([1, 8, 9], 1, (1, 2)), ([3, 4, 3], 3, (1, 2)),
    ] as [([Int?], Int, (Int, Int))]) func layouts(axes: [Int?], channels: Int, found: (Int, Int)) throws
  {
    let axes = try #require(ImageLayout.axes(axes, channels: channels))
    #expect(axes == found)
  }

  @Test(
    arguments: [
      ([8, 9], 3), ([4, 8, 9], 3), ([2, 3, 8, 9], 3), ([], 1), ([9], 1), ([1, 1, 3, 8, 9], 3),
      ([nil, 8, 9], 3),
    ] as [([Int?], Int)]) func noLayouts(axes: [Int?], channels: Int)
  {
    #expect(ImageLayout.axes(axes, channels: channels) == nil)
  }
}
