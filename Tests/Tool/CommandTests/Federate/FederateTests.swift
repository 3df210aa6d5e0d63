// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// `federate`: what would be sent, devices that are played, and servers and keys that are not there or not fit.
@Suite("Command: federate", .waits)
struct FederateTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make(
      "line.json",
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0]], "b": [0], "fixed": [1] },
        "graph": { "y": "dense(x, 'w', 'b') * 'fixed'" }, "outputs": ["y"] }
      """)
    var random = SplitMix(seed: 4)
    let x = (0..<80).map { _ in random.float(-1, 1) }
    let y: [Float] = (0..<40).map { row in 2 * x[2 * row] - x[2 * row + 1] }
    try Tensor(shape: [40, 2], values: x).write(to: tool.path("x.npy"))
    try Tensor(shape: [40, 1], values: y).write(to: tool.path("y.npy"))
  }

  private static let line =
    "line.json --data x=x.npy --data target=y.npy --learn w --learn b --batch 4 --learning-rate 0.2"

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(["federate"] + line.split(separator: " ").map(String.init))
  }

  @Test("a dry run lists what would be sent, and sends nothing") func dryRun() throws {
    let run = try run("\(Self.line) --dry-run --metric mae=mae(y,target)")
    #expect(run.code == 0 && run.messages.isEmpty)
    #expect(
      run.output == """
        of training:
          w  [1, 2]  136 bytes
          b  [1]  132 bytes
          the number of examples, 36; the means of loss, mae; norm_bit, if a clipping_norm is said
        of get_parameters:
          the same arrays, as they are here then
        of judging:
          the number of examples, 4; the means of loss, mae
        of properties:
          examples, arrays, program
        of a request that fails:
          that it failed, or which of the server's arrays or settings cannot be

        """)
    let hidden = try self.run("\(Self.line) --dry-run --secure-aggregation 6")
    #expect(
      hidden.output == """
        of training, masked (SecAgg+), as whole numbers of 64 bits:
          its share in the sum, 136 bytes
          w  [1, 2]  144 bytes
          b  [1]  136 bytes
          the number of examples, 36; a hash of what came
        of the other stages:
          two public keys; shares of the seed of a mask, sealed for other devices; shares of theirs
        of judging:
          the number of examples, 4; the means of loss
        of properties:
          examples, arrays, program
        of a request that fails:
          that it failed, or which of the server's arrays or settings cannot be

        """)
    let noisy = try self.run("\(Self.line) --dry-run --privacy 1:1")
    #expect(noisy.output.contains("the number of examples, 36; norm_bit, if a clipping_norm is said\n"))
    let silent = try self.run("\(Self.line) --dry-run --secure-aggregation 6 --validate 0")
    #expect(silent.code == 0 && !silent.output.contains("of judging"))
    let idle = try self.run("\(Self.line) --dry-run --key k.pem -o o.json --report r.json")
    #expect(
      idle.code == 2
        && idle.messages
          == "federate: --dry-run writes nothing: leave out --output, --report\n"
    )
    let whole = "--server http://127.0.0.1:9 --key k.pem --rounds 3 --wait"
    #expect(try self.run("\(Self.line) --dry-run --metric mae=mae(y,target) \(whole)").output == run.output)
    #expect(try !tool.names.contains { $0.hasPrefix("k.pem") })
  }

  @Test("weights that do not learn are listed where they go along") func dryRunOfAll() throws {
    let run = try run("\(Self.line) --dry-run --share all")
    #expect(
      run.code == 0
        && run.output.hasPrefix(
          """
          of training:
            w      [1, 2]  136 bytes
            b      [1]  132 bytes
            fixed  [1]  132 bytes, does not learn and goes along
            the number of examples, 36; the means of loss; norm_bit, if a clipping_norm is said
          of get_parameters:
            the same arrays, as they are here then

          """),
      "\(run)")
    #expect(
      try self.run("\(Self.line) --dry-run --share learned").output
        == self.run("\(Self.line) --dry-run").output)
  }

  @Test(
    "devices that are played learn what none sees whole, and threads change no bit",
    arguments: ["fedavg", "fedprox:0.01", "fedadam:0.1"])
  func simulation(strategy: String) throws {
    let line = "\(Self.line) --simulate 6 --deal dirichlet:0.5 --strategy \(strategy) --rounds 25 --epochs 2"
    let first = try run("\(line) --threads 1 --report report.json -o one.json")
    #expect(first.code == 0, "\(first.messages)")
    let lines = first.messages.split(separator: "\n")
    #expect(lines.count == 27 && lines[26] == "one.json: what 25 rounds came to")
    #expect(lines[0].hasPrefix("line.json: 36 examples dealt to 6 devices, "))
    #expect(lines[25].hasPrefix("round 25: loss "))
    #expect(try run("\(line) --threads 2 --quiet -o two.json").code == 0)
    #expect(try tool.bytes("one.safetensors") == tool.bytes("two.safetensors"))
    let weights = try TensorArchive(contentsOf: tool.path("one.safetensors"))
    #expect(zip(try weights.tensor("w").values, [2, -1] as [Float]).allSatisfy { abs($0 - $1) < 0.2 })
    #expect(try weights.tensor("fixed").values == [1])
    let report = try JSONSerialization.jsonObject(with: Data(tool.bytes("report.json"))) as? [[String: Any]]
    #expect(report?.count == 25 && report?.first?.keys.sorted() == ["round", "scores", "validation"])
  }

  @Test("a model of parameters only is written as one file, and a rate that is not said lets it learn")
  func parametersOnly() throws {
    try tool.make(
      "gain.json",
      """
      { "legato": 1, "name": "Gain", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "parameters": { "a": { "default": 0, "minimum": -4, "maximum": 4 } },
        "graph": { "y": "a * reshape(sum(x, axis: 0), [1])" }, "outputs": ["y"] }
      """)
    let data = "--data x=x.npy --data target=y.npy"
    let run = try run(
      "gain.json \(data) --simulate 3 --rounds 2 --privacy 1:2 --batch 4 -o g.json --report r.json")
    #expect(run.code == 0 && run.messages.contains("; epsilon "), "\(run.messages)")
    #expect(!FileManager.default.fileExists(atPath: tool.path("g.safetensors")))
    // What is there stays.
    for option in ["--report r.json", "-o g.json"] {
      let refused = try self.run("gain.json \(data) --simulate 3 --rounds 1 \(option)")
      #expect(refused.code == 1 && refused.messages.contains("--force"), "\(refused.messages)")
    }
    let whole = try self.run(
      "\(Self.line.replacing(" --learning-rate 0.2", with: "")) --simulate 4 --rounds 15")
    let losses = whole.messages.matches(of: /held back: loss ([0-9.e+-]+)/).compactMap { Double($0.1) }
    #expect(losses.count == 15 && losses[14] < 0.2 * losses[0], "\(losses)")
  }

  @Test(
    "examples are dealt by the target that says the class, whatever it is called",
    arguments: ["label", "dirichlet:0.3"])
  func classes(deal: String) throws {
    try tool.make(
      "classes.json",
      """
      { "legato": 1, "name": "Classes", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0], [0, 0], [0, 0]], "b": [0, 0, 0] }, "graph": { "y": "dense(x, 'w', 'b')" },
        "outputs": ["y"], "train": { "targets": { "labels": { "shape": [] } }, "loss": "crossEntropy(y, labels)" } }
      """)
    try Tensor((0..<40).map { Float($0 % 3) }).write(to: tool.path("labels.npy"))
    let run = try run(
      "classes.json --data x=x.npy --data labels=labels.npy --simulate 3 --rounds 1 --deal \(deal)")
    #expect(run.code == 0 && run.messages.contains("36 examples dealt to 3 devices"), "\(run.messages)")
  }

  @Test("a device does not number classes by its own folders: another one's may be others")
  func ownClasses() throws {
    let text = """
      { "legato": 1, "name": "Level", "clock": "step", "inputs": { "x": { "shape": [1, 100] } },
        "weights": { "w": [[0.1], [0]], "b": [0, 0] },
        "graph": { "scores": "dense(mean(x * x, axis: -1), 'w', 'b')" }, "outputs": ["scores"] }
      """
    try tool.make("level.json", text)
    try tool.make(
      "named.json",
      text.replacing("[\"scores\"]", with: "[{ \"name\": \"scores\", \"labels\": [\"loud\", \"quiet\"] }]"))
    for name in ["loud", "quiet"] {
      try FileManager.default.createDirectory(
        atPath: tool.path("clips/\(name)"), withIntermediateDirectories: true)
      for row in 0..<2 {
        try Sound(samples: [[Float](repeating: 0.5, count: 100)]).write(tool.path("clips/\(name)/\(row).wav"))
      }
    }
    let run = try run("level.json --data clips --dry-run")
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(
      run.messages
        == "level.json: its output states no 'labels', so that this device numbers the classes by clips, and another one by its "
        + "own; write those of all devices into the output, in one order: \"labels\": [\"loud\", \"quiet\"]\n"
    )
    #expect(try self.run("named.json --data clips --dry-run").code == 0)
    #expect(try self.run("level.json --data clips --simulate 2 --rounds 1 --validate 0").code == 0)
  }

  @Test("the report is said to be one of requests") func helpOfReport() throws {
    let help = try tool.run(["federate", "--help"]).output
    #expect(help.contains("of each request scores") && !help.contains("clipped samples"))
  }

  @Test("of a memory that is damaged it is said that it is", arguments: ["", " --privacy 1:1"])
  func damagedMemory(options: String) throws {
    try tool.make("key.pem.node", "")
    let run = try run("\(Self.line) --server http://127.0.0.1:9 --key key.pem\(options)")
    let line =
      "key.pem.node: is damaged, or was before; what it remembered is lost"
      + (options.isEmpty
        ? "\n"
        : ", how much this device has told until then, too: there is no epsilon, and only another key begins anew\n")
    #expect(run.code == 3 && run.messages.contains(line), "\(run.messages)")
  }

  /// A part that is held back makes no batch larger: all examples to learn from are one, and none of them counts twice.
  @Test("a batch has no more examples than there are to learn from") func batchOfAll() throws {
    for count in [36, 40] {
      let line = Self.line.replacing("--batch 4", with: "--batch \(count)")
      #expect(try run("\(line) --simulate 1 --rounds 2 --quiet -o b\(count).json").code == 0)
    }
    #expect(try tool.bytes("b36.safetensors") == tool.bytes("b40.safetensors"))
  }

  @Test("two results that are one file are refused") func oneFile() throws {
    let run = try run("\(Self.line) --simulate 2 --rounds 1 -o one.json --report one.json")
    #expect(
      run.code == 1
        && run.messages == "one.json: is the place of two results; name another file for one\n", "\(run)")
    #expect(!FileManager.default.fileExists(atPath: tool.path("one.json")))
  }

  @Test("an interruption of a simulation ends it behind a batch, by the signal") func interrupted() throws {
    let script =
      "$LEGATO federate \(Self.line) --simulate 2 --rounds 1000 --epochs 1000000 -o out.json 2>log & "
      + "while ! grep -q dealt log; do :; done; sleep 0.3; kill -TERM $!; wait $!; echo code $?"
    let run = try tool.shell(script)
    #expect(run.output.contains("code 143"), "\(run.output)")
    let log = String(decoding: try tool.bytes("log"), as: UTF8.self)
    #expect(log.hasSuffix("federate: interrupted in round 1 of 1000\n"), "\(log)")
    #expect(!FileManager.default.fileExists(atPath: tool.path("out.json")))
  }

  @Test("no server: exit 3, and what to do") func noServer() throws {
    let run = try run(
      "\(Self.line) --server http://127.0.0.1:9 --key key.pem -o out.json --report none.json")
    #expect(run.code == 3)
    #expect(
      run.messages.split(separator: "\n").last
        == "http://127.0.0.1:9: nobody answers there; start a SuperLink there, or say --wait")
    let mode = try FileManager.default.attributesOfItem(atPath: tool.path("key.pem"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(!FileManager.default.fileExists(atPath: tool.path("out.json")))
    #expect(try tool.bytes("none.json").filter { $0 > 32 } == Data("[]".utf8))
  }

  @Test("keys that others read, or that are none") func keys() throws {
    try tool.make("open.pem", "x")
    for (mode, message) in [
      (0o644, "open.pem: others than its owner may read it; chmod 600 open.pem\n"),
      (0o600, "open.pem: holds no private key in PEM, or one with a password\n"),
    ] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tool.path("open.pem"))
      let run = try run("\(Self.line) --server http://127.0.0.1:9 --key open.pem")
      #expect(run.code == 1 && run.messages == message)
    }
  }

  @Test(
    "wrong usage has one line",
    arguments: [
      ("", "--server is missing"), ("--server 127.0.0.1:8000", "a server is called as http://host:8000"),
      ("--server http://127.0.0.1:99999", "a server is called as http://host:8000"),
      ("--server http://x --deal even", "--deal is of use with --simulate N only"),
      ("--simulate 3 --server http://x", "--server and --simulate do not go together"),
      ("--simulate 3 --strategy fedfoo", "--strategy takes fedavg, fedprox:MU or fedadam:RATE"),
      ("--simulate 3 --deal dirichlet:-1", "--deal takes even, label or dirichlet:ALPHA"),
      ("--server http://x --privacy 1:0", "--privacy takes a norm and a noise above 0"),
      (
        "--server http://x --secure-aggregation 5", "--secure-aggregation takes a whole number from 6 to 1000"
      ),
      ("--simulate 3 --secure-aggregation 6", "--secure-aggregation and --simulate do not go together"),
      ("--server http://x --share some", "--share takes learned or all, not 'some'"),
      ("--simulate 3 --share all", "--share and --simulate do not go together"),
      (
        "--server http://x --share all --secure-aggregation 6",
        "--share all and --secure-aggregation do not go together"
      ),
      ("--simulate 37", "37 devices need as many examples or more; there are 36"),
      ("--simulate 3 --optimizer adam", "--optimizer takes sgd or adamw, not 'adam'"),
    ])
  func usage(options: String, message: String) throws {
    let run = try run("\(Self.line) \(options)")
    #expect(run.code == 2 && run.messages.contains("federate: \(message)"), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1)
  }
}
