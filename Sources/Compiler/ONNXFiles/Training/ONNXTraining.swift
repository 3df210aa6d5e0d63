// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import TensorFiles

/// The training that ONNX Runtime's files say of a network beside them, as a model file would say it.
///
///     eval_model.onnx        x ─▶ … ─▶ scores ─▶ loss ◀─ labels        the network: x ─▶ scores
///     checkpoint             the weights, which are inputs there        its weights, which of them learn
///     optimizer_model.onnx   one op                                     the optimizer
///
/// The loss is that of four which the project's artifacts have; nodes of it are told by their names, `onnx::sub_output::1`.
package struct ONNXTraining: Sendable {
  package struct Target: Sendable {
    package let name: String
    package let axes: [ONNXFile.Input.Axis]
  }

  package struct Optimizer: Sendable {
    /// The rule as model files call it.
    package let rule: String
    package let numbers: [String: Double]
  }

  /// The names of weights in the file.
  package let trainable, frozen: [String]
  /// The function of the loss; nil where it is not known.
  package let loss: String?
  package let target: Target?
  /// Nil where there is no file of it, or none is known in it.
  package let optimizer: Optimizer?
  /// A note of what is not read, in words.
  let unread: [String]

  /// A note of what was read of the files, and what was not.
  package var summary: String {
    func list(_ names: [String]) -> String {
      names.prefix(6).map { printable($0, limit: 40) }.joined(separator: ", ")
        + (names.count > 6 ? " and \(names.count - 6) more" : "")
    }
    let parts = [
      trainable.isEmpty ? "no weights learn" : "weights that learn: \(list(trainable))",
      frozen.isEmpty ? nil : "frozen: \(list(frozen))", "not read: \(unread.joined(separator: ", "))",
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }
}

extension ONNXFile {
  /// The files beside a network that ONNX Runtime's training writes.
  package static let checkpointFile = ONNXCheckpoint.file
  package static let optimizerFile = "optimizer_model.onnx"

  /// Whether its first output is the loss of a network of ONNX Runtime's training: its weights are in a checkpoint.
  package var isOfTraining: Bool {
    let graph = model.graph
    guard let output = graph.outputs.first?.name else { return false }
    return graph.nodes.contains { $0.outputs.contains(output) && $0.outputs.contains(where: Self.isOfLoss) }
  }

  package static func describesCheckpoint(_ bytes: [UInt8]) -> Bool { ONNXCheckpoint.describes(bytes) }

  /// The part of the network that is run forwards, with the weights of a checkpoint; the network itself where none of its
  /// inputs are such weights.
  ///
  /// - Parameters:
  ///   - bytes: those of the checkpoint.
  ///   - optimizer: those of the optimizer's file, where there is one.
  /// - Throws: what is wrong with the checkpoint, or does not go with the network.
  package func learning(from bytes: [UInt8], optimizer: [UInt8]?) throws(ONNXErrors) -> ONNXFile {
    do throws(ONNXError) { return try forward(of: ONNXCheckpoint(bytes), optimizer) } catch {
      throw ONNXErrors([error])
    }
  }

  private func forward(of checkpoint: ONNXCheckpoint, _ optimizer: [UInt8]?) throws(ONNXError) -> ONNXFile {
    let graph = model.graph
    let given = Dictionary(graph.givenInputs.map { ($0.name, $0) }) { first, _ in first }
    let tensors = checkpoint.trainable + checkpoint.frozen
    guard tensors.contains(where: { given[$0.name] != nil }) else { return self }
    for tensor in tensors {
      guard let shape = given[tensor.name]?.shape, shape != tensor.shape.map({ .number($0) }) else {
        continue
      }
      throw ONNXError(
        "the file \(quoted(ONNXCheckpoint.file)) is of another network: \(quoted(tensor.name)) is \(tensor.shape) in it"
      )
    }
    let weights = Set(tensors.map(\.name))
    let makers = Dictionary(
      graph.nodes.indices.flatMap { row in graph.nodes[row].outputs.filter { $0 != "" }.map { ($0, row) } }
    ) { first, _ in first }
    /// The nodes that some values depend on, in their order.
    func nodes(behind values: [String]) -> [Int] {
      var (found, open) = (Set<Int>(), values)
      while let value = open.popLast() {
        guard let row = makers[value], found.insert(row).inserted else { continue }
        open += graph.nodes[row].inputs
      }
      return found.sorted()
    }
    let all = nodes(behind: graph.outputs.prefix(1).map(\.name))
    let isOfLoss = all.filter { row in graph.nodes[row].outputs.contains(where: Self.isOfLoss) }
    let lossNodes = isOfLoss.map { graph.nodes[$0] }
    let made = Set(all.filter { !isOfLoss.contains($0) }.flatMap { graph.nodes[$0].outputs })
    var scores: [String] = []
    for value in lossNodes.flatMap(\.inputs) where made.contains(value) && !scores.contains(value) {
      scores.append(value)
    }
    // A network whose loss is not told is read as it is.
    let outputs =
      scores.isEmpty
      ? graph.outputs
      : scores.map { ONNXPort(name: $0, element: .float) }
        + graph.outputs.dropFirst().filter { made.contains($0.name) && !scores.contains($0.name) }
    let kept = nodes(behind: outputs.map(\.name)).map { graph.nodes[$0] }
    let used = Set(kept.flatMap(\.inputs))
    let target = lossNodes.flatMap(\.inputs).first {
      given[$0] != nil && !weights.contains($0) && !used.contains($0)
    }
    var result = self
    result.model.graph.nodes = kept
    result.model.graph.outputs = outputs
    result.model.graph.inputs = graph.inputs.filter { used.contains($0.name) }
    result.model.graph.initializers = (graph.initializers + tensors).filter { used.contains($0.name) }
    let loss = scores.count == 1 && target != nil ? Self.loss(lossNodes) : nil
    let learns = checkpoint.trainable.contains { used.contains($0.name) }
    let (rule, isRead) = Self.optimizer(optimizer)
    let unread: [(Bool, String)] = [
      (
        lossNodes.isEmpty || loss == nil,
        "the loss, which is none of cross entropy, mse, mae and bceWithLogits"
      ),
      (!learns, "how it learns, as no weights do"), (true, "gradients, which are made anew"),
      (!isRead, "\(Self.optimizerFile), whose op is neither AdamWOptimizer nor SGDOptimizerV2"),
      (
        learns && rule == nil,
        "the optimizer\(optimizer == nil ? ", as \(Self.optimizerFile) is not there" : ""): AdamW at a rate of 0.003 is taken"
      ),
      (checkpoint.hasOptimizer, "what the optimizer remembers"),
      (checkpoint.hasProperties, "properties of the checkpoint"),
    ]
    result.training = ONNXTraining(
      trainable: learns ? checkpoint.trainable.map(\.name) : [], frozen: checkpoint.frozen.map(\.name),
      loss: loss,
      target: target.map { .init(name: $0.isName ? $0 : "target", axes: given[$0]!.axes) }, optimizer: rule,
      unread: unread.filter(\.0).map(\.1))
    return result
  }

  /// Whether a value is one of the loss: `onnx::loss::2`.
  private static func isOfLoss(_ name: String) -> Bool {
    guard name.hasPrefix("onnx::"), let last = name.split(separator: ":").last else { return false }
    return name.dropFirst(6).contains("::") && last.allSatisfy(\.isNumber)
  }

  private static func loss(_ nodes: [ONNXNode]) -> String? {
    let ops = Set(nodes.map(\.op))
    if let node = nodes.first(where: { $0.op == "SoftmaxCrossEntropyLoss" }) {
      guard node.inputs.count == 2, node.attributes["ignore_index"] == nil else { return nil }
      if case .text(let reduction)? = node.attributes["reduction"], reduction != "mean" { return nil }
      return ops.count == 1 ? "crossEntropy" : nil
    }
    guard ops.contains("ReduceMean") else { return nil }
    if ops == ["Sub", "Pow", "ReduceMean"] { return "mse" }
    if ops == ["Sub", "Abs", "ReduceMean"] { return "mae" }
    return ops == ["Sigmoid", "Log", "Mul", "Sub", "Add", "Neg", "ReduceMean"] ? "bceWithLogits" : nil
  }

  /// The optimizer that a file is of; false where there is a file, and none is known.
  private static func optimizer(_ bytes: [UInt8]?) -> (ONNXTraining.Optimizer?, isRead: Bool) {
    guard let bytes else { return (nil, true) }
    guard let model = try? ONNXModel(decoding: FileReader(bytes)) else { return (nil, false) }
    for node in model.graph.nodes where node.domain == "com.microsoft" {
      func float(_ name: String, _ standard: Double) -> Double {
        if case .float(let value)? = node.attributes[name] {
          Double("\(value)") ?? standard
        } else {
          standard
        }
      }
      func integer(_ name: String) -> Int64 {
        if case .integer(let value)? = node.attributes[name] { value } else { 0 }
      }
      switch node.op {
      case "SGDOptimizerV2": return (.init(rule: "sgd", numbers: ["rate": 0.001]), true)
      case "AdamWOptimizer" where integer("correct_bias") == 1:
        return (
          .init(
            rule: integer("adam_mode") == 1 ? "adamWOfONNXRuntime" : "adamW",
            numbers: [
              "rate": 0.001, "beta1": float("alpha", 0.9), "beta2": float("beta", 0.999),
              "epsilon": float("epsilon", 1e-8), "decay": float("weight_decay", 0),
            ]), true
        )
      default: continue
      }
    }
    return (nil, false)
  }
}

extension ONNXPort {
  fileprivate var axes: [ONNXFile.Input.Axis] {
    (shape ?? []).indices.map { index in
      if case .number(let number)? = shape?[index] { return .number(Int(clamping: number)) }
      return .symbol(symbol(index) ?? "")
    }
  }
}
