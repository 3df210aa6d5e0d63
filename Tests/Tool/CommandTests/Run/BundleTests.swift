// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Bundles of Tensor/IO: they run in their modes as the model in them does, and what they say of it has to be so.
@Suite("Command: bundles", .waits)
struct BundleTests {
  private let tool: Tool

  private static let text = """
    { "name": "Colours", "details": "Tells pictures apart.", "id": "colours-1", "version": "1", "author": "A",
      "license": "MIT", "options": { "device": "any" },
      "model": { "file": "colours.json", "quantized": false, "type": "image.classification", "backend": "legato",
        "modes": ["predict", "train", "eval"] },
      "inputs": [
        { "name": "p", "type": "image", "dtype": "float32", "shape": [-1, 3, 4, 4], "format": "RGB",
          "normalize": { "scale": 0.00392156862745098, "bias": { "r": 0, "g": 0, "b": 0 } } },
        { "name": "labels", "type": "array", "dtype": "int32", "shape": [-1, 1] }
      ],
      "outputs": [{ "name": "scores", "type": "array", "dtype": "float32", "shape": [-1, 2], "labels": ["cat", "dog"] }],
      "train": { "ops": ["loss", "right"] } }
    """

  init() throws {
    tool = try Tool()
    try tool.make(
      "plain.json",
      """
      { "legato": 1, "name": "Colours", "inputs": { "p": { "shape": [3, 4, 4], "type": "image" } },
        "weights": { "w": [[1, 0, -1], [0, 2, 0]], "b": [0, 0] },
        "graph": { "scores": "dense(mean(mean(p, axis: 2), axis: 1), 'w', 'b')" },
        "outputs": [{ "name": "scores", "labels": ["cat", "dog"] }],
        "train": { "targets": { "labels": { "shape": [] } }, "loss": "crossEntropy(scores, labels)",
          "metrics": { "right": "topAccuracy(scores, labels)", "idle": "mean(scores)" } } }
      """)
    let plain = String(decoding: try tool.bytes("plain.json"), as: UTF8.self)
    try tool.makeFolder("bundle")
    try tool.make(
      "bundle/colours.json",
      plain.replacing(", \"type\": \"image\"", with: "").replacing(
        "{ \"name\": \"scores\", \"labels\": [\"cat\", \"dog\"] }", with: "\"scores\""))
    try tool.make("bundle/model.json", Self.text)
    for (folder, name) in [("cat", "small.jpg"), ("dog", "small.png")] {
      try FileManager.default.createDirectory(
        atPath: tool.path("pets/\(folder)"), withIntermediateDirectories: true)
      let file = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/\(name)")
      try tool.make("pets/\(folder)/\(name)", Array(try Data(contentsOf: file)))
    }
  }

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("it runs, learns and is judged as its model") func modes() throws {
    for line in ["run MODEL --input p=pets/cat/small.jpg --top 2", "evaluate MODEL --data pets"] {
      let made = try run(line.replacing("MODEL", with: "bundle"))
      let wanted = try run(line.replacing("MODEL", with: "plain.json"))
      #expect(made.code == 0 && wanted.code == 0, "\(line): \(made)\(wanted)")
      let hidden = made.output.split(separator: "\n").filter { !$0.hasPrefix("idle") }
      #expect(hidden == wanted.output.split(separator: "\n").filter { !$0.hasPrefix("idle") }, "\(line)")
    }
    let learned = try run("train bundle --data pets --validate 0 --epochs 4 -o learned.json")
    #expect(try run("train plain.json --data pets --validate 0 --epochs 4 -o other.json").code == 0)
    #expect(learned.code == 0 && !learned.messages.contains("idle"), "\(learned)")
    #expect(try tool.bytes("learned.safetensors") == tool.bytes("other.safetensors"))
    let report = try run("inspect bundle")
    #expect(
      report.output == """
        bundle Colours: colours.json, backend legato
          id colours-1
          version 1
          author A
          license MIT
          type image.classification
          details Tells pictures apart.
        signature predict
          in p: picture RGB [-1, 3, 4, 4]
          out scores: float32 [-1, 2], 2 labels
        signature train
          in p: picture RGB [-1, 3, 4, 4]
          in labels: int32 [-1, 1]
          returns loss
          returns right
        signature eval
          in p: picture RGB [-1, 3, 4, 4]
          in labels: int32 [-1, 1]
          out scores: float32 [-1, 2], 2 labels

        """)
    #expect(try run("inspect bundle --json").output.contains("\"mode\" : \"eval\""))
    #expect(try run("inspect bundle --stage graph").output.contains("output scores"))
    try tool.make(
      "bundle/model.json", Self.text.replacing("[\"predict\", \"train\", \"eval\"]", with: "[\"eval\"]"))
    for line in ["run bundle --input p=pets/cat/small.jpg", "train bundle --data pets -o no.json"] {
      let run = try run(line)
      #expect(
        run.code == 1
          && run.messages.contains("bundle/model.json: the bundle runs in the modes 'eval', and not in "))
    }
    #expect(try run("evaluate bundle --data pets").code == 0)
  }

  @Test("a learned model takes pictures as it learned them") func forms() throws {
    let plain = String(decoding: try tool.bytes("plain.json"), as: UTF8.self)
    let stated = "\"type\": \"image\", \"crop\": 0.5, \"description\": \"A pet.\""
    for file in ["own.json", "bundle/colours.json"] {
      try tool.make(file, plain.replacing("\"type\": \"image\"", with: stated))
    }
    try tool.make(
      "bundle/model.json",
      Self.text.replacing("0.00392156862745098", with: "0.00784313725490196").replacing(
        "\"r\": 0, \"g\": 0, \"b\": 0", with: "\"r\": -1, \"g\": -1, \"b\": -1"))
    for (line, written) in [
      ("own.json", "\"type\": \"image\", \"crop\": 0.5, \"description\": \"A pet.\" }"),
      (
        "own.json --image BGR,[-1,1],area",
        "\"format\": \"BGR\", \"normalize\": \"[-1, 1]\", \"resize\": \"area\""
      ),
      (
        "bundle",
        "\"format\": \"RGB\", \"normalize\": { \"mean\": [0.5, 0.5, 0.5], \"deviation\": [0.5, 0.5, 0.5] }"
      ),
    ] {
      let made = try run("train \(line) --data pets --validate 0 --epochs 2 -o made.json --force")
      let text = String(decoding: try tool.bytes("made.json"), as: UTF8.self)
      #expect(made.code == 0 && text.contains(written) && text.contains("A pet."), "\(made)\(text)")
      #expect(text.contains("crop") == (line == "own.json"))
      guard line.contains("--image") else { continue }
      let scores = try run("evaluate made.json --data pets")
      let wanted = try run("evaluate made.json --data pets --image BGR,[-1,1],area")
      #expect(scores.code == 0 && scores.output == wanted.output, "\(scores)\(wanted)")
    }
  }

  /// The batch of a network, which it only names, has one example.
  @Test("a network of ONNX Runtime's training learns in a bundle") func network() throws {
    try tool.makeFolder("net")
    let files = PackageFiles.folder.appending(
      path: "Tests/Training/LegatoTrainingTests/reference/onnxruntime")
    for name in ["eval_model.onnx", "optimizer_model.onnx", "checkpoint", "steps.npz"] {
      try FileManager.default.copyItem(
        atPath: files.appending(path: name).path(),
        toPath: tool.path(name == "steps.npz" ? name : "net/\(name)"))
    }
    try tool.make(
      "net/model.json",
      """
      { "name": "Net", "model": { "file": "eval_model.onnx", "backend": "onnx", "modes": ["train"] },
        "inputs": [{ "name": "x", "type": "array", "shape": [-1, 1, 8, 8] },
          { "name": "labels", "type": "array", "dtype": "int64", "shape": [-1] }],
        "outputs": [{ "name": "scores", "type": "array", "shape": [-1, 10] }], "train": { "ops": ["loss"] } }
      """)
    let steps = try TensorArchive(contentsOf: tool.path("steps.npz"))
    let (x, labels) = (try steps.tensor("x"), try steps.tensor("labels"))
    try Tensor(shape: [4, 1, 1, 8, 8], values: x.values).write(to: tool.path("x.npy"))
    try Tensor(shape: [4, 1], values: labels.values).write(to: tool.path("labels.npy"))
    let run = try run("train net --data x=x.npy --data labels=labels.npy --validate 0 --epochs 5 -o net.json")
    #expect(run.code == 0 && run.messages.contains("epoch 5: loss 2.38\n"), "\(run)")
  }

  @Test("an axis that a network leaves open is as long as the bundle has it") func openAxes() throws {
    try tool.makeFolder("net")
    // [batch, 1, time]
    let network = PackageFiles.folder.appending(path: "Tests/Compiler/ONNXFilesTests/reference/strided.onnx")
    try FileManager.default.copyItem(atPath: network.path(), toPath: tool.path("net/net.onnx"))
    try Tensor(shape: [1, 1, 8], values: (0..<8).map { Float($0) }).write(to: tool.path("x.npy"))
    let end = "--input x=x.npy --force -o"
    #expect(try run("run net/net.onnx --bind batch=1 --bind time=8 \(end) wanted.npz").code == 0)
    for (shape, message) in [
      ("[-1, 1, 8]", ""), ("[1, 8]", ""),
      ("[-1, 1, -1]", "'x' is [-1, 1, -1] here; -1 is the axis of a batch, the first one\n"),
      ("[-1, 8]", "'x' is [-1, 8] here, and [batch, 1, time] in the model\n"),
    ] {
      try tool.make(
        "net/model.json",
        """
        { "name": "Net", "model": { "file": "net.onnx", "backend": "onnx", "modes": ["predict"] },
          "inputs": [{ "name": "x", "type": "array", "shape": \(shape) }],
          "outputs": [{ "name": "y", "type": "array", "shape": [-1, 1, 8] }] }
        """)
      let made = try run("run net \(end) made.npz")
      #expect(made.code == (message.isEmpty ? 0 : 1) && made.messages.hasSuffix(message), "\(shape): \(made)")
      guard message.isEmpty else { continue }
      let (own, wanted) = (tool.path("made.npz"), tool.path("wanted.npz"))
      #expect(try Tensor(contentsOf: own, named: "y") == Tensor(contentsOf: wanted, named: "y"))
    }
  }

  /// A model that states no training, as a network does not, in a bundle; its batch has one example.
  private func makeNet(target: String, labels: String = "", image: String = "[-1, 3, 4, 4]") throws {
    try tool.makeFolder("net")
    try tool.make(
      "net/net.json",
      """
      { "legato": 1, "name": "Net", "inputs": { "p": { "shape": [1, 3, 4, 4] } },
        "weights": { "head.weight": [[1, 0, -1], [0, 2, 0]], "head.bias": [0, 0] },
        "graph": { "scores": "dense(mean(mean(p, axis: 3), axis: 2), 'head.weight', 'head.bias')" },
        "outputs": ["scores"] }
      """)
    try tool.make(
      "net/model.json",
      """
      { "name": "Net", "model": { "file": "net.json", "backend": "legato", "modes": ["predict", "train", "eval"] },
        "inputs": [{ "name": "p", "type": "image", "shape": \(image) },
          { "name": "labels", "type": "array", "dtype": "int32", "shape": \(target) }],
        "outputs": [{ "name": "scores", "type": "array", "shape": [-1, 2]\(labels) }] }
      """)
  }

  @Test("a target of -1 is a class for each example, whether there are labels or not") func classes() throws {
    var learned: Set<Data> = []
    for (target, labels) in [
      ("[-1, 1]", ""), ("[-1]", ""), ("[-1]", ", \"labels\": [\"cat\", \"dog\"]"), ("[]", ""),
    ] {
      try makeNet(target: target, labels: labels)
      for line in [
        "train net --data pets --validate 0 --epochs 2 -o net.json --force", "evaluate net --data pets",
        "train net --replace head:2 --data pets --validate 0 --epochs 2 -o other.json --force",
      ] {
        let run = try run(line)
        #expect(run.code == 0, "\(target)\(labels): \(line): \(run)")
      }
      learned.insert(try tool.bytes("net.safetensors"))
    }
    #expect(learned.count == 1)
    try Tensor(shape: [2, 1, 3, 4, 4], values: (0..<96).map { Float($0 % 7) }).write(to: tool.path("p.npy"))
    try Tensor(shape: [2], values: [0, 1]).write(to: tool.path("labels.npy"))
    let run = try run("train net --data p=p.npy --data labels=labels.npy --validate 0 --epochs 2 -o n.json")
    #expect(run.code == 0, "\(run)")
  }

  @Test("classes that are none of the output are named by their place") func targetsOfOtherShapes() throws {
    for (target, labels) in [
      ("[-1, 7]", ""), ("[3]", ""), ("[7, 7]", ", \"labels\": [\"cat\", \"dog\"]"), ("[-1, -1]", ""),
    ] {
      try makeNet(target: target, labels: labels)
      for line in ["inspect net", "train net --data pets -o no.json"] {
        let run = try run(line)
        let message =
          "net/model.json:3:69: 'labels' is \(target) here, and 'scores' [1, 2] in the model: "
          + "a target has a class for each row, [-1, 1], or as many numbers, [-1, 2]\n"
        #expect(run.code == 1 && run.messages.hasSuffix(message), "\(target): \(run)")
      }
      // Of numbers a loss may make what it likes; without one they are compared with the output.
      let text = String(decoding: try tool.bytes("net/model.json"), as: UTF8.self)
      try tool.make("net/model.json", text.replacing("int32", with: "float32"))
      let run = try run("train net --data pets -o no.json")
      #expect(
        run.code == 1 && run.messages.contains("net/model.json:3:71: 'labels' is \(target) here"), "\(run)")
    }
  }

  @Test("bundles as the documentation of Tensor/IO lays them out are read") func documentedLayout() throws {
    try makeNet(target: "[-1]", labels: ", \"labels\": \"names.txt\"", image: "[3, 4, 4]")
    try tool.makeFolder("net/assets")
    try tool.make("net/assets/names.txt", "cat\ndog\n")
    let seen = try run("run net --input p=pets/cat/small.jpg --top 1")
    #expect(seen.code == 0 && (seen.output.contains("cat") || seen.output.contains("dog")), "\(seen)")
    #expect(try run("inspect net").output.contains("in p: picture RGB [3, 4, 4]\n"))

    let scores = "{ \"name\": \"scores\", \"type\": \"array\", \"dtype\": \"float32\", \"shape\": [-1, 2]"
    try tool.make(
      "bundle/model.json",
      Self.text.replacing("\"predict\", \"train\", \"eval\"", with: "\"train\"")
        .replacing(scores + ", \"labels\": [\"cat\", \"dog\"]", with: "{ \"name\": \"loss\", \"shape\": [1]")
        .replacing("\"loss\", \"right\"", with: "\"train\""))
    #expect(try run("inspect bundle").output.hasSuffix("  in labels: int32 [-1, 1]\n  returns loss\n"))
    let learned = try run("train bundle --data pets --validate 0 --epochs 1 -o learned.json")
    #expect(learned.code == 0 && !learned.messages.contains("right"), "\(learned)")
  }

  @Test("what a bundle says and is not so is named by its place") func lies() throws {
    for (old, new, message) in [
      ("[-1, 3, 4, 4]", "[-1, 3, 4, 5]", "6:66: 'p' is [-1, 3, 4, 5] here, and [3, 4, 4] in the model"),
      ("[-1, 3, 4, 4]", "[3, 4]", "'p' is [3, 4] here, and [3, 4, 4] in the model"),
      (
        "[-1, 3, 4, 4]", "[-1, 0, 4, 4]",
        "6:66: 'shape' of an element of 'inputs' has the extent 0; it is from 1 to "
      ),
      ("[-1, 3, 4, 4]", "[1e12, 3, 4, 4]", "of 'inputs' has the extent 1000000000000; it is from 1 to "),
      ("[-1, 3, 4, 4]", "[-1, 2.5, 4, 4]", "of 'inputs' has the extent 2.5; it is from 1 to "),
      (
        "\"image\", \"dtype\": \"float32\"", "\"image\", \"dtype\": \"string\"",
        "6:46: the dtype 'string' is not known; there are float32, "
      ),
      ("\"type\": \"array\", \"dtype\": \"int32\"", "\"type\": \"string\"", "the type 'string' is not known"),
      (", \"backend\": \"legato\"", "", "3:12: 'model' has no 'backend'; \"onnx\" or \"legato\" says what"),
      ("[-1, 2]", "[-1, 3]", "'scores' is [-1, 3] here, and [2] in the model"),
      ("\"name\": \"p\"", "\"name\": \"q\"", "the model takes 'p', and 'inputs' says nothing of it"),
      ("\"name\": \"scores\"", "\"name\": \"score\"", "the model has no output 'score'; there are 'scores'"),
      ("[\"cat\", \"dog\"]", "[\"cat\"]", "'scores' has 1 labels and 2 numbers"),
      ("[\"cat\", \"dog\"]", "\"none.txt\"", "the file 'none.txt' is not there"),
      ("\"RGB\"", "\"CMYK\"", "the format 'CMYK' is not known; there are RGB, BGR and grey"),
      ("\"RGB\"", "\"grey\"", "'p' is [3, 4, 4], and no picture of grey"),
      (
        "\"legato\"", "\"tensorflow\"",
        "is a graph of TensorFlow, which is not read; tf2onnx makes an ONNX file of it"
      ),
      ("\"legato\"", "\"caffe\"", "the backend 'caffe' is not known; there are \"onnx\" and \"legato\""),
      ("\"legato\"", "\"onnx\"", "the model 'colours.json' is none of the backend 'onnx'"),
      ("\"colours.json\"", "\"../plain.json\"", "lies outside the folder of 'bundle/model.json'"),
      ("\"colours.json\"", "\"model.json\"", "the model 'model.json' is the bundle itself"),
      ("\"colours.json\"", "\"none.json\"", "the model 'none.json' is not there"),
      ("\"colours.json\"", "7", "'file' of 'model' must be a string, this is a number"),
      ("\"predict\", ", "\"guess\", ", "there is no mode 'guess'; there are predict, train and eval"),
      (
        "\"name\": \"labels\"", "\"name\": \"label\"", "8:68: 'label' is no input of the model, and no target"
      ),
      (
        "\"loss\", \"right\"", "\"accuracy\"",
        "11:22: 'ops' names 'accuracy', which the model does not compute"
      ),
      (
        "[-1, 1]", "[-1, 65536, 65536, 65536, 65536]",
        "'labels' would have the shape [65536, 65536, 65536, 65536]"
      ),
      (
        "[-1, 3, 4, 4]", "[-1, 3, -1, 4]",
        "6:66: 'p' is [-1, 3, -1, 4] here; -1 is the axis of a batch, the first one"
      ),
      (
        "[-1, 3, 4, 4]", "[-1, -1, -1, -1]",
        "6:66: 'p' is [-1, -1, -1, -1] here; -1 is the axis of a batch, the first one"
      ),
      ("[-1, 2]", "[-1, -1]", "'scores' is [-1, -1] here, and [2] in the model"),
      ("[-1, 1]", "[-1, -1]", "8:69: 'labels' is [-1, -1] here; -1 is the axis of a batch, the first one"),
      ("[-1, 1]", "[-1, 3]", "8:69: 'labels' is [-1, 3] here, and [] in the model"),
      ("0.00392156862745098", "-1", "'normalize' of an element of 'inputs' must be "),
    ] {
      let text = Self.text.replacing(old, with: new)
      #expect(text != Self.text)
      try tool.make("bundle/model.json", text)
      for line in ["inspect bundle", "train bundle --data pets -o no.json"] {
        let run = try run(line)
        #expect(run.code == 1 && run.messages.contains(message), "\(new): \(run)")
        #expect(run.messages.split(separator: "\n").count == 1, "\(new): \(run)")
      }
    }
    let whole = Array(Self.text.utf8)
    for count in stride(from: 1, to: whole.count, by: 41) {
      try tool.make("bundle/model.json", Array(whole.prefix(count)))
      let run = try run("inspect bundle")
      #expect(run.code == 1 && !run.messages.isEmpty, "\(count) bytes: \(run)")
    }
    #expect(try !tool.names.contains("no.json"))
  }
}
