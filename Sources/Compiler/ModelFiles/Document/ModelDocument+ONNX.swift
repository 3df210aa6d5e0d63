// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import JSONReading
import ONNXFiles
import TensorFiles

/// An ONNX file that was read, and that waits for the numbers of axes that it only names.
package final class OpenNetwork: Sendable {
  fileprivate let content: ONNXFile
  /// The inputs with a value in it that are turned.
  fileprivate let parameters: [ModelDocument.Parameter]
  /// The files beside it that its weights stand in, by what it calls them.
  fileprivate let files: [String: FileReader]
  fileprivate let refusals: [String: String]

  fileprivate init(_ content: ONNXFile, _ files: [String: FileReader], _ refusals: [String: String]) {
    let noted = content.notedParameters.compactMap { name, value, note in
      ModelDocument.parameter(note, named: name, value: value)
    }.prefix(ModelDocument.maximumParameters)
    var released = content
    released.release(Set(noted.map(\.name)))
    let names = released.parameterNames
    parameters = noted.map { parameter in
      var parameter = parameter
      parameter.name = names[parameter.name] ?? parameter.name
      return parameter
    }
    (self.content, self.files, self.refusals) = (released, files, refusals)
  }
}

extension OpenNetwork: Hashable {
  package static func == (a: OpenNetwork, b: OpenNetwork) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ModelDocument {
  /// The most bytes of an ONNX file, as the format has it; weights in files beside it do not count.
  package static let mostNetworkBytes = (2 << 30) - 1

  /// Whether bytes begin as an ONNX file does.
  package static func isONNX(_ bytes: some Collection<UInt8>) -> Bool { ONNXFile.describes(bytes) }

  /// The model that an ONNX file is, as if a file of ours had said it: a model of steps.
  ///
  ///     net.onnx ─▶ ONNXTranslation ─▶ inputs, graph, weights ─▶ as from net.json
  ///
  /// Where an axis has no number yet it is not translated: the model has inputs and outputs, and nothing between them.
  ///
  /// - Parameters:
  ///   - extents: numbers for the axes that the file only names, and for inputs of one integer.
  ///   - states: inputs that are outputs of the step before, such as `h:hn`.
  ///   - constants: what stands in place of other inputs.
  ///   - reader: finds files beside it in which its weights stand.
  init(
    onnx contents: FileReader, file: String, extents: [String: Int], states: [String],
    constants: [String: FloatArray], reader: ModelFile.Reader
  ) throws(Diagnostics) {
    let content: ONNXFile
    do throws(ONNXErrors) {
      let whole = try ONNXFile(contents, states: states, numbers: extents, arrays: constants)
      let checkpoint = Self.checkpoint(beside: file, reader)
      guard checkpoint != nil || !whole.isOfTraining else {
        throw ONNXErrors([
          ONNXError(
            "is a network of ONNX Runtime's training, whose weights are in the file \(quoted(ONNXFile.checkpointFile)) "
              + "beside it; there is none, or it is damaged")
        ])
      }
      content =
        try checkpoint.map { bytes throws(ONNXErrors) in
          try whole.learning(from: bytes, optimizer: Self.bytes(ONNXFile.optimizerFile, beside: file, reader))
        } ?? whole
    } catch {
      throw error.diagnostics(of: file)
    }
    var (files, refusals, names): ([String: FileReader], [String: String], [String]) = ([:], [:], [])
    for path in content.externalPaths {
      let opened = reader.find(path, file).flatMap { found in
        names.append(found.file)
        return reader.open(found)
      }
      switch opened {
      case .success(let opened): files[path] = opened
      case .failure(let refusal): refusals[path] = refusal.message
      }
    }
    let network = OpenNetwork(content, files, refusals)
    try self.init(network, file: file, files: names, extents: extents)
  }

  /// The bytes of a file that stands beside another one; nil where it cannot be had.
  private static func bytes(_ name: String, beside file: String, _ reader: ModelFile.Reader) -> [UInt8]? {
    guard case .success(let found) = reader.find(name, file),
      case .success(let contents) = reader.read(found, mostNetworkBytes)
    else { return nil }
    return try? TensorFile.bytes(0..<contents.count, of: contents, file: found.file)
  }

  /// The checkpoint of ONNX Runtime's training beside a network; nil where none is there.
  private static func checkpoint(beside file: String, _ reader: ModelFile.Reader) -> [UInt8]? {
    guard case .success(let found) = reader.find(ONNXFile.checkpointFile, file),
      case .success(let head) = reader.read(found, 8), let head = head.given,
      ONNXFile.describesCheckpoint(head)
    else { return nil }
    return bytes(ONNXFile.checkpointFile, beside: file, reader)
  }

  /// The same model with more numbers for its axes.
  func bound(to extents: [String: Int]) throws(Diagnostics) -> ModelDocument {
    guard let network, let open = network.open else { return self }
    return try ModelDocument(open, file: file, files: network.files, extents: extents)
  }

  /// The axes that an ONNX file only names, while some have no number; those of what is remembered among them.
  var openAxes: [String] { network?.open?.content.symbols ?? [] }

  /// The error of axes that are left without a number.
  var axesWithoutNumbers: Diagnostic {
    let named = inputs.map { input in
      (input.name, symbols.filter { input.shape.map(\.extent).contains(.symbol($0)) })
    }
    let axes = symbols.map { symbol in
      let users = named.filter { $0.1.contains(symbol) }.map { quoted($0.0) }
      return "\(quoted(symbol)) of \(alternatives(users, "and"))"
    }
    // What is remembered has axes, too, though it is no input.
    let hidden = openAxes.filter { symbol in
      !symbols.contains(symbol) && network?.bound.contains(symbol) != true
    }
    let remedy = (symbols + hidden).map { "--bind \(printable($0))=1" }.joined(separator: " ")
    return Diagnostic(
      file: file, place: nil,
      message:
        "axes without numbers: \((axes + hidden.map(quoted)).joined(separator: ", ")); give each one, such as \(remedy)"
    )
  }

  private init(
    _ network: OpenNetwork, file: String, files: [String], extents: [String: Int]
  ) throws(Diagnostics) {
    let symbols = network.content.symbols
    if let symbol = symbols.first(where: { extents[$0] ?? 1 < 1 }) {
      throw ONNXErrors.diagnostics(
        of: file, "the axis \(quoted(symbol)) is said to have \(extents[symbol]!) positions; 1 are the fewest"
      )
    }
    guard symbols.allSatisfy({ extents[$0] != nil }) else {
      let ports = network.content.ports
      self.init(
        file: file,
        facts: NetworkFacts(
          files: files, bound: symbols.filter { extents[$0] != nil } + network.content.fixed, pairs: [],
          note: network.content.note, open: network, originals: network.content.originals,
          outputTypes: network.content.outputTypes,
          droppedPrewarm: network.content.droppedPrewarm),
        inputs: ports.inputs.map { input in
          (
            input.name, input.type,
            input.axes.map { axis in
              switch axis {
              case .number(let number): .number(number)
              case .symbol(let name): extents[name].map { .number($0) } ?? .symbol(name)
              }
            }
          )
        }, parameters: network.parameters, outputs: ports.outputs)
      take(notes: network.content.notes)
      return
    }
    let translation: ONNXTranslation
    do throws(ONNXErrors) {
      translation = try ONNXTranslation(network.content, extents: extents) { path in
        network.files[path].map { .success($0) }
          ?? .failure(ONNXError("the file \(quoted(path)) \(network.refusals[path] ?? "is not there")"))
      }
    } catch {
      throw error.diagnostics(of: file)
    }
    let numbers = translation.tensors.reduce(0) { $0 + $1.numbers.count }
    guard numbers <= Limits.weights else {
      throw ONNXErrors.diagnostics(
        of: file, "its weights have \(numbers) numbers; \(Limits.weights) are the most")
    }
    let declared = network.content.ports.inputs
    let rule = network.content.training?.optimizer?.numbers.sorted { $0.key < $1.key } ?? []
    for (name, number) in rule {
      guard let range = Keys.ranges[name], !range.contains(number) else { continue }
      throw ONNXErrors.diagnostics(
        of: file,
        "the file \(quoted(ONNXFile.optimizerFile)) has a \(quoted(name)) of \(number); it is "
          + "\(written(range.lowerBound)) to \(written(range.upperBound))")
    }
    self.init(
      file: file,
      facts: NetworkFacts(
        files: files, bound: symbols + network.content.fixed, pairs: translation.pairs,
        note: network.content.note, open: nil, originals: network.content.originals,
        outputTypes: network.content.outputTypes,
        droppedPrewarm: network.content.droppedPrewarm),
      description: translation.description, prewarm: translation.prewarm,
      inputs: translation.inputs.map { input in
        let type = declared.first { $0.name == input.name }?.type ?? .float32
        return (input.name, type, input.shape.map { .number($0) })
      }, parameters: network.parameters,
      graph: translation.lines.map {
        Definition(name: $0.name, namePlace: .start, expression: JSONString($0.expression, madeAt: .start))
      },
      weights: translation.tensors.map {
        Weight(name: $0.name, place: .start, source: .numbers(shape: $0.shape, $0.numbers))
      }, outputs: translation.outputs)
    take(notes: network.content.notes)
    training = network.content.training.flatMap { Training($0, translation, extents: extents) }
  }

  private init(
    file: String, facts: NetworkFacts, description: String = "", prewarm: Int = 0,
    inputs: [(name: String, type: DeclaredType, axes: [ShapeEntry.Extent])], parameters: [Parameter],
    graph: [Definition] = [], weights: [Weight] = [], outputs: [String]
  ) {
    let description = printable(description, limit: 1024)
    self.init(
      file: file, version: Self.supportedVersion, name: Self.name(ofFile: file), clock: .step,
      sampleRate: nil,
      prewarm: prewarm, description: description.isEmpty ? nil : description, author: nil, license: nil,
      inputs: inputs.map { input in
        Input(
          name: input.name, place: .start, shape: input.axes.map { ShapeEntry(extent: $0, place: .start) },
          type: input.type, description: nil)
      },
      parameters: parameters, graph: graph, weights: weights, weightsFile: nil,
      outputs: outputs.map { Output(name: $0, place: .start) }, presets: [], levels: Levels(), capture: nil,
      network: facts)
  }
}

extension ModelDocument.Training {
  /// The training that ONNX Runtime's files say; nil where their loss is not read.
  fileprivate init?(_ stated: ONNXTraining, _ network: ONNXTranslation, extents: [String: Int]) {
    guard !stated.trainable.isEmpty, let function = stated.loss, let target = stated.target,
      let output = network.outputs.first
    else { return nil }
    func number(_ axis: ONNXFile.Input.Axis) -> Int {
      switch axis {
      case .number(let number): number
      case .symbol(let name): extents[name] ?? 1
      }
    }
    targets = [
      .init(
        name: target.name,
        shape: target.axes.map { .init(extent: .number(number($0)), place: .start) })
    ]
    loss = .init(name: "loss", expression: "\(function)(\(output), \(target.name))", place: .start)
    // Weights that are read along other axes have another name.
    trainable = network.tensors.map(\.name).filter { name in
      stated.trainable.contains { name == $0 || name == $0.transposedName }
    }
    optimizer = stated.optimizer.flatMap { stated in
      Optimizer.Rule(rawValue: stated.rule).map {
        .init(rule: $0, numbers: stated.numbers, isNesterov: false, schedule: nil)
      }
    }
  }
}

extension ONNXErrors {
  fileprivate func diagnostics(of file: String) -> Diagnostics {
    Diagnostics(all.map { Diagnostic(file: file, place: nil, message: $0.message) })
  }

  fileprivate static func diagnostics(of file: String, _ message: String) -> Diagnostics {
    Diagnostics([Diagnostic(file: file, place: nil, message: message)])
  }
}
