// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ProtobufWire
package import TensorFiles

/// An ONNX file whose form is right, before the axes that it only names have numbers.
package struct ONNXFile: Sendable {
  /// An input as the file declares it.
  package struct Input: Sendable {
    package enum Axis: Hashable, Sendable {
      case number(Int)
      case symbol(String)
    }
    package let name: String
    package let axes: [Axis]
    package let type: DeclaredType
  }

  var model: ONNXModel
  /// The training that ONNX Runtime's files beside it say; nil where there are none.
  package var training: ONNXTraining?
  /// Inputs that are outputs of the step before, by their names in the file.
  let states: [String: String]
  /// Inputs of one integer that a number stands in place of, by the names that it was said with.
  package let fixed: Set<String>
  /// Outputs that are nothing but what is remembered, as a file of ours notes it.
  let hidden: Set<String>
  /// Steps of zeros that run before the first one, as a file of ours notes it.
  let prewarm: Int
  /// The steps of zeros that it notes, where other states than its own are said.
  package let droppedPrewarm: Int

  /// The bytes that tell what a file is.
  package static let headBytes = 3

  /// Whether bytes begin as an ONNX file does, and no text does.
  ///
  /// They need not be all of the file: a field that is cut off counts as it begins.
  package static func describes(_ bytes: some Collection<UInt8>) -> Bool {
    let first = Array(bytes.prefix(headBytes))
    // The version of the format stands first, a small number; behind it a field follows, of a number from 2 to 15.
    guard first.count == headBytes, first[0] == 0x08, (1...32).contains(first[1]) else { return false }
    return [0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72].contains(first[2])
  }

  /// - Parameters:
  ///   - pairs: what is remembered from step to step, such as `h:hn`: an input, and the output that it becomes.
  ///   - numbers: numbers by names; those of inputs of one integer stand in their place.
  ///   - arrays: what stands in place of other inputs, by their names.
  /// - Throws: what is wrong with the file, with the pairs, or with what stands in place of inputs.
  package init(
    _ file: FileReader, states pairs: [String] = [], numbers: [String: Int] = [:],
    arrays: [String: FloatArray] = [:]
  ) throws(ONNXErrors) {
    do throws(ProtobufError) {
      model = try ONNXModel(decoding: file)
    } catch {
      throw ONNXErrors([ONNXError("the file is damaged: \(error.description)")])
    }
    model.graph.nameAxes()
    do throws(ONNXError) { fixed = try model.graph.fix(numbers, arrays) } catch {
      throw ONNXErrors([error])
    }
    let noted = model.notedStates
    do throws(ONNXError) { states = try pairs.isEmpty ? noted : model.graph.states(pairs) } catch {
      throw ONNXErrors([error])
    }
    let remembered = pairs.isEmpty ? Set(noted.values) : []
    // A network has outputs, whatever is noted.
    hidden = model.graph.outputs.allSatisfy { remembered.contains($0.name) } ? [] : remembered
    (prewarm, droppedPrewarm) = states == noted ? (model.notedPrewarm, 0) : (0, model.notedPrewarm)
  }

  /// A note of what was read, and of what is computed in another way; nil where there is nothing to be said.
  package var note: String? {
    let nodes = model.graph.nodes + model.functions.values.flatMap(\.nodes)
    let isQuantized = nodes.contains { node in
      ONNXOperator.quantization[node.op] != nil && ONNXOperator.named(node.op, domain: node.domain) != nil
    }
    let notes = [training?.summary, isQuantized ? "what is quantized is computed in floats" : nil]
    let said = notes.compactMap(\.self)
    return said.isEmpty ? nil : said.joined(separator: "; ")
  }

  /// The notes of programs beside the graph, by names.
  package var notes: [String: String] { model.properties }

  /// The axes that the file only names, each once.
  package var symbols: [String] {
    var symbols: [String] = []
    for port in model.graph.givenInputs {
      for symbol in port.symbols where !symbols.contains(symbol) { symbols.append(symbol) }
    }
    return symbols
  }

  /// The inputs and outputs by the names that the translation gives them; what has no numbers at all is no input.
  package var ports: (inputs: [Input], outputs: [String]) {
    let names = model.graph.writtenNames
    var (inputs, known): ([Input], Set<String>) = ([], [])
    for port in model.graph.givenInputs where states[port.name] == nil && known.insert(port.name).inserted {
      guard let name = names[port.name] else { continue }
      let axes = (port.shape ?? []).enumerated().map { index, axis in
        port.symbol(index).map { Input.Axis.symbol($0) } ?? .number(axis.number)
      }
      inputs.append(Input(name: name, axes: axes, type: port.element?.type ?? .float32))
    }
    return (inputs, model.graph.outputs.filter { !hidden.contains($0.name) }.compactMap { names[$0.name] })
  }

  /// The kinds of numbers that the file declares of outputs, by the names that the translation gives them.
  package var outputTypes: [String: DeclaredType] {
    let names = model.graph.writtenNames
    return Dictionary(
      model.graph.outputs.compactMap { port in
        names[port.name].flatMap { name in port.element?.type.map { (name, $0) } }
      }
    ) { first, _ in first }
  }

  /// The names that the file has for inputs and outputs, by those that the translation gives them, where they differ.
  package var originals: [String: String] {
    Dictionary(model.graph.writtenNames.filter { $0 != $1 }.map { ($1, $0) }) { first, _ in first }
  }

  /// The inputs of one float that have a value in the file, and a note by `legato export` of how a user turns them.
  package var notedParameters: [(name: String, value: Float, note: String)] {
    let source = ONNXSource(model.file) { _ in .failure(ONNXError("a parameter stands in the file")) }
    let tensors = Dictionary(model.graph.initializers.map { ($0.name, $0) }) { _, last in last }
    var known: Set<String> = []
    return model.graph.inputs.compactMap { port in
      guard let note = model.properties["legato.parameter.\(port.name)"], known.insert(port.name).inserted,
        port.element == .float, port.shape == [], let tensor = tensors[port.name], tensor.element == .float,
        tensor.shape.isEmpty, let value = (try? source.constant(tensor))?.floats.first
      else { return nil }
      return (port.name, value, note)
    }
  }

  /// Leaves such inputs to the user, who turns them; the others are the numbers that stand in the file.
  package mutating func release(_ names: Set<String>) {
    model.graph.parameters = model.graph.inputs.filter { names.contains($0.name) }
    model.graph.inputs.removeAll { names.contains($0.name) }
    model.graph.initializers.removeAll { names.contains($0.name) }
  }

  /// The names that the translation gives to them, by those of the file.
  package var parameterNames: [String: String] {
    let names = model.graph.writtenNames
    return Dictionary(model.graph.parameters.map { ($0.name, names[$0.name] ?? $0.name) }) { first, _ in first
    }
  }

  /// The files beside its own in which weights stand, as it says them.
  package var externalPaths: [String] {
    var paths: [String] = []
    func add(_ tensor: ONNXTensor) {
      if case .external(let path, _, _) = tensor.storage, !paths.contains(path) { paths.append(path) }
    }
    func add(_ attributes: [String: ONNXAttribute]) {
      for (_, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
        switch attribute {
        case .tensor(let tensor): add(tensor)
        case .graph(let body): add(body)
        case .float, .integer, .text, .floats, .integers, .texts, .reference, .unknown: continue
        }
      }
    }
    func add(_ graph: ONNXGraph) {
      graph.initializers.forEach(add)
      for node in graph.nodes { add(node.attributes) }
    }
    add(model.graph)
    for function in model.functions.values.sorted(by: { $0.name < $1.name }) {
      add(function.defaults)
      for node in function.nodes { add(node.attributes) }
    }
    return paths
  }
}

