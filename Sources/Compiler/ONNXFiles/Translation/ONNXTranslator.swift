// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Walks through the nodes of a model and writes what each of them means.
///
///     inputs, initializers ─▶ scope ─▶ node by node: operands ─▶ ONNXOperator ─▶ values ─▶ scope ─▶ outputs
///
/// A node whose operands could not be made is passed over, so that each mistake is said once.
final class ONNXTranslator {
  let model: ONNXModel
  /// Inputs that are outputs of the step before, outputs that are no more than that, and steps of zeros before the first.
  let states: [String: String]
  let hidden: Set<String>
  private let prewarm: Int
  let source: ONNXSource
  let writer = ONNXWriter()
  let extents: [String: Int]
  let trace = ONNXIntegerTrace()
  private var errors: [ONNXError] = []
  /// How often each op occurs that is not known.
  private var unknown: [String: Int] = [:]
  /// The names of graph inputs and outputs, which nothing else gets.
  var reserved: [String: String] = [:]
  /// How often nodes and outputs name a value; what graphs within nodes name counts twice.
  private(set) lazy var mentions = model.graph.mentions
  /// The states that are delays, by their inputs, and what only moves them up.
  private(set) var delays: [String: ONNXDelay] = [:]
  private(set) var moved: Set<String> = []
  /// Nodes that were looked at, as often as functions and loops repeat them.
  private var steps = 0

  /// The sets of ops whose meaning is known.
  static let opsets = 7...28
  private static let mostErrors = 256
  private static let mostSteps = 1 << 17

  init(_ file: ONNXFile, extents: [String: Int], external: @escaping ONNXExternalFiles) {
    (model, states, self.extents) = (file.model, file.states, extents)
    (hidden, prewarm) = (file.hidden, file.prewarm)
    source = ONNXSource(model.file, external: external)
  }

  func translation() throws(ONNXErrors) -> ONNXTranslation {
    checkVersions()
    let scope = ONNXScope(opsets: model.opsets)
    let ports = inputs(of: model.graph, scope)
    for (port, value) in ports { scope[port.name] = .value(value) }
    for port in model.graph.parameters where reserved[port.name] == nil {
      let name = writer.input(port.name, [])
      reserved[port.name] = name
      scope[port.name] = .value(ONNXValue(.float, [], .named(name)))
    }
    for output in model.graph.outputs where reserved[output.name] == nil {
      reserved[output.name] = writer.reserve(output.name)
    }
    try stopAtErrors()
    delays = delays(ports)
    moved = Set(delays.values.flatMap(\.moved))
    translate(model.graph, scope)
    noteUnknown()
    let outputs = self.outputs(of: model.graph, scope)
    writeDelayed(ports, scope)
    try stopAtErrors()
    let remembered = stateLines(ports, scope)
    try stopAtErrors()
    let given = ports.filter { states[$0.0.name] == nil }
    do throws(ONNXError) {
      let (lines, arrays) = try writer.used(by: outputs)
      return ONNXTranslation(
        name: model.graph.name, description: model.description,
        inputs: given.map { .init(name: reserved[$0.0.name]!, shape: $0.1.shape) }, lines: remembered + lines,
        tensors: arrays.map { .init(name: $0.name!, shape: $0.shape, numbers: $0.floats) },
        outputs: outputs.filter { name in !hidden.contains { reserved[$0] == name } }, prewarm: prewarm,
        pairs: pairs(given, scope))
    } catch {
      throw ONNXErrors([error])
    }
  }

  // MARK: Errors

  func report(_ error: ONNXError) {
    if errors.count < Self.mostErrors { errors.append(error) }
  }

  private func stopAtErrors() throws(ONNXErrors) {
    guard errors.isEmpty else { throw ONNXErrors(errors) }
  }

  private func checkVersions() {
    var versions = [model.opsets[""]]
    versions += model.functions.values.map { $0.opsets[""] }
    for opset in Set(versions.compactMap(\.self)).sorted() where !Self.opsets.contains(opset) {
      report(
        ONNXError(
          "its ops are those of version \(opset); \(Self.opsets.lowerBound) to \(Self.opsets.upperBound) are known; "
            + "onnx.version_converter makes others of them"))
    }
    let bodies = [model.graph.nodes] + model.functions.values.filter { $0.opsets[""] == nil }.map(\.nodes)
    if model.opsets[""] == nil, bodies.contains(where: { $0.contains(where: \.domain.isEmpty) }) {
      report(ONNXError("it does not say of which version its ops are"))
    }
    if model.graph.hasSparseInitializers {
      report(ONNXError("tensors of which only some numbers are stored are not known; save them whole"))
    }
  }

  private func noteUnknown() {
    guard !unknown.isEmpty else { return }
    let list = unknown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let names = list.prefix(32).map { "\($0.value) × \(printable($0.key))" }
    let rest = list.count > 32 ? ", and \(list.count - 32) more kinds" : ""
    let verb = list.count == 1 && list[0].value == 1 ? "is" : "are"
    var remedies: [String] = []
    for remedy in list.compactMap({ ONNXOperator.remedy(of: $0.key) }) where !remedies.contains(remedy) {
      remedies.append(remedy)
    }
    report(
      ONNXError(
        (["\(names.joined(separator: ", "))\(rest) \(verb) not known"] + remedies).joined(separator: "; ")))
  }

  func place(_ node: ONNXNode) -> String {
    node.name.isEmpty
      ? "the node of \(quoted(node.outputs.first ?? "")) (\(printable(node.op)))"
      : "node \(quoted(node.name)) (\(printable(node.op)))"
  }

