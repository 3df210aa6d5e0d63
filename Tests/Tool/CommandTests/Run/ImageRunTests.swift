// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Pictures go into models of steps, and the labels of what they show come out.
@Suite("Command: run on pictures", .waits)
struct ImageRunTests {
  private let tool: Tool

  /// The mean of each colour of a picture, and of a second one where it is there.
  private static let means = """
    { "legato": 1, "name": "Means",
      "inputs": { "picture": { "shape": [3, 5, 7], "type": "image", "description": "What is looked at." } },
      "graph": { "means": "mean(mean(picture, axis: 2), axis: 1)", "twice": "2 * means" },
      "outputs": [{ "name": "means", "labels": "names.txt" }, "twice"] }
    """
  /// The same of any size, whose input is an array unless an option says more.
  private static let open = """
    { "legato": 1, "name": "Open", "inputs": { "x": { "shape": ["batch", 3, "height", "width"] } },
      "graph": { "means": "mean(mean(x, axis: 3), axis: 2)" }, "outputs": ["means"] }
    """

  init() throws {
    tool = try Tool()
    for name in ["small.png", "small.jpg", "held-6.jpg", "printer.jpg"] {
      let file = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/\(name)")
      try tool.make(name, Array(try Data(contentsOf: file)))
    }
    try tool.make("means.json", Self.means)
    try tool.make("open.json", Self.open)
    try tool.make("names.txt", "red\ngreen\nblue\n")
    try tool.make("two.txt", "red\ngreen\n")
    try tool.make("cat.webp", "RIFF....WEBPVP8 ")
    try tool.make("cut.png", Array(try tool.bytes("small.png").dropLast(20)))
  }

  private struct Report: Decodable {
    struct Label: Decodable {
      let label: String, index: Int, value: Float?
    }
    struct Output: Decodable {
      let name: String, shape: [Int], values: [Float]?, top: [[Label]]?
    }
    let outputs: [Output]
  }