extension ONNXGraph {
  /// The inputs that have no value, neither in the file nor from whoever uses it.
  var givenInputs: [ONNXPort] {
    let given = Set(initializers.map(\.name))
    return inputs.filter { !given.contains($0.name) && constants[$0.name] == nil }
  }

  /// Calls axes of inputs that have no name after the input and their place, and as no other axis is called.
  fileprivate mutating func nameAxes() {
    var known: Set<String> = []
    for port in inputs {
      for case .symbol(let name) in port.shape ?? [] { known.insert(name) }
    }
    for row in inputs.indices {
      for (axis, extent) in (inputs[row].shape ?? []).enumerated() where extent == .unknown {
        var name = "\(inputs[row].name)_\(axis)"
        while !known.insert(name).inserted { name += "_" }
        inputs[row].shape?[axis] = .symbol(name)
      }
    }
  }

  /// The names that the translation gives to inputs, parameters and outputs, by those of the file; what has no numbers at all has none.
  var writtenNames: [String: String] {
    let writer = ONNXWriter()
    var names: [String: String] = [:]
    for port in givenInputs where names[port.name] == nil && port.shape?.contains(.number(0)) != true {
      names[port.name] = writer.reserve(port.name)
    }
    for port in parameters where names[port.name] == nil { names[port.name] = writer.reserve(port.name) }
    for output in outputs where names[output.name] == nil { names[output.name] = writer.reserve(output.name) }
    return names
  }
}