  // MARK: Nodes

  /// Translates the nodes of a graph into values of its scope.
  func translate(_ graph: ONNXGraph, _ scope: ONNXScope) {
    for tensor in graph.initializers where !tensor.name.isEmpty { scope[tensor.name] = .tensor(tensor) }
    for (name, constant) in graph.constants { scope[name] = .value(ONNXValue(constant)) }
    for node in graph.nodes { translate(node, scope) }
  }

  func translate(_ node: ONNXNode, _ scope: ONNXScope) {
    if scope.depth == 0, node.outputs.contains(where: moved.contains) { return }
    var results: [ONNXValue]?
    do throws(ONNXError) {
      results = try self.results(of: node, scope)
      if let results, let missing = node.outputs.dropFirst(results.count).first(where: { !$0.isEmpty }) {
        throw ONNXError("its output \(quoted(missing)) is not known")
      }
      for (name, value) in zip(node.outputs, results ?? []) where !name.isEmpty {
        guard !scope.defines(name) else { throw ONNXError("the value \(quoted(name)) is there already") }
        scope[name] = .value(try settled(value, name, in: scope))
      }
    } catch {
      report(ONNXError("\(place(node)): \(error.message)\(remedy(error, in: scope))"))
      results = nil
    }
    for name in node.outputs.dropFirst(results?.count ?? 0) where !name.isEmpty && !scope.defines(name) {
      scope[name] = .failed
    }
  }

  /// A value as others name it: an expression becomes a line.
  private func settled(_ value: ONNXValue, _ name: String, in scope: ONNXScope) throws(ONNXError) -> ONNXValue
  {
    guard case .expression(let text) = value.content else { return value }
    try ONNXCall.check(value.shape)
    // Within functions and branches there may be values of the same names.
    let line: String
    if scope.depth == 0, let own = reserved[name] {
      line = own
      try writer.write(own, text.unbracketed, value.shape)
    } else {
      line = try writer.define(name, text.unbracketed, value.shape)
    }
    var result = value
    result.content = .named(line)
    return result
  }

  /// The value of a name; nil where it could not be made, which has been said.
  func value(_ name: String, in scope: ONNXScope) throws(ONNXError) -> ONNXValue? {
    switch scope[name] {
    case .value(let value): return value
    case .failed: return nil
    case .tensor(let tensor):
      do throws(ONNXError) {
        let value = ONNXValue(try source.constant(tensor))
        // What is transposed or cut for one node, and read by no other, is not kept beside what is made of it.
        if scope.depth > 0 || mentions[name] != 1 { scope.load(name, .value(value)) }
        return value
      } catch {
        scope.load(name, .failed)
        throw error
      }
    case nil:
      throw ONNXError("no value is called \(quoted(name)); each node stands behind those that it needs")
    }
  }

  func call(_ node: ONNXNode, _ operands: [ONNXValue?], in scope: ONNXScope) -> ONNXCall {
    ONNXCall(
      node: node, operands: operands, opset: scope.opsets[node.domain] ?? model.opsets[node.domain] ?? 0,
      attributes: ONNXAttributes(node.attributes),
      writer: writer, source: source, checksIntegers: trace.depth == 0)
  }

  /// The values of a node; nil where something that it needs could not be made.
  private func results(of original: ONNXNode, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    steps += 1
    guard steps <= Self.mostSteps else {
      if steps > Self.mostSteps + 1 { return nil }
      throw ONNXError("with functions and loops written out there are more than \(Self.mostSteps) nodes")
    }
    var node = original
    node.attributes = node.attributes.compactMapValues { attribute in
      if case .reference(let name) = attribute { scope.arguments[name] } else { attribute }
    }
    if scope.depth == 0, node.op == "Gather", node.domain.isEmpty, let past = node.inputs.first,
      let delay = delays[past]
    {
      return try delayed(node, delay, in: scope).map { [$0] }
    }
    let function = ONNXFunction.Name(domain: node.domain, name: node.op, overload: node.overload)
    let isControl = node.domain.isEmpty && ["If", "Loop", "Scan"].contains(node.op)
    let op = isControl ? nil : ONNXOperator.named(node.op, domain: node.domain)
    guard isControl || op != nil || model.functions[function] != nil else {
      unknown[node.domain.isEmpty ? node.op : "\(node.domain).\(node.op)", default: 0] += 1
      return nil
    }
    var operands: [ONNXValue?] = []
    for name in node.inputs {
      guard !name.isEmpty else {
        operands.append(nil)
        continue
      }
      guard let value = try value(name, in: scope) else { return nil }
      operands.append(value)
    }
    if let body = model.functions[function] { return try inline(body, function, node, operands, scope) }
    guard let op else { return try control(call(node, operands, in: scope), scope) }
    scope.note(node, operands)
    let idiom = idiom(node, operands, in: scope)
    let call = call(node, idiom?.operands ?? operands, in: scope)
    return trace.follow(try (idiom?.op ?? op).translate(call), of: node, operands)
  }
}

extension ONNXGraph {
  /// How often a value is named, by its name; twice where a graph within a node does it.
  fileprivate var mentions: [String: Int] {
    var mentions: [String: Int] = [:]
    for output in outputs { mentions[output.name, default: 0] += 1 }
    for node in nodes {
      for name in node.inputs { mentions[name, default: 0] += 1 }
      for case .graph(let body) in node.attributes.values {
        for name in body.mentions.keys { mentions[name, default: 0] += 2 }
      }
    }
    return mentions
  }
}
