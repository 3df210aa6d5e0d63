// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Pictures go into models of steps by the names of inputs.
@Suite struct ImageFileTests {
  private let small = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/small.png")
    .path()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func model(_ fields: String) throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "Means", "inputs": { "picture": { \(fields) } },
        "graph": { "means": "mean(mean(picture, axis: 2), axis: 1)" },
        "outputs": [{ "name": "means", "labels": ["red", "green", "blue"] }] }
      """)
  }

  @Test func aPictureGoesIntoAStep() throws {
    let model = try model(
      "\"shape\": [3, 5, 7], \"type\": \"image\", \"format\": \"BGR\", \"normalize\": \"[-1,1]\"")
    #expect(model.inputs[0].image == ImageForm(.bgr, black: -1, white: 1))
    #expect(model.labels(of: "means") == ["red", "green", "blue"] && model.labels(of: "picture") == nil)
    let file = try ImageFile(contentsOf: small)
    #expect(file.width == 7 && file.height == 5 && file.path == small)
    let picture = try file.tensor(shape: [3, 5, 7], as: #require(model.inputs[0].image))
    var runner = try StepRunner(model.compilation())
    let means = try #require(try runner.step(["picture": picture])["means"]).values
    let colours = try file.tensor(shape: [5, 7, 3], as: ImageForm(.rgb)).values
    for channel in 0..<3 {
      let mean = (0..<35).map { 2 * colours[3 * $0 + 2 - channel] - 1 }.reduce(0, +) / 35
      #expect(abs(means[channel] - mean) < 1e-5)
    }
  }

  @Test func formsAreWrittenAndRead() throws {
    #expect(try ImageForm("RGB,ImageNet") == .imageNet)
    #expect(
      try ImageForm("grey,mean=[0.5],deviation=[0.25],area")
        == ImageForm(.grey, mean: [0.5], deviation: [0.25], resize: .area))
    let form = ImageForm(.bgr, resize: .area)
    #expect(form.description == "BGR,[0,1],area" && form.format == .bgr && form.resize == .area)
    #expect(throws: RequestError.self) { try ImageForm("RGBA") }
  }

  @Test func whatIsWrongIsThrown() throws {
    let file = try ImageFile(contentsOf: small)
    #expect(
      throws: TensorError.unreadable(
        path: small, reason: "the file is a picture, and no RGB picture has the shape [4, 5, 7]")
    ) { try file.tensor(shape: [4, 5, 7], as: ImageForm(.rgb)) }
    for shape in [[-1, 5, 3], [3, 1 << 40, 1 << 40], [3, 0, 5], [0, 5, 3], [3, 1 << 20, 1 << 20]] {
      for form in [ImageForm(.rgb), ImageForm(.rgb, crop: 1)] {
        #expect(throws: TensorError.self, "\(shape)") { try file.tensor(shape: shape, as: form) }
      }
    }
    #expect(throws: TensorError.unreadable(path: folder("none.png"), reason: "no such file")) {
      try ImageFile(contentsOf: folder("none.png"))
    }
    try folder.make("text.png", Array("no picture".utf8))
    #expect(
      throws: TensorError.unreadable(
        path: folder("text.png"), reason: "the file is no picture; PNG and JPEG are read")
    ) { try ImageFile(contentsOf: folder("text.png")) }
  }

  @Test func aFileOfLabelsIsRead() throws {
    try folder.make("names.txt", Array("cat\ndog\n".utf8))
    #expect(try Model.labels(contentsOf: folder("names.txt")) == ["cat", "dog"])
    try folder.make("empty.txt", [])
    #expect(
      throws: ModelError.unreadable(
        path: folder("empty.txt"), reason: "the file has 0 labels; from 1 to 65536 are read, one in each line"
      )
    ) { try Model.labels(contentsOf: folder("empty.txt")) }
  }
}
