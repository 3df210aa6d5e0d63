// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Networks in ONNX files, whose inputs have types of their own, and names that no expression can say.
@Suite("Command: run on networks", .waits)
struct NetworkRunTests {
  private let tool: Tool

  /// Inputs `ids/x:0` of int8 and `on` of bool, and their product `sum/y:0`; the name of their axis has a control character.
  private static let product =
    "CAg6oQEKHQoHaWRzL3g6MBIBaSIEQ2FzdCoJCgJ0bxgBoAECChgKAm9uEgFvIgRDYXN0KgkKAnRvGAGgAQIKFAoBaQoBbxIHc3VtL3k6MCIDTXVsEgFnWhoKB2lkcy94OjASDwoNCAMSCQoHEgVuG1s1bVoVCgJvbhIPCg0ICRIJCgcSBW4bWzVtYhoKB3N1bS95OjASDwoNCAESCQoHEgVuG1s1bUIECgAQEQ=="
  /// `h/out:0` is the sum of `x` and `h/in:0`, and `y` the same.
  private static let sums =
    "CAg6hQEKGQoBeAoGaC9pbjowEgdoL291dDowIgNBZGQKFgoHaC9vdXQ6MBIBeSIISWRlbnRpdHkSAWdaDwoBeBIKCggIARIECgIIAloUCgZoL2luOjASCgoICAESBAoCCAJiDwoBeRIKCggIARIECgIIAmIVCgdoL291dDowEgoKCAgBEgQKAggCQgQKABAR"
  /// `-n` of two integers of 64 bits.
  private static let counts =
    "CAgSADoyCgsKAW4SAXkiA05lZxIBZ1oPCgFuEgoKCAgHEgQKAggCYg8KAXkSCgoICAcSBAoCCAJCBAoAEBE="
  /// `x` quantized in steps of 0.5, and back.
  private static let quantized =
    "CAgSADp6ChwKAXgKAXMKAXoSAXEiDlF1YW50aXplTGluZWFyCh4KAXEKAXMKAXoSAXkiEERlcXVhbnRpemVMaW5lYXISAWcqCxABQgFzSgQAAAA/KggQAkIBekoBAloPCgF4EgoKCAgBEgQKAggCYg8KAXkSCgoICAESBAoCCAJCBAoAEBE="
  /// `a/0 - a_0`.
  private static let alike =
    "CAg6TgoSCgNhLzAKA2FfMBIBeSIDU3ViEgFnWhEKA2EvMBIKCggIARIECgIIAVoRCgNhXzASCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQEQ=="

