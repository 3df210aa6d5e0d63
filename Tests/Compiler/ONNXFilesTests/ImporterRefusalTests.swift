// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import Testing

/// Nodes that would be computed otherwise than the format says are refused, with what to do where something helps.
@Suite struct ImporterRefusalTests {
  private static func attribute(_ name: String, _ numbers: [Int]) -> [UInt8] {
    ONNXBytes.field(1, name) + numbers.flatMap { ONNXBytes.field(8, $0) } + ONNXBytes.field(20, 7)
  }

  private static func attribute(_ name: String, _ text: String) -> [UInt8] {
    ONNXBytes.field(1, name) + ONNXBytes.field(4, text) + ONNXBytes.field(20, 3)
  }

  /// An op of `x` and of integers, by their names.
  private static func model(
    _ op: String, _ tensors: [(name: String, numbers: [Int], shape: [Int])] = [], domain: String = "",
    attributes: [[UInt8]] = [], axes: [String] = ["2", "3"], opset: Int = 19
  ) -> [UInt8] {
    ONNXBytes.model(
      [ONNXBytes.node(op, ["x"] + tensors.map(\.name), ["y"], domain: domain, attributes: attributes)],
      tensors: tensors.filter { !$0.name.isEmpty }.map {
        ONNXBytes.tensor($0.name, $0.numbers, shape: $0.shape)
      }, axes: axes, opset: opset)
  }

  /// `x` as integers, and an op of it and of one more.
  private static func whole(_ op: String, _ number: Int) -> [UInt8] {
    ONNXBytes.model(
      [
        ONNXBytes.node("Cast", ["x"], ["n"], attributes: [ONNXBytes.attribute("to", 7)]),
        ONNXBytes.node(op, ["n", "large"], ["y"], name: "w"),
      ], tensors: [ONNXBytes.tensor("large", [number], shape: [])])
  }

  private static func quantizedLSTM(recurrent: [Int], scales: [Int]) -> [UInt8] {
    func ones(_ name: String, _ shape: [Int]) -> (String, [Int], [Int]) {
      (name, [Int](repeating: 1, count: shape.reduce(1, *)), shape)
    }
    let leftOut = [(String, [Int], [Int])](repeating: ("", [], []), count: 5)
    return model(
      "DynamicQuantizeLSTM",
      [ones("w", [1, 2, 4]), ones("r", recurrent)] + leftOut
        + [ones("ws", scales), ones("wz", scales), ones("rs", [1]), ones("rz", [1])],
      domain: "com.microsoft", axes: ["3", "1", "2"])
  }

  private func messages(about bytes: [UInt8]) -> [String] {
    do throws(Diagnostics) {
      _ = try ModelDocument.decode(bytes, file: "net.onnx", extents: [:])
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  @Test(arguments: [
    (
      model(
        "Conv", [("w", [1, 2, 3], [1, 1, 3])], attributes: [attribute("kernel_shape", [5])],
        axes: ["1", "1", "9"]),
      "the attribute 'kernel_shape' is [5], and the weight has [3]"
    ),
    (
      model(
        "RNN", [("w", [1, 2], [1, 2, 1]), ("r", [1, 2, 3, 4], [1, 2, 2])],
        attributes: [ONNXBytes.attribute("hidden_size", 3)], axes: ["4", "1", "1"]),
      "the attribute 'hidden_size' is 3, and the weight has 2"
    ),
    (
      model("Gelu", attributes: [attribute("approximate", "erf")], opset: 20),
      "the attribute 'approximate' is 'erf'; none and tanh are known"
    ),
    (
      model("Pad", [("p", [0, 0, 1 << 22, 0], [4])], attributes: [attribute("mode", "wrap")]),
      "an axis of 4194306 padded by others; 4194304 are the most"
    ),
    (
      model("Col2Im", [("i", [512, 512], [2]), ("b", [7, 7], [2])], axes: ["1", "49", "256036"]),
      "it would add 12545764 numbers; 2097152 are the most"
    ),
    (
      whole("Add", (1 << 24) + 1),
      "node 'w' (Add): the constant 'large' holds 16777217, which no float of 32 bits does"
    ),
    (whole("Equal", (1 << 24) + 1), "node 'w' (Equal): the constant 'large' holds 16777217"),
    (
      model("NonMaxSuppression"),
      "1 × NonMaxSuppression is not known; onnx.utils.extract_model ends the network before what chooses among its results"
    ),
    (
      model("FusedConv", domain: "com.microsoft"),
      "1 × com.microsoft.FusedConv is not known; onnxruntime's optimizer made ops of com.microsoft; the file before it has "
        + "others, or that of its level 'basic'"
    ),
    (
      quantizedLSTM(recurrent: [1, 1, 5], scales: [1]),
      "weights [1, 2, 4] and [1, 1, 5] do not fit [3, 1, 2]: they are [directions, in, 4 * units]"
    ),
    (
      quantizedLSTM(recurrent: [1, 4], scales: [1]), "weights [1, 2, 4] and [1, 4] do not fit [3, 1, 2]"
    ),
    (
      quantizedLSTM(recurrent: [1, 1, 4], scales: [2]),
      "scales or zero points [2] do not fit a weight [1, 2, 4]: they are [1] or [1, 4]"
    ),
  ])
  func isRefused(bytes: [UInt8], message: String) {
    let lines = messages(about: bytes)
    #expect(lines.count == 1 && lines[0].contains(message), "\(lines)")
  }

  @Test("a weight that many products read is turned once")
  func isShared() {
    let tensor =
      [1024, 1024].flatMap { ONNXBytes.field(1, $0) } + ONNXBytes.field(2, 1)
      + ONNXBytes.field(9, [UInt8](repeating: 0, count: 1 << 22)) + ONNXBytes.field(8, "w")
    let values = ["x"] + (1..<40).map { "v\($0)" } + ["y"]
    let nodes = (0..<40).map { ONNXBytes.node("MatMul", [values[$0], "w"], [values[$0 + 1]]) }
    #expect(messages(about: ONNXBytes.model(nodes, tensors: [tensor], axes: ["1", "1024"])).isEmpty)
  }

  @Test("the largest integers stand for no bound, and those that floats hold are taken")
  func isTaken() {
    for bytes in [
      Self.whole("Min", .max), Self.whole("Less", Int(Int32.max)), Self.whole("Add", 1 << 30),
      Self.model(
        "Conv", [("w", [1, 2, 3], [1, 1, 3])], attributes: [Self.attribute("kernel_shape", [3])],
        axes: ["1", "1", "9"]),
    ] {
      #expect(messages(about: bytes).isEmpty, "\(messages(about: bytes))")
    }
  }

  @Test("integers are scaled by whole factors")
  func factors() {
    func model(_ factor: Float) -> [UInt8] {
      let bits = factor.bitPattern
      let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
      let alpha = ONNXBytes.field(1, "alpha") + [0x15] + bytes + ONNXBytes.field(20, 1)
      return ONNXBytes.model(
        [
          ONNXBytes.node("Cast", ["x"], ["n"], attributes: [ONNXBytes.attribute("to", 7)]),
          ONNXBytes.node("Gemm", ["n", "w"], ["y"], attributes: [alpha]),
        ], tensors: [ONNXBytes.tensor("w", [1, 2, 3], shape: [3, 1])])
    }
    #expect(messages(about: model(2)).isEmpty)
    #expect(messages(about: model(0.5)).first?.contains("a product of integers by 0.5 is not known") == true)
  }
}
