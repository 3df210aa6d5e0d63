// SPDX-License-Identifier: Apache-2.0

package import GraphIR
import JSONReading

extension Graph {
  /// The graph that a model file describes by itself; everything that is wrong with it is thrown at once, in the order
  /// of the text.
  ///
  /// - Parameters:
  ///   - extents: How long the axes are that the model names, such as `["channels": 2]`; `document.symbols` lists them.
  ///   - sampleRate: Frames per second.
  package init(
    importing document: ModelDocument, extents: [String: Int] = [:], sampleRate: Double
  ) throws(Diagnostics) {
    let family = ModelFamily(document, identity: Array(document.file.utf8), reader: .none)
    try self.init(importing: ComposedModel(family), extents: extents, sampleRate: sampleRate)
  }

  /// The graph of models that are put together.
  ///
  /// - Parameter sampleRate: nil for the models' own, or 48000 where they are for any.
  package init(
    importing model: ComposedModel, extents: [String: Int] = [:], sampleRate: Double?
  ) throws(Diagnostics) {
    var importer = Importer(
      model, extents: extents, sampleRate: try model.family.sampleRate(asked: sampleRate))
    guard let graph = importer.graph() else { throw importer.diagnostics.sorted }
    self = graph
  }
}

extension ModelDocument {
  /// The names that stand for extents in the shapes of inputs, each once, in the order of the text.
  ///
  /// Whoever imports the model says what they are; `frames` and `sampleRate` are known.
  package var symbols: [String] {
    var symbols: [String] = []
    for entry in inputs.flatMap(\.shape) {
      guard case .symbol(let name) = entry.extent, !Function.reservedNames.contains(name),
        !symbols.contains(name)
      else { continue }
      symbols.append(name)
    }
    return symbols
  }
}

/// Turns a model into a graph, collecting what is wrong with it.
///
///     ports ─▶ extents bound      composition ─▶ definitions      both ─▶ elaboration ─▶ Graph ─▶ Verifier
///
/// An entry that cannot be read does not hide what is wrong with the others: it counts as failed, and who uses it is
/// not reported on top of it.
struct Importer {
  let family: ModelFamily
  private(set) var composition: Composition
  /// Nil while it is not known yet what the extents and the sample rate are.
  let extents: [String: Int]?
  var source: ModelSource
  var diagnostics: DiagnosticCollection
  private let readsInputs: Bool
  /// The values in place of the document's inputs where the model is a part of another one.
  private var arguments: [InputPort]?
  /// The place where the model is used whose inputs are being read.
  var user: String?
  /// The positions of the source's rows in the document, or in the composition.
  private var definitionRows: [Int] = []
  private var inputRows: [Int] = []
  var weightRows: [Int] = []

  private var document: ModelDocument { family.document }

  init(_ model: ComposedModel, extents: [String: Int], sampleRate: Double) {
    (family, composition) = (model.family, model.composition)
    self.extents = extents
    readsInputs = true
    let document = family.document
    source = ModelSource(name: model.name, clock: document.boundClock, sampleRate: sampleRate)
    diagnostics = DiagnosticCollection(file: document.file)
  }

  /// Reads a model as a part of another one: its inputs are definitions that name arguments.
  init(
    _ model: ComposedModel, _ composition: Composition, arguments: [InputPort], sampleRate: Double
  ) {
    self.init(model, extents: [:], sampleRate: sampleRate)
    self.composition = composition
    self.arguments = arguments
  }

  /// Looks for what is wrong with a model besides its unread parts, whatever it will be bound to.
  ///
  /// - Parameter readsInputs: whether the shapes of inputs mean what they say.
  init(
    _ model: ComposedModel, without unread: UnreadParts, besides diagnostics: DiagnosticCollection,
    readsInputs: Bool
  ) {
    (family, composition) = (model.family, model.composition)
    self.readsInputs = readsInputs
    self.diagnostics = diagnostics
    extents = nil
    source = ModelSource(name: model.name, clock: family.document.boundClock, sampleRate: 48_000)
    source.unread = unread
    // Who computes with it gets a number that is not known yet.
    source.unread.values.insert("sampleRate")
  }

  /// The graph; nil after it has been said what is wrong.
  mutating func graph() -> Graph? {
    guard source.sampleRate > 0, source.sampleRate.isFinite else {
      diagnostics.report(
        "the sample rate must be a number above 0; it is \(written(source.sampleRate))", at: nil)
      return nil
    }
    for mistake in composition.mistakes + composition.unreadable {
      diagnostics.report(
        mistake.message, at: mistake.place, user: mistake.user, culprit: mistake.culprit)
    }
    readInputs()
    for (member, other) in family.members.enumerated() where member != family.stages[0] {
      // Those of another clock are refused as a whole.
      if other.document.boundClock == source.clock { checkInputs(of: member) }
    }
    source.unread.values.formUnion(composition.unread)
    source.unread.weights.formUnion(composition.unreadWeights)
    if composition.hidesWeights { source.unread.hidesWeights = true }
    source.parameters = composition.parameters.map { declaration(of: $0) }
    readDefinitions()
    readWeights()
    source.outputs = composition.outputs.map { ($0.name, $0.value) }
    source.prewarm = composition.prewarm
    var graph: Graph
    do throws(ElaborationErrors) {
      graph = try source.elaborated()
    } catch {
      for error in error.all {
        let (place, user) = place(of: error.part)
        diagnostics.report(error.message, at: place, user: user)
      }
      diagnostics.omit(error.omitted)
      check(outputs: error.outputShapes)
      return nil
    }
    for (row, parameter) in composition.parameters.enumerated() {
      graph.origins.parameters[row] = parameter.declared.place.inFile(parameter.file)
    }
    let shapes = graph.outputs.map { graph.shape(of: $0.value) }
    // What a part has to be for others, the whole decides.
    checkWarming(of: graph)
    if arguments == nil {
      if graph.prewarm <= Limits.prewarm { graph = graph.startingCold() }
      check(outputs: Dictionary(uniqueKeysWithValues: zip(shapes.indices, shapes)))
      checkLabels(shapes)
      check(graph)
    }
    return diagnostics.isEmpty ? graph : nil
  }