extension ONNXModel {
  /// What `legato export` notes of what is remembered: `legato.state.h_in` is `h_out`.
  fileprivate var notedStates: [String: String] {
    let (inputs, outputs) = (Set(graph.givenInputs.map(\.name)), Set(graph.outputs.map(\.name)))
    var states: [String: String] = [:]
    for (key, output) in properties where key.hasPrefix("legato.state.") && outputs.contains(output) {
      let input = String(key.dropFirst("legato.state.".count))
      if inputs.contains(input) { states[input] = output }
    }
    return states
  }

  /// The steps of zeros that it notes.
  fileprivate var notedPrewarm: Int {
    let steps = properties["legato.prewarm"].flatMap { Int($0) } ?? 0
    return (0...Limits.prewarm).contains(steps) ? steps : 0
  }
}

extension ONNXGraph {
  /// The inputs that pairs such as `h:hn` make outputs of the step before, by the names of the file or of its translation;
  /// names may hold colons, too.
  fileprivate func states(_ pairs: [String]) throws(ONNXError) -> [String: String] {
    let (inputs, outputs) = (givenInputs.map(\.name), self.outputs.map(\.name))
    let originals = Dictionary(writtenNames.map { ($1, $0) }) { first, _ in first }
    func original(_ name: Substring, among names: [String]) -> String? {
      names.first { $0 == name } ?? originals[String(name)].flatMap { names.contains($0) ? $0 : nil }
    }
    var states: [String: String] = [:]
    for pair in pairs {
      let found = pair.indices.filter { pair[$0] == ":" }.map { colon in
        (
          original(pair[..<colon], among: inputs),
          original(pair[pair.index(after: colon)...], among: outputs)
        )
      }.first { $0.0 != nil && $0.1 != nil }
      guard let input = found?.0, let output = found?.1 else {
        let known = [inputs, outputs].map { $0.prefix(16).map(quoted).joined(separator: ", ") }
        throw ONNXError(
          "the state \(quoted(pair)) is no INPUT:OUTPUT of the network, whose inputs are \(known[0]) and whose outputs "
            + known[1])
      }
      guard states.updateValue(output, forKey: input) == nil else {
        throw ONNXError("the input \(quoted(input)) is the state of two outputs")
      }
    }
    return states
  }
}

extension ONNXPort {
  /// The name of an axis that has no number.
  func symbol(_ axis: Int) -> String? {
    switch shape?[axis] {
    case nil, .number, .unknown: return nil
    // In model files some words have a meaning of their own.
    case .symbol(let name): return Function.reservedNames.contains(name) ? "\(name)_" : name
    }
  }

  var symbols: [String] { (shape ?? []).indices.compactMap(symbol) }
}

extension ONNXPort.Axis {
  fileprivate var number: Int {
    switch self {
    case .number(let number): Int(clamping: number)
    case .symbol, .unknown: 0
    }
  }
}
