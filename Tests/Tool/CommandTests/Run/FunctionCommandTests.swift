// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// `--function`, and what there is without it.
@Suite("Command: functions of a file", .waits)
struct FunctionCommandTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make(
      "codec.json",
      """
      { "legato": 1, "name": "Codec", "weights": { "w": [[1, 2], [3, 4]] },
        "functions": {
          "encode": { "description": "Makes numbers.", "inputs": { "x": { "shape": [2] } },
                      "graph": { "z": "dense(x, 'w')" }, "outputs": ["z"] },
          "decode": { "inputs": { "z": { "shape": ["n", 2] } }, "graph": { "x": "matmul(z, 'w')" }, "outputs": ["x"] }
        } }
      """)
    try tool.make("one.json", StepModels.sums)
    try Tensor([1, 10]).write(to: tool.path("x.npy"))
  }

  @Test("a function is run, shown, verified, compiled and exported by its name")
  func works() throws {
    let run = try tool.run("run", "codec.json", "--function", "encode", "--input", "x.npy", "--json")
    #expect(run.code == 0 && run.output.contains("21") && run.output.contains("43"), "\(run.messages)")
    let asked = try tool.run("run", "codec.json", "--function", "decode")
    #expect(
      asked.output.contains("legato run codec.json --function decode --input z=FILE"), "\(asked.output)")
    let verified = try tool.run("verify", "codec.json", "--function", "encode", "--blocks", "0")
    #expect(verified.code == 0, "\(verified.messages)\(verified.output)")
    let shown = try tool.run("inspect", "codec.json", "--function", "encode", "--stage", "document")
    #expect(shown.output.hasPrefix("model \"Codec encode\"\ninput x [2]\n"), "\(shown.output)")
    let compiled = try tool.run("compile", "codec.json", "--function", "encode")
    #expect(compiled.code == 0 && compiled.messages.contains("codec_encode_execute"), "\(compiled.messages)")
    let exported = try tool.run("export", "codec.json", "--function", "decode", "--bind", "n=3")
    #expect(exported.code == 0, "\(exported.messages)")
    let typed = try tool.run("interface", "codec.json", "--function", "encode")
    #expect(typed.code == 0, "\(typed.messages)")
    let names = try tool.names
    for name in ["codec-encode.o", "codec-encode.h", "codec-decode.onnx", "CodecEncode.swift"] {
      #expect(names.contains(name), "\(names)")
    }
    let text = String(decoding: try tool.bytes("CodecEncode.swift"), as: UTF8.self)
    #expect(text.contains("try Model(contentsOf: path, function: \"encode\")"))
  }

  @Test("a function is judged")
  func judges() throws {
    try Tensor(shape: [2, 2], values: [1, 0, 0, 1]).write(to: tool.path("xs.npy"))
    try Tensor(shape: [2, 2], values: [1, 3, 2, 6]).write(to: tool.path("zs.npy"))
    let run = try tool.run(
      "evaluate", "codec.json", "--function", "encode", "--data", "x=xs.npy", "--data", "z_target=zs.npy",
      "--loss", "mse(z, z_target)", "--json")
    #expect(run.code == 0, "\(run.messages)")
    // One of four numbers is 2 off.
    #expect(run.output.contains("\"loss\" : 1"), "\(run.output)")
  }

  @Test("channels that no axis takes are said to be of no use")
  func channels() throws {
    for command in [["compile"], ["verify", "--blocks", "0"], ["inspect"]] {
      let run = try tool.run(command + ["one.json", "--channels", "2"])
      #expect(run.code == 0, "\(run.messages)")
      #expect(run.messages.contains("--channels 2 is of no use: "), "\(command): \(run.messages)")
    }
    let open = try tool.run("inspect", "codec.json", "--function", "decode", "--channels", "2")
    #expect(open.code == 0 && !open.messages.contains("of no use"), "\(open.messages)")
    let bound = try tool.run(
      "inspect", "codec.json", "--function", "decode", "--channels", "2", "--bind", "n=3")
    #expect(bound.messages.contains("leaves no axis open that --bind does not say"), "\(bound.messages)")
  }

  @Test("a pipe is read once, whatever is wrong with it")
  func pipe() throws {
    try tool.makePipe("pipe")
    let path = tool.path("pipe")
    let writer = Thread {
      // Opens when somebody reads.
      try? Data("{ bad".utf8).write(to: URL(filePath: path))
    }
    writer.start()
    let run = try tool.run("inspect", "pipe")
    #expect(run.code == 1 && run.messages.hasPrefix("pipe:1:3: "), "\(run.messages)")
  }

  @Test("without a name, inspect lists them")
  func lists() throws {
    let list = try tool.run("inspect", "codec.json")
    #expect(list.code == 0, "\(list.messages)")
    #expect(
      list.output == """
        functions
          encode  x [2]     ▸ z  Makes numbers.
          decode  z [n, 2]  ▸ x

        """)
    let object = try JSONSerialization.jsonObject(
      with: Data(tool.run("inspect", "codec.json", "--json").output.utf8))
    let functions = (object as? [String: Any])?["functions"] as? [[String: Any]]
    #expect(functions?.map { $0["name"] as? String } == ["encode", "decode"])
  }

  @Test("what does not fit is one line")
  func refusals() throws {
    let all = "'codec.json' has the functions 'encode' and 'decode'"
    let rows: [(String, String)] = [
      (
        "run codec.json",
        "run: \(all); --function says which is meant, as in legato run codec.json --function encode"
      ),
      (
        "verify codec.json",
        "verify: \(all); --function says which is meant, as in legato run codec.json --function encode"
      ),
      (
        "run codec.json --function decod",
        "run: --function decod: 'codec.json' has no such function; did you mean 'decode'?"
      ),
      (
        "run codec.json --function other",
        "run: --function other: 'codec.json' has no such function; there are 'encode' and 'decode'"
      ),
      (
        "train codec.json --data x=x.npy -o learned.json",
        "train: \(all); what learns has a file of its own, without functions"
      ),
      (
        "plot --model codec.json",
        "plot: \(all), which execute steps, one at a time: legato run codec.json --function encode"
      ),
      (
        "process codec.json in.wav out.wav",
        "process: \(all), which execute steps, one at a time: legato run codec.json --function encode"
      ),
      ("run one.json --function f", "run: --function f: 'one.json' is one model, without functions"),
      (
        "run one.json --then codec.json",
        "run: \(all); a model that is one of them says so: model('codec.json#encode', …)"
      ),
    ]
    for (line, message) in rows {
      let run = try tool.run(line.split(separator: " ").map(String.init))
      #expect(run.code == 2 && run.lines == [message], "\(line): \(run.code) \(run.messages)")
    }
  }
}