  init() throws {
    tool = try Tool()
    for (name, text) in [
      ("product", Self.product), ("sums", Self.sums), ("counts", Self.counts), ("quantized", Self.quantized),
      ("alike", Self.alike),
    ] {
      try tool.make("\(name).onnx", Array(try #require(Data(base64Encoded: text))))
    }
    try Tensor([-3, 0, 127]).write(to: tool.path("ids.npy"))
    try Tensor([1, 1, 0]).write(to: tool.path("on.npy"))
  }

  @Test("the table has types, and the names of the file")
  func table() throws {
    let run = try tool.run("run", "product.onnx")
    #expect(run.code == 0, "\(run.messages)")
    #expect(!run.output.contains("\u{1B}"))
    #expect(run.output.contains("int8  'ids/x:0' in the file\n"), "\(run.output)")
    #expect(run.output.contains("  bool\n") && run.output.contains("float32  'sum/y:0' in the file\n"))
    let shown = try tool.run("inspect", "product.onnx", "--channels", "3")
    #expect(shown.output.contains("int8  'ids/x:0' in the file\n"), "\(shown.output)")
    #expect(!shown.output.contains("\u{1B}") && !shown.output.contains("--channels"))
    struct Interface: Decodable {
      struct Port: Decodable { let name: String, type: String, original: String? }
      let inputs, outputs: [Port]
    }
    let json = try JSONDecoder().decode(
      Interface.self, from: Data(tool.run("run", "product.onnx", "--json").output.utf8))
    #expect(json.inputs.map(\.type) == ["int8", "bool"] && json.outputs.map(\.type) == ["float32"])
    #expect(json.inputs.map(\.original) == ["ids/x:0", nil])
  }

  @Test("either name is understood, of inputs, outputs, expectations and states")
  func names() throws {
    let ids = try Tensor(contentsOf: tool.path("ids.npy"))
    let on = try Tensor(contentsOf: tool.path("on.npy"))
    try tool.make("in.npz", TensorArchive.npz([("ids/x:0", ids), ("on", on)]))
    let product = Tensor([-3, 0, 0])
    try tool.make("golden.npz", TensorArchive.npz([("sum/y:0", product)]))
    for inputs in [
      ["--input", "in.npz"], ["--input", "ids/x:0=ids.npy", "--input", "on=on.npy"],
      ["--input", "ids_x_0=in.npz", "--input", "on=in.npz:on"],
    ] {
      let run = try tool.run(
        ["run", "product.onnx"] + inputs + ["--expect", "golden.npz", "-o", "sum/y:0=out.npy", "--force"])
      #expect(run.code == 0, "\(inputs): \(run.messages)")
      #expect(try Tensor(contentsOf: tool.path("out.npy")) == product)
    }
    try Tensor(shape: [3, 2], values: [1, 1, 2, 2, 3, 3]).write(to: tool.path("steps.npy"))
    for state in ["h/in:0:h/out:0", "h_in_0:h_out_0", "h/in:0:h_out_0"] {
      let run = try tool.run(
        "run", "sums.onnx", "--state", state, "--input", "steps.npy", "-o", "y=sums.npy", "--force")
      #expect(run.code == 0, "\(state): \(run.messages)")
      #expect(try Tensor(contentsOf: tool.path("sums.npy")).values == [1, 1, 3, 3, 6, 6])
    }
  }

  @Test(
    "numbers that an input's type does not hold are refused by their place",
    arguments: [
      ([0, 0.5, 1], [0, 1, 1], "ids.npy: the input 'ids_x_0' takes int8, and is given 0.5 at [1]"),
      ([0, 1, .nan], [0, 1, 1], "ids.npy: the input 'ids_x_0' takes int8, and is given nan at [2]"),
      ([128, 1, 1], [0, 1, 1], "ids.npy: the input 'ids_x_0' takes int8, and is given 128 at [0]"),
      ([-128, 1, 1], [0, 1, 2], "on.npy: the input 'on' takes bool, and is given 2 at [2]"),
      ([-128, 1, 1], [0, -1, 1], "on.npy: the input 'on' takes bool, and is given -1 at [1]"),
    ] as [([Float], [Float], String)])
  func types(ids: [Float], on: [Float], message: String) throws {
    try Tensor(ids).write(to: tool.path("ids.npy"))
    try Tensor(on).write(to: tool.path("on.npy"))
    let run = try tool.run("run", "product.onnx", "--input", "ids/x:0=ids.npy", "--input", "on=on.npy")
    #expect(run.code == 1 && run.lines == [message], "\(run.messages)")
  }

  @Test("integers that a float may have rounded are refused")
  func largeIntegers() throws {
    let shown = try tool.run("run", "counts.onnx").output
    #expect(shown.components(separatedBy: "  int64\n").count == 3, "\(shown)")
    for (numbers, code) in [([-16_777_215, 3], 0), ([3, 16_777_216], 1)] as [([Float], Int32)] {
      try Tensor(numbers).write(to: tool.path("n.npy"))
      let run = try tool.run("run", "counts.onnx", "--input", "n.npy", "-o", "y.npy", "--force")
      #expect(run.code == code, "\(run.messages)")
      if code == 0 { continue }
      let message =
        "n.npy: the input 'n' takes int64, and is given 16777216 at [1]; floats hold integers below 2^24"
      #expect(run.lines == [message], "\(run.messages)")
    }
  }

  @Test("that quantized numbers are computed in floats is said")
  func quantized() throws {
    try Tensor([0.6, -1.1]).write(to: tool.path("x.npy"))
    for words in [
      ["run", "quantized.onnx", "--input", "x.npy"], ["import", "quantized.onnx", "-o", "q.json"],
    ] {
      let run = try tool.run(words)
      #expect(run.code == 0, "\(run.messages)")
      #expect(
        run.lines.contains("quantized.onnx: what is quantized is computed in floats"), "\(run.messages)")
    }
  }

  @Test("a name that two inputs have, one in the file and one in expressions, is that of the file")
  func alike() throws {
    for (name, number) in [("p", 5), ("q", 3)] as [(String, Float)] {
      try Tensor([number]).write(to: tool.path("\(name).npy"))
    }
    try tool.make("in.npz", TensorArchive.npz([("a/0", Tensor([5])), ("a_0", Tensor([3]))]))
    for inputs in [
      ["--input", "a/0=p.npy", "--input", "a_0=q.npy"], ["--input", "in.npz"],
      ["--input", "a_0=in.npz", "--input", "a/0=in.npz"],
    ] {
      let run = try tool.run(["run", "alike.onnx"] + inputs + ["-o", "y.npy", "--force"])
      #expect(run.code == 0, "\(inputs): \(run.messages)")
      #expect(try Tensor(contentsOf: tool.path("y.npy")).values == [2], "\(inputs)")
    }
  }

  @Test("a model that warms up says so when it is exported, and of other states that it does not")
  func warmingUp() throws {
    try tool.make(
      "warm.json",
      """
      { "legato": 1, "name": "Warm", "prewarm": 3, "inputs": { "x": { "shape": [2] } },
        "graph": { "n": "1 + x + delay(n, 1)", "m": "1 + x + delay(m, 2)" }, "outputs": ["n", "m"] }
      """)
    let export = try tool.run("export", "warm.json", "-o", "warm.onnx")
    #expect(
      export.lines.last == "warm.onnx: the model warms up; run 3 steps of zeros first", "\(export.messages)")
    let text = String(decoding: try tool.bytes("warm.onnx"), as: UTF8.self)
    #expect(!text.contains("zeros to begin with"))
    #expect(text.contains("oldest first; zeros into the first of 3 steps of zeros that run before"))
    try Tensor([0, 0]).write(to: tool.path("zeros.npy"))
    let both = ["--state", "n_in:n_out", "--state", "m_in:m_out"]
    for (states, n) in [([], 4), (both, 4), (Array(both.prefix(2)), 1)] as [([String], Float)] {
      var words = ["run", "warm.onnx"] + states + ["--input", "x=zeros.npy", "-o", "n=n.npy", "--force"]
      if states.count == 2 {
        try Tensor(shape: [2, 2], values: [0, 0, 0, 0]).write(to: tool.path("m.npy"))
        words += ["--input", "m_in=m.npy"]
      }
      let run = try tool.run(words)
      #expect(run.code == 0, "\(run.messages)")
      #expect(try Tensor(contentsOf: tool.path("n.npy")).values == [n, n])
      #expect(
        run.messages.contains("its 3 steps of zeros before the first one do not run") == (states.count == 2),
        "\(run.messages)")
    }
    for words in [["verify", "warm.onnx"], ["compile", "warm.onnx", "-o", "warm.o"]] {
      let run = try tool.run(words + ["--state", "n_in:n_out"])
      #expect(
        run.messages.contains("its 3 steps of zeros before the first one do not run"), "\(run.messages)")
    }
    // The destination is judged before the work.
    let there = try tool.run("export", "warm.json", "-o", "warm.onnx")
    #expect(there.code == 1 && there.messages.contains("warm.onnx: the file exists; --force replaces it"))
  }
}