  // MARK: Parts

  private mutating func readInputs() {
    if let arguments {
      source.inputs = arguments
      return checkInputs(of: family.stages[0])
    }
    for (row, input) in document.inputs.enumerated() {
      if readsInputs, let shape = shape(of: input) {
        source.inputs.append(InputPort(name: input.name, type: TensorType(shape)))
        inputRows.append(row)
      } else {
        source.unread.values.insert(input.name)
      }
    }
  }

  private mutating func readDefinitions() {
    for (row, definition) in composition.definitions.enumerated() {
      guard !source.unread.values.contains(definition.name) else { continue }
      var part = ModelSource.Definition(
        name: definition.name, expression: definition.expression, place: definition.place,
        scope: definition.scope, demand: definition.demand.map(bound), isWarm: definition.isWarm)
      if let text = definition.text {
        let file = definition.place.file
        part.place = text.place(atCharacter: 0).inFile(file)
        part.placeOfCharacter = { text.place(atCharacter: $0).inFile(file) }
      }
      source.definitions.append(part)
      definitionRows.append(row)
    }
  }

  private func place(of part: ElaborationError.Part) -> (Place, user: String?) {
    switch part {
    case .expression(let row, let offset):
      let definition = composition.definitions[definitionRows[row]]
      let place = definition.text?.place(atCharacter: offset).inFile(definition.place.file)
      return (place ?? definition.place, definition.user)
    case .definition(let row):
      let definition = composition.definitions[definitionRows[row]]
      return (definition.place, definition.user)
    case .input(let row):
      return (inputRows.indices.contains(row) ? document.inputs[inputRows[row]].place : .start, nil)
    case .parameter(let row):
      let parameter = composition.parameters[row]
      return (parameter.declared.place.inFile(parameter.file), nil)
    case .weights(let row):
      let weights = composition.weights[weightRows[row]]
      return (weights.loaded.place.inFile(weights.file), nil)
    case .output(let row): return (composition.outputs[row].place, nil)
    }
  }

  // MARK: The result

  /// Says which outputs of a stream are constant.
  private mutating func check(outputs: [Int: Shape]) {
    guard source.clock == .stream, readsInputs else { return }
    for (output, shape) in outputs.sorted(by: { $0.key < $1.key }) where shape.frames == nil {
      let output = composition.outputs[output]
      diagnostics.report(
        "the output \(quoted(output.name)) of a stream needs the axis 'frames', it is \(shape); compute it "
          + "from an input, or write \"clock\": \"step\"", at: output.place)
    }
  }

  /// Says which labels are not as many as there are numbers for them.
  private mutating func checkLabels(_ shapes: [Shape]) {
    for ((output, labels), shape) in zip(zip(composition.outputs, family.labels), shapes) {
      guard let labels, labels.count != shape.fixed.last else { continue }
      diagnostics.report(
        "the output \(quoted(output.name)) has \(counted(labels.count, "label")), and its shape is \(shape); there is a "
          + "label for each number along the last axis", at: output.place)
    }
  }

  /// Says what a graph that was elaborated without errors still cannot be.
  private mutating func check(_ graph: Graph) {
    if graph.stateBytes > Limits.stateBytes {
      let largest = graph.nodes.max { graph.stateBytes(of: $0) < graph.stateBytes(of: $1) }!
      diagnostics.report(
        "delays and histories keep \(graph.stateBytes) bytes, \(graph.stateBytes(of: largest)) of them here; "
          + "\(Limits.stateBytes) are the most", at: graph.origins.places[largest.result])
    }
    checkRows(of: graph)
    guard diagnostics.isEmpty else { return }
    for violation in Verifier.violations(in: graph) {
      let place = violation.node.flatMap { graph.origins.places[graph[$0].result] }
      diagnostics.report(violation.message, at: place ?? document.graph.first?.namePlace ?? .start)
    }
  }

  /// Says where silence runs through models for longer than anybody waits.
  private mutating func checkWarming(of graph: Graph) {
    guard let problem = graph.warmingProblem else { return }
    diagnostics.report(problem, at: document.graph.first?.namePlace ?? .start)
  }

  /// Says where a stream has more rows than there is memory for wherever it runs.
  private mutating func checkRows(of graph: Graph) {
    guard source.clock == .stream else { return }
    let inputs = graph.inputs.enumerated().map { row, input in
      ("the input \(quoted(input.name))", input.type.shape, document.inputs[inputRows[row]].place as Place?)
    }
    let outputs = zip(graph.outputs, composition.outputs).map { output, named in
      ("the output \(quoted(output.name))", graph.shape(of: output.value), named.place)
    }
    for ports in [inputs, outputs] {
      var rows = 0
      for (name, shape, place) in ports {
        rows += shape.count
        guard rows > Limits.rows else { continue }
        let others = rows == shape.count ? "" : ", \(rows) with those before it"
        diagnostics.report(
          "\(name) has \(shape.count) rows\(others); \(Limits.rows) are the most", at: place)
        break
      }
    }
  }
}
