// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// `train` and `evaluate`: folders, tables and arrays as examples, and what is wrong with them.
@Suite("Command: data to learn from", .waits)
struct TrainingDataTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make(
      "two.json",
      """
      { "legato": 1, "name": "Two", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0.1, 0], [0, 0.1]], "b": [0, 0] },
        "graph": { "scores": "dense(x, 'w', 'b')" },
        "outputs": [{ "name": "scores", "labels": ["up", "down"] }],
        "train": { "metrics": { "right": "topAccuracy(scores, target)" }, "batch": 8, "epochs": 20,
          "optimizer": { "adamW": { "rate": 0.05 } } } }
      """)
    var random = SplitMix(seed: 4)
    var table = "a,b,label\n"
    for _ in 0..<120 {
      let (a, b) = (random.float(-1, 1), random.float(-1, 1))
      table += "\(a),\(b),\(a < b ? "up" : "down")\n"
    }
    try tool.make("data.csv", table)
    // Loud and quiet sounds; the power of a window tells them apart.
    try tool.make(
      "level.json",
      """
      { "legato": 1, "name": "Level", "clock": "step", "inputs": { "x": { "shape": [1, 100] } },
        "weights": { "w": [[0.1], [0]], "b": [0, 0] },
        "graph": { "power": "mean(x * x, axis: -1)", "scores": "dense(power * 10, 'w', 'b')" },
        "outputs": ["scores"] }
      """)
    for (name, size) in [("loud", 0.9), ("quiet", 0.1)] {
      try FileManager.default.createDirectory(
        atPath: tool.path("clips/\(name)"), withIntermediateDirectories: true)
      for row in 0..<6 {
        let samples = (0..<(row == 0 ? 60 : 250)).map { _ in random.float(-size, size) }
        try Sound(samples: [samples]).write(tool.path("clips/\(name)/\(row).wav"))
      }
    }
  }

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("a table's words are classes, and the model's file says the rest") func table() throws {
    let run = try run("train two.json --data data.csv --report r.json --plot c.svg -o out.json")
    #expect(run.code == 0)
    let lines = run.messages.split(separator: "\n").map(String.init)
    #expect(
      lines[0].hasPrefix("two.json: 108 examples to learn from, 12 held back, in batches of 8; a step takes ")
    )
    #expect(lines[21].hasPrefix("epoch 20: loss ") && lines[21].contains(", right "))
    #expect(lines[23].hasPrefix("actual, by what it was taken for; right: "))
    #expect(lines[24].split(separator: " ") == ["up", "down"])
    let report = try JSONSerialization.jsonObject(with: Data(tool.bytes("r.json"))) as? [String: Any]
    let confusion = report?["confusion"] as? [String: Any]
    #expect(confusion?["labels"] as? [String] == ["up", "down"])
    #expect((confusion?["counts"] as? [[Int]])?.joined().reduce(0, +) == 12)
    #expect((report?["epochs"] as? [[String: Any]])?.count == 20)
    let picture = String(decoding: try tool.bytes("c.svg"), as: UTF8.self)
    #expect(picture.contains("<svg") && picture.contains(">right<") && picture.contains("held back"))
    // The section stays in the file that was learned, and evaluate reads it.
    let judged = try self.run("evaluate out.json --data data.csv")
    #expect(judged.output.contains("right ") && judged.output.contains("taken for"))
    let json =
      try JSONSerialization.jsonObject(
        with: Data(self.run("evaluate out.json --data data.csv --json").output.utf8)) as? [String: Any]
    #expect(((json?["scores"] as? [String: Double])?["right"] ?? 0) > 0.9)
  }

  @Test("folders are classes, windows of their sounds examples") func folders() throws {
    let run = try run(
      "train level.json --data clips --learning-rate 0.1 --batch 4 --epochs 60 --validate 0.2 -o out.json")
    #expect(run.code == 0, "\(run.messages)")
    // 5 sounds of 2 windows and a short one, twice.
    #expect(run.messages.contains("18 examples to learn from, 4 held back"))
    #expect(run.messages.contains("right: 100.00 %") && run.messages.contains("  loud   2"))
  }

  @Test("what is odd about folders is said") func oddFolders() throws {
    try tool.make(
      "named.json",
      """
      { "legato": 1, "name": "Named", "clock": "step", "inputs": { "x": { "shape": [1, 100] } },
        "weights": { "w": [[0.1], [0], [0]], "b": [0, 0, 0] },
        "graph": { "scores": "dense(mean(x * x, axis: -1), 'w', 'b')" },
        "outputs": [{ "name": "scores", "labels": ["loud", "middle", "quiet"] }] }
      """)
    let named = try run("evaluate named.json --data clips")
    #expect(named.code == 0, "\(named.messages)")
    #expect(
      named.messages
        == "clips: no folder is called 'middle', as the model's classes are\n"
        + "clips: 2 files shorter than an example: silence is behind them\n")
    let level = try run("evaluate level.json --data clips")
    #expect(
      level.messages.contains(
        "clips: 'loud' is 0, 'quiet' is 1, by the classes there: the output states no 'labels'\n"),
      "\(level.messages)")
    let text = String(decoding: try tool.bytes("named.json"), as: UTF8.self)
    try tool.make("plain.json", text.replacing(/, "labels": .*?\]/, with: ""))
    let plain = try run("train plain.json --data clips -o o.json")
    #expect(
      plain.code == 1
        && plain.messages
          == "train: clips: has 2 classes, and plain.json tells 3 apart: they have to be as many, or the output states "
          + "its 'labels'\n",
      "\(plain.messages)")
  }

  @Test("labels that the model has make numbers of arrays classes, however the loss is spelled")
  func numbersAsClasses() throws {
    try Tensor(shape: [4, 2], values: [1, 2, 3, 4, 5, 6, 7, 8]).write(to: tool.path("x.npy"))
    try Tensor(shape: [4], values: [0, 1, 1, 0]).write(to: tool.path("y.npy"))
    try Tensor(shape: [4], values: [0, 1, 7, 0]).write(to: tool.path("bad.npy"))
    let run = try run("evaluate two.json --data x=x.npy --data target=y.npy")
    #expect(run.code == 0 && run.output.contains("taken for"), "\(run.messages)")
    for loss in [
      "crossEntropy(scores,target)", "crossEntropy (scores,target)", "crossEntropy(target:target,x:scores)",
    ] {
      let run = try tool.run([
        "evaluate", "two.json", "--data", "x=x.npy", "--data", "target=bad.npy", "--loss", "0.5 * " + loss,
      ])
      #expect(
        run.code == 1 && run.messages.contains("is 7.0, and no class: they are 0 to 1"), "\(loss): \(run)")
    }
    let lines = try tool.run([
      "evaluate", "two.json", "--data", "x=x.npy", "--data", "target=y.npy", "--loss",
      "crossEntropy(scores, target)\ninput q [3]",
    ])
    #expect(lines.code == 1 && lines.messages.contains("an expression stands in one line"), "\(lines)")
  }

  /// The same numbers as those that are read of the pictures one by one.
  @Test("pictures in folders are examples") func pictures() throws {
    try tool.make(
      "colours.json",
      """
      { "legato": 1, "name": "Colours", "inputs": { "p": { "shape": [3, 4, 4], "type": "image" } },
        "weights": { "w": [[1, 0, -1], [0, 2, 0]], "b": [0, 0] },
        "graph": { "scores": "dense(mean(mean(p, axis: 2), axis: 1), 'w', 'b')" }, "outputs": ["scores"] }
      """)
    var (numbers, labels) = ([Float](), [Float]())
    for (label, name) in ["small.jpg", "small.png"].enumerated() {
      let folder = "pets/\(label == 0 ? "cat" : "dog")"
      try FileManager.default.createDirectory(atPath: tool.path(folder), withIntermediateDirectories: true)
      let file = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/\(name)")
      try tool.make("\(folder)/\(name)", Array(try Data(contentsOf: file)))
      let picture = try ImageFile(contentsOf: tool.path("\(folder)/\(name)"))
      numbers += try picture.tensor(shape: [3, 4, 4], as: ImageForm(.rgb)).values
      labels.append(Float(label))
    }
    try Tensor(shape: [2, 3, 4, 4], values: numbers).write(to: tool.path("p.npy"))
    try Tensor(labels).write(to: tool.path("t.npy"))
    let made = try run("evaluate colours.json --data pets")
    let wanted = try run(
      "evaluate colours.json --data p=p.npy --data target=t.npy --loss crossEntropy(scores,target)")
    #expect(made.code == 0 && wanted.code == 0, "\(made.messages)\(wanted.messages)")
    #expect(made.output.split(separator: "\n").first == wanted.output.split(separator: "\n").first)
    #expect(made.output.contains("cat") && made.output.contains("dog"))
    let run = try run("train colours.json --data pets --validate 0 --batch 2 --epochs 3 -o out.json")
    #expect(run.code == 0 && run.messages.contains("2 examples to learn from"), "\(run.messages)")
    try tool.make("pets/dog/notes.txt", "no picture")
    let refused = try self.run("train colours.json --data pets -o o.json")
    #expect(refused.code == 1 && refused.messages.contains("notes.txt"), "\(refused.messages)")
  }

  /// Two pictures, which a network that knows digits learns to tell apart.
  @Test("a last layer is replaced, and learns alone to tell the classes of folders apart")
  func replacedLayer() throws {
    for (folder, name) in [("cat", "small.jpg"), ("dog", "small.png")] {
      try FileManager.default.createDirectory(
        atPath: tool.path("pets/\(folder)"), withIntermediateDirectories: true)
      let file = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/\(name)")
      try tool.make("pets/\(folder)/\(name)", Array(try Data(contentsOf: file)))
    }
    let digits = PackageFiles.folder.appending(path: "models/digits/digits").path
    func train(_ options: String) throws -> ProgramRun {
      try tool.run(
        ["train", digits + ".json", "--data", "pets", "--validate", "0", "--learning-rate", "0.01"]
          + options.split(separator: " ").map(String.init))
    }
    let run = try train("--replace classifier:2 --epochs 60 -o pets.json --checkpoint c.safetensors")
    #expect(
      run.code == 0 && run.messages.contains("what learns: classifier.weight, classifier.bias; what is "),
      "\(run)")
    let text = String(decoding: try tool.bytes("pets.json"), as: UTF8.self)
    #expect(
      text.contains("\"outputs\": [{ \"name\": \"scores\", \"labels\": [\"cat\", \"dog\"] }]"), "\(text)")
    let (before, after) = (
      try TensorArchive(contentsOf: digits + ".safetensors"),
      try TensorArchive(contentsOf: tool.path("pets.safetensors"))
    )
    for name in ["edges.weight", "edges.bias", "shapes.weight", "shapes.bias"] {
      #expect(try before.tensor(name) == after.tensor(name))
    }
    #expect(try after.tensor("classifier.weight").shape == [2, 512])
    let judged = try self.run("evaluate pets.json --data pets")
    #expect(judged.output.contains("right 1\n"), "\(judged)")
    // The rest comes to the same bits after an interruption.
    #expect(try train("--replace classifier:2 --epochs 20 --checkpoint d.safetensors").code == 0)
    #expect(
      try train("--replace classifier:2 --epochs 60 --checkpoint d.safetensors --resume -o rest.json").code
        == 0)
    #expect(try tool.bytes("rest.safetensors") == tool.bytes("pets.safetensors"))
    for (options, code, message) in [
      ("--replace classifer:2", 1, "no layer is called 'classifer'; did you mean 'classifier'?"),
      ("--replace classifier:3", 1, "pets: has 2 classes, and \(digits).json tells 3 apart"),
      ("--replace shapes:3", 1, "'shapes' cannot make 3 numbers: "),
      (
        "--replace classifier", 2,
        "--replace takes a layer and how many numbers it makes, such as classifier:2"
      ),
      (
        "--replace classifier:2 --resume --checkpoint none.safetensors", 1,
        "'none.safetensors' does not exist"
      ),
    ] {
      let run = try train(options + " -o no.json")
      #expect(Int(run.code) == code && run.messages.contains(message), "\(options): \(run)")
      #expect(run.messages.split(separator: "\n").count == 1, "\(options): \(run)")
    }
    // A picture that ends early is found by the epoch that comes to it, and what was learned before stays.
    let file = PackageFiles.folder.appending(path: "Tests/Compiler/ImageFilesTests/files/small.png")
    let bytes = Array(try Data(contentsOf: file))
    for (name, bytes, message) in [
      ("cut.png", Array(bytes.prefix(bytes.count / 2)), "cut.png: the file "),
      ("huge.png", huge(bytes), "huge.png: the file has 20000 x 20000 pixels; 50331648 are the most"),
    ] {
      try tool.make("pets/dog/\(name)", bytes)
      let trained = try tool.bytes("pets.safetensors")
      let run = try train("--replace classifier:2 -o pets.json --force")
      #expect(run.code == 1 && run.messages.contains(message), "\(run)")
      #expect(try tool.bytes("pets.safetensors") == trained && !tool.names.contains("no.json"))
      try FileManager.default.removeItem(atPath: tool.path("pets/dog/\(name)"))
    }
  }

  /// A picture that says to be of 20,000 x 20,000 pixels, with the checksum of that.
  private func huge(_ png: [UInt8]) -> [UInt8] {
    var bytes = png
    bytes.replaceSubrange(16..<24, with: [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20])
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes[12..<29] {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    sum = ~sum
    bytes.replaceSubrange(29..<33, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
    return bytes
  }

  @Test("a run ends that does not become better, and stays ended") func patience() throws {
    let line = "train two.json --data data.csv --learning-rate 1e-9 --patience 3 --checkpoint c.safetensors"
    let run = try run(line + " -o out.json")
    #expect(run.code == 0 && run.messages.contains("was the best, and none of the 3 behind it was better"))
    let one = try self.run(
      "train two.json --data data.csv --learning-rate 1e-9 --patience 1 -o one.json")
    #expect(one.messages.contains(" was the best, and the epoch behind it was not better: ended"), "\(one)")
    let again = try self.run(line + " --resume")
    #expect(again.code == 0 && !again.messages.contains("epoch 2:"))
  }

  private static let mistakes: [(table: String, message: String)] = [
    ("a,b,label\n1,2,up\n1,x,up\n", "t.csv:3: column 'b': 'x' is no finite number"),
    ("a,b,label\n1,2,up\n\n1,nan,up\n", "t.csv:4: column 'b': 'nan' is no finite number"),
    ("a,b,label\n1,2,up\n1,2\n", "t.csv:3: the row has 2 fields, and the table 3 columns"),
    ("a,b,label\n1,2,upp\n", "t.csv:2: column 'label': 'upp' is no class; did you mean 'up'?"),
    ("a,b,label\n1,2,rose\n", "t.csv:2: column 'label': 'rose' is no class; there are 'up', 'down'"),
    ("a,b,label\n1,2,5\n", "t.csv: the label of example 0 is 5.0, and no class: they are 0 to 1"),
    ("a,b,c\n1,2,3\n", "t.csv:1: no column is called 'target' or 'label'; there are 'a', 'b', 'c'"),
    ("a,label\n1,up\n", "t.csv:1: 'x' is [2], and takes 2 columns, 'x' or 'x.0', …; there are 1"),
    ("a,a,label\n1,1,up\n", "t.csv:1: two columns are called 'a'"),
    ("a,b,label\n\"1,2,up\n", "t.csv:2: a quote is not closed"),
    ("a,b,label\n", "t.csv: has no rows below its names"),
    ("", "t.csv: has no line with the names of columns"),
  ]

  @Test("mistakes in a table are named by their lines", arguments: mistakes.indices)
  func badTable(row: Int) throws {
    let (table, message) = Self.mistakes[row]
    try tool.make("t.csv", table)
    let run = try run("train two.json --data t.csv -o o.json")
    #expect(run.code == 1 && run.messages.contains(message), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
  }

  @Test("a number that is mistyped is named, and makes no classes") func mistypedNumber() throws {
    try tool.make(
      "line.json",
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [1] } },
        "weights": { "w": [[1]] }, "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
      """)
    try tool.make("t.csv", "x,target\n1,2\n2,4\n3,6.o\n")
    let run = try run("evaluate line.json --data t.csv")
    #expect(
      run.code == 1 && run.messages.contains("t.csv:4: column 'target': '6.o' is no finite number"), "\(run)")
  }

  @Test("a model to augment by is found by its name") func augmentByName() throws {
    let run = try run("train level.json --data clips --augment overdrive -o o.json")
    #expect(!run.messages.contains("no such file"), "\(run.messages)")
  }

  @Test("quotes, spaces and other ends of lines are read") func readsTables() throws {
    try tool.make(
      "t.csv", "\u{feff}x.1, label ,x.0\r\n\" 2\",\"up\" , 1\r\n\r\n4,down,3")
    let run = try run("evaluate two.json --data t.csv --metric a=sum(scores)")
    // 0.1 (1 + 2), 0.1 (3 + 4)
    #expect(run.output.contains("a 0.5"), "\(run.output)\(run.messages)")
  }

  @Test("what is no number, or no class, is named by its file and example") func badNumbers() throws {
    try Tensor(shape: [3, 2], values: [1, 2, 3, .nan, 5, 6]).write(to: tool.path("nan.npy"))
    try Tensor(shape: [3, 2], values: [1, 2, 3, 4, 5, 6]).write(to: tool.path("x.npy"))
    try Tensor(shape: [3], values: [0, 1, 2]).write(to: tool.path("y.npy"))
    try Tensor(shape: [0, 1], values: []).write(to: tool.path("none.npy"))
    try FileManager.default.createDirectory(
      atPath: tool.path("clips/middle"), withIntermediateDirectories: true)
    try tool.make(
      "wide.json",
      """
      { "legato": 1, "name": "Wide", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0.1, 0], [0, 0.1]] },
        "graph": { "wide": "tanh(broadcast(dense(x, 'w'), [100000, 2]))", "scores": "mean(wide, axis: 0)" },
        "outputs": [{ "name": "scores", "labels": ["up", "down"] }] }
      """)
    for (line, message) in [
      (
        "two.json --data x=nan.npy --data target=y.npy",
        "nan.npy: 'x': number 1 of example 1 is no finite number (counted from 0)"
      ),
      (
        "two.json --data x=x.npy --data target=none.npy",
        "none.npy: 'target' is [0, 1]: its first axis counts the examples, and there is none"
      ),
      (
        "two.json --data x=x.npy --data target=y.npy --loss crossEntropy(scores,target)",
        "y.npy: the label of example 2 is 2.0, and no class: they are 0 to 1"
      ),
      ("two.json --data clips", "'loud' is no class of the model"),
      ("level.json --data clips", "clips/middle: has no files"),
      ("level.json --data clips/loud", "clips/loud: has no folders; each class is one, with its files"),
      ("wide.json --data data.csv --memory 1", "MiB of memory, and 1 MiB are to be had: fewer threads"),
      ("two.json --data none.csv", "none.csv: no such file"),
      ("two.json --data data.csv --bind foo=3", "no axis is called 'foo'; all axes have numbers"),
      ("two.json --data data.csv --chunk 5", "--chunk counts frames of a stream; 'Two' is a model of steps"),
      ("two.json --data data.csv --plot c.png", "--plot: pictures are SVG; name a file that ends in .svg"),
    ] {
      let run = try run("train \(line) -o o.json")
      #expect(run.code != 0 && run.messages.contains(message), "\(run.messages)")
      #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
    }
  }

  /// The limit of a file's size stands for a disk that is full.
  @Test("where a checkpoint cannot be written, the last good one stays") func fullDisk() throws {
    let line =
      "$LEGATO train two.json --data data.csv --checkpoint c.safetensors --plot p.svg --report r.json"
    #expect(try tool.shell("\(line) --epochs 2 --quiet").code == 0)
    let before = try tool.bytes("c.safetensors")
    // Not a byte may be written, and half of what there is: its size is given in blocks of 1,024.
    try #require(before.count > 1024)
    for blocks in 0...1 {
      let run = try tool.shell(
        "(trap '' XFSZ; ulimit -f \(blocks); \(line) --epochs 4 --resume --quiet; echo code $?) 2>&1 | cat")
      // The reason for the end is told, and not that the picture of it has no room either.
      let lines = run.output.split(separator: "\n")
      #expect(
        lines.count == 2 && lines[0].hasPrefix("c.safetensors: ") && lines[1] == "code 1", "\(run.output)")
      #expect(try tool.bytes("c.safetensors") == before)
    }
    #expect(
      try self.run("train two.json --data data.csv --checkpoint c.safetensors --resume --quiet").code == 0)
  }
}