  private func report(_ words: String...) throws -> [Report.Output] {
    let run = try tool.run(["run"] + words + ["--json"])
    #expect(run.code == 0, "\(run.messages)")
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).outputs
  }

  /// The means of the colours of a picture.
  private func colours(_ name: String) throws -> [Float] {
    let file = try ImageFile(contentsOf: tool.path(name))
    let colours = try file.tensor(shape: [file.height, file.width, 3], as: ImageForm(.rgb)).values
    return (0..<3).map { channel in
      let all = stride(from: channel, to: colours.count, by: 3).map { colours[$0] }
      return all.reduce(0, +) / Float(all.count)
    }
  }

  private func isNear(_ a: [Float]?, _ b: [Float]) -> Bool {
    a?.count == b.count && zip(a ?? [], b).allSatisfy { abs($0 - $1) < 1e-4 }
  }

  @Test("several pictures are steps, or a batch")
  func several() throws {
    let both = try colours("small.png") + colours("small.jpg")
    let steps = try report("means.json", "--input", "picture=small.png", "--input", "picture=small.jpg")
    #expect(steps[0].shape == [2, 3] && isNear(steps[0].values, both))
    let batch = try report(
      "open.json", "--input", "x=small.png", "--input", "x=small.jpg", "--image", "x=RGB")
    #expect(batch[0].shape == [2, 3] && isNear(batch[0].values, both))
    let bound = try report(
      "means.json", "--bind", "batch=2", "--input", "picture=small.png", "--input", "picture=small.jpg")
    #expect(bound[0].shape == [2, 3] && isNear(bound[0].values, both))
    let few = try tool.run(
      "run", "means.json", "--bind", "batch=3", "--input", "small.png", "--input", "small.jpg")
    #expect(few.code == 2)
    #expect(few.messages.contains("takes a batch of 3 pictures, and is given 2 pictures"), "\(few.messages)")
    let mixed = try tool.run(
      "run", "means.json", "--input", "picture=small.png", "--input", "picture=means.json")
    #expect(mixed.code == 1)
  }

  @Test("one grey picture is as high and wide as the first axes say, and no batch")
  func grey() throws {
    try tool.make(
      "grey.json",
      """
      { "legato": 1, "name": "Grey", "clock": "step", "inputs": { "x": { "shape": [28, 28, 1] } },
        "graph": { "y": "reshape(mean(mean(x, axis: 1), axis: 0), [1])" }, "outputs": ["y"] }
      """)
    let one = try report("grey.json", "--input", "x=small.png", "--image", "x=grey")
    #expect(one[0].shape == [1])
    try tool.make(
      "rows.json",
      """
      { "legato": 1, "name": "Rows", "clock": "step", "inputs": { "x": { "shape": ["n", 8, 8] } },
        "graph": { "y": "mean(mean(x, axis: 2), axis: 1)" }, "outputs": ["y"] }
      """)
    for files in [["small.png"], ["small.png", "small.jpg"]] {
      let run = try tool.run(
        ["run", "rows.json", "--image", "grey", "--json"] + files.flatMap { ["--input", $0] })
      #expect(run.code == 0, "\(run.messages)")
      let found = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).outputs
      #expect(found[0].shape == [files.count])
    }
    try tool.make("three.json", Self.means.replacing("[3, 5, 7]", with: "[3, 4, 4]"))
    let three = try tool.run("run", "three.json", "--input", "small.png", "--image", "grey")
    #expect(three.code == 2 && three.messages.contains("of one with 3 channels say RGB or BGR"))
    let two = try report("grey.json", "--input", "x=small.png", "--input", "x=small.jpg", "--image", "x=grey")
    #expect(two[0].shape == [2, 1])
  }

  @Test("the middle of a picture is taken, and inspect tells of pictures and labels")
  func cropped() throws {
    let shown = try tool.run("inspect", "means.json")
    #expect(shown.output.contains("an image, RGB,[0,1]; What is looked at."), "\(shown.output)")
    #expect(shown.output.contains("3 labels"))
    try tool.make("middle.json", Self.means.replacing("[3, 5, 7]", with: "[3, 5, 5]"))
    let found = try report("middle.json", "--input", "small.png", "--image", "picture=RGB,crop")
    let file = try ImageFile(contentsOf: tool.path("small.png"))
    let whole = try file.tensor(shape: [5, 7, 3], as: ImageForm(.rgb)).values
    var middle: [Float] = [0, 0, 0]
    for place in 0..<75 {
      let (row, column) = (place / 15, 1 + place / 3 % 5)
      middle[place % 3] += whole[(row * 7 + column) * 3 + place % 3] / 25
    }
    #expect(isNear(found[0].values, middle))
  }

  @Test("named axes of pictures are as long as other arrays say, and otherwise pictures have one size")
  func sizes() throws {
    try tool.make(
      "pair.json",
      """
      { "legato": 1, "name": "Pair", "clock": "step",
        "inputs": { "x": { "shape": [3, "h", "w"] }, "mask": { "shape": ["h", "w"] } },
        "graph": { "y": "mean(mean(x, axis: 2), axis: 1)", "m": "sum(mask, axis: [0, 1])" }, "outputs": ["y", "m"] }
      """)
    try Tensor(shape: [2, 3], values: [1, 1, 1, 1, 1, 1]).write(to: tool.path("mask.npy"))
    let run = try tool.run(
      "run", "pair.json", "--input", "x=small.png", "--input", "mask=mask.npy", "--image", "x=RGB")
    #expect(run.code == 0, "\(run.messages)")
    let words = ["run", "open.json", "--input", "small.png", "--input", "held-6.jpg", "--image", "RGB"]
    let several = try tool.run(words)
    #expect(several.code == 2)
    #expect(
      several.messages.contains("is given pictures of several sizes, 7 x 5 and 5 x 7"), "\(several.messages)")
    #expect(try tool.run(words + ["--bind", "height=4", "--bind", "width=4"]).code == 0)
  }

  @Test("a picture goes in, and the labels of the largest numbers are printed")
  func top() throws {
    let colours = try colours("small.png")
    let found = try report("means.json", "--input", "picture=small.png", "--top", "2")
    #expect(isNear(found[0].values, colours))
    let order = (0..<3).sorted { colours[$0] > colours[$1] }
    let top = try #require(found[0].top)
    #expect(top.count == 1 && top[0].map(\.index) == Array(order.prefix(2)))
    #expect(top[0].map(\.label) == order.prefix(2).map { ["red", "green", "blue"][$0] })
    #expect(isNear(top[0].compactMap(\.value), order.prefix(2).map { colours[$0] }))
    #expect(found[1].top == nil)

    let run = try tool.run("run", "means.json", "--input", "small.png", "--top", "9")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 4 && lines[0].hasPrefix("  twice  [3]  "))
    #expect(lines[1].hasPrefix("  means  \(top[0][0].label)"))
    // Files are written as ever, and the labels printed besides.
    let file = try tool.run("run", "means.json", "--input", "small.png", "--top", "1", "-o", "out.npz")
    #expect(file.code == 0 && file.output.split(separator: "\n").count == 1, "\(file.messages)")
    #expect(file.output.hasPrefix("  means  \(top[0][0].label)  "))
  }

  @Test("JPEG is read, and stands upright as it was held")
  func jpeg() throws {
    let found = try report("means.json", "--input", "picture=small.jpg")
    #expect(try isNear(found[0].values, colours("small.jpg")) && found[0].top == nil)
    let held = try report("open.json", "--input", "x=held-6.jpg", "--image", "x=RGB")
    #expect(try held[0].shape == [1, 3] && isNear(held[0].values, colours("held-6.jpg")))
  }

  @Test("an option says how a picture becomes an array, and axes without numbers get its size")
  func forms() throws {
    let colours = try colours("small.png")
    let plain = try report("open.json", "--input", "small.png", "--image", "RGB")
    #expect(isNear(plain[0].values, colours))
    let turned = try report("open.json", "--input", "small.png", "--image", "x=BGR,[-1,1]")
    #expect(isNear(turned[0].values, colours.reversed().map { 2 * $0 - 1 }))
    let scaled = try report(
      "open.json", "--input", "small.png", "--image", "RGB,mean=[0.5,0.25,0],deviation=[1,2,4],area")
    #expect(isNear(scaled[0].values, [colours[0] - 0.5, (colours[1] - 0.25) / 2, colours[2] / 4]))
    let bound = try tool.run(
      "run", "open.json", "--input", "small.png", "--image", "RGB", "--bind", "height=1", "--labels",
      "names.txt",
      "--top", "1")
    #expect(bound.code == 0 && bound.output.split(separator: "\n").count == 1, "\(bound.messages)")
    // What a model says of its input is said otherwise.
    let other = try report("means.json", "--input", "small.png", "--image", "picture=BGR")
    #expect(isNear(other[0].values, colours.reversed()))
  }

  @Test("an array goes into an input for pictures, and several steps have rows of labels")
  func arrays() throws {
    let values = (0..<210).map { Float($0 < 105 ? 0.25 : -1) }
    try Tensor(shape: [2, 3, 5, 7], values: values).write(to: tool.path("steps.npy"))
    let run = try tool.run("run", "means.json", "--input", "steps.npy", "--top", "1", "-o", "out.npz")
    #expect(run.code == 0)
    #expect(run.output == "  means [0]  red  0.25\n  means [1]  red  -1\n")
    #expect(
      run.lines.contains(
        "means.json: the numbers of 'means' are no probabilities, which lie from 0 to 1; a softmax makes them"
      ))
  }

  @Test("without inputs it says which are pictures, and how many labels there are")
  func interface() throws {
    let output = try tool.run("run", "means.json").output
    #expect(output.contains("  picture  [3, 5, 7]  float32  an image, RGB,[0,1]; What is looked at.\n"))
    #expect(output.contains("  means  [3]  float32  3 labels\n"))
    #expect(try tool.run("run", "open.json", "--image", "BGR").output.contains("an image, BGR,[0,1]\n"))
  }

  private static let refusals: [(line: String, code: Int32, message: String)] = [
    (
      "means.json --input array.npy --image picture=BGR", 2,
      "run: --image says how a picture becomes 'picture', and 'array.npy' is none"
    ),
    (
      "open.json --input small.png", 2,
      "run: --input small.png: this is a picture, and the input 'x' takes an array; say how it becomes one, such as "
        + "--image x=RGB,[0,1] or --image x=RGB,ImageNet"
    ),
    (
      "open.json --input small.png --image y=RGB", 2,
      "run: --image y=RGB: no input is called 'y'; there is 'x'"
    ),
    (
      "open.json --input small.png --image RGB --image x=BGR", 2,
      "run: --image x=BGR: the input 'x' has a form already"
    ),
    (
      "open.json --input small.png --image RGBA", 2,
      "run: --image RGBA: a form is RGB, BGR or grey, then perhaps [0,1], [-1,1] or other numbers for black and white,"
    ),
    (
      "open.json --input small.png --image grey", 2,
      "run: the input 'x' takes [batch, 3, height, width], and grey pictures [1, height, width], "
        + "[height, width, 1] or [height, width]"
    ),
    (
      "open.json --input small.png --image RGB --bind batch=2", 2,
      "run: the input 'x' takes a batch of 2 pictures, and is given 1 picture"
    ),
    (
      "means.json --input printer.jpg", 1,
      "printer.jpg: the file has the colours of a printer (CMYK); save it as RGB"
    ),
    ("means.json --input cut.png", 1, "cut.png: the file is cut off, after "),
    ("means.json --input cat.webp", 1, "cat.webp: the file is no picture; PNG and JPEG are read"),
    ("means.json --input none.png", 1, "none.png: no such file"),
    (
      "means.json --input small.png --expect small.png", 1,
      "small.png: the file is no file of arrays; those of NumPy (.npy, .npz) and safetensors are read"
    ),
    ("means.json --input small.png --top 0", 2, "run: --top takes a whole number from 1 to 1000000, not '0'"),
    ("means.json --input small.png --labels names.txt", 2, "run: --labels goes with --top N"),
    (
      "open.json --input small.png --image RGB --top 1", 2,
      "run: --top names what the model has labels for, and it has none; --labels FILE gives them"
    ),
    (
      "means.json --input small.png --top 1 --labels names.txt", 2,
      "run: --labels names.txt: the model has the outputs 'means' and 'twice'; say which is meant: --labels means=names.txt"
    ),
    (
      "means.json --input small.png --top 1 --labels twice=two.txt", 2,
      "run: --labels: there are 2 labels for the output 'twice', and its shape is [3]; there is a label for each number "
        + "along the last axis"
    ),
    (
      "means.json --input small.png --top 1 --labels twice=names.txt --labels twice=two.txt", 2,
      "run: --labels twice=two.txt: the output 'twice' has labels twice"
    ),
    ("means.json --input small.png --top 1 --labels twice=none.txt", 1, "none.txt: no such file"),
    (
      "means.json --input small.png --top 1 -o names.npz --labels twice=small.png", 1,
      "small.png: the file is no text in UTF-8, with the name of a label in each line"
    ),
  ]

  @Test(arguments: refusals.indices) func refused(row: Int) throws {
    let (line, code, message) = Self.refusals[row]
    try tool.make("array.npy", Tensor(shape: [3, 5, 7], values: Array(repeating: 0, count: 105)).npy)
    let before = try tool.names
    let run = try tool.run(["run"] + line.split(separator: " ").map(String.init))
    #expect(run.code == code && run.output.isEmpty && run.lines.count == 1, "\(run.messages)")
    #expect(run.lines.last?.hasPrefix(message) == true, "\(run.messages)")
    #expect(!line.contains("RGBA") || run.messages.contains("'RGBA' is none of these"))
    #expect(try tool.names == before)
  }

  @Test("a file of labels outside of the model's folder is not read")
  func outside() throws {
    try tool.makeFolder("models")
    for path in ["../names.txt", tool.path("names.txt")] {
      try tool.make("models/means.json", Self.means.replacing("names.txt", with: path))
      let run = try tool.run("run", "models/means.json", "--input", "small.png")
      #expect(run.code == 1 && run.lines.count == 1)
      #expect(run.messages.contains("lies outside the folder of 'models/means.json'"), "\(run.messages)")
    }
  }
}
