// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// The graph that a model file describes; everything that is wrong with it is thrown at once, in the order of
  /// the text.
  ///
  /// - Parameters:
  ///   - extents: How long the axes are that the model names, such as `["channels": 2]`; `document.symbols` lists them.
  ///   - sampleRate: Frames per second.
  package init(
    importing document: ModelDocument, extents: [String: Int] = [:], sampleRate: Double
  ) throws(Diagnostics) {
    var importer = Importer(document, extents: extents, sampleRate: sampleRate)
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

/// Turns a model document into a graph, collecting what is wrong with it.
///
///     ports ─▶ extents bound      expressions ─▶ terms      both ─▶ elaboration ─▶ Graph ─▶ Verifier
///
/// An entry that cannot be read does not hide what is wrong with the others: it counts as failed, and who uses it is
/// not reported on top of it.
struct Importer {
  let document: ModelDocument
  /// Nil while it is not known yet what the extents and the sample rate are.
  let extents: [String: Int]?
  var source: ModelSource
  var diagnostics: DiagnosticCollection
  private let readsInputs: Bool
  /// Where the rows of the source stand in the document.
  private var definitionRows: [Int] = []
  private var inputRows: [Int] = []

  init(_ document: ModelDocument, extents: [String: Int], sampleRate: Double) {
    self.document = document
    self.extents = extents
    readsInputs = true
    source = ModelSource(name: document.name, clock: document.boundClock, sampleRate: sampleRate)
    diagnostics = DiagnosticCollection(file: document.file)
  }

  /// Looks for what is wrong with a document besides its unread parts, whatever it will be bound to.
  ///
  /// - Parameter readsInputs: whether the shapes of inputs mean what they say.
  init(
    _ document: ModelDocument, without unread: UnreadParts, besides diagnostics: DiagnosticCollection,
    readsInputs: Bool
  ) {
    self.document = document
    self.readsInputs = readsInputs
    self.diagnostics = diagnostics
    extents = nil
    source = ModelSource(name: document.name, clock: document.boundClock, sampleRate: 48_000)
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
    readInputs()
    readParameters()
    readDefinitions()
    source.weights = document.weights.map { Weights(name: $0.name, shape: $0.shape, values: $0.values) }
    source.outputs = document.outputs.map { ($0.name, $0.name) }
    let graph: Graph
    do throws(ElaborationErrors) {
      graph = try source.elaborated()
    } catch {
      for error in error.all { diagnostics.report(error.message, at: place(of: error.part)) }
      diagnostics.omit(error.omitted)
      check(outputs: error.outputShapes)
      return nil
    }
    let shapes = graph.outputs.map { graph.shape(of: $0.value) }
    check(outputs: Dictionary(uniqueKeysWithValues: zip(shapes.indices, shapes)))
    check(graph)
    return diagnostics.isEmpty ? graph : nil
  }

  // MARK: Parts

  private mutating func readInputs() {
    for (row, input) in document.inputs.enumerated() {
      if readsInputs, let shape = shape(of: input) {
        source.inputs.append(InputPort(name: input.name, type: TensorType(shape)))
        inputRows.append(row)
      } else {
        source.unread.values.insert(input.name)
      }
    }
  }

  private mutating func readParameters() {
    for parameter in document.parameters { source.parameters.append(declaration(of: parameter)) }
  }

  private mutating func readDefinitions() {
    for (row, definition) in document.graph.enumerated() {
      let text = definition.expression
      do throws(ExpressionError) {
        let expression = try Expression(parsing: text.text)
        guard !source.unread.values.contains(definition.name) else { continue }
        source.definitions.append(
          .init(
            name: definition.name, expression: expression, place: text.place(atCharacter: 0),
            placeOfCharacter: { text.place(atCharacter: $0) }))
        definitionRows.append(row)
      } catch {
        diagnostics.report(error.message, at: text.place(atCharacter: error.offset))
        source.unread.values.insert(definition.name)
      }
    }
  }

  private func place(of part: ElaborationError.Part) -> Place {
    switch part {
    case .expression(let row, let offset):
      document.graph[definitionRows[row]].expression.place(atCharacter: offset)
    case .definition(let row): document.graph[definitionRows[row]].namePlace
    case .input(let row): document.inputs[inputRows[row]].place
    case .parameter(let row): document.parameters[row].place
    case .weights(let row): document.weights[row].place
    case .output(let row): document.outputs[row].place
    }
  }

  // MARK: The result

  /// Says which outputs of a stream stand still.
  private mutating func check(outputs: [Int: Shape]) {
    guard source.clock == .stream, readsInputs else { return }
    for (output, shape) in outputs.sorted(by: { $0.key < $1.key }) where shape.frames == nil {
      let output = document.outputs[output]
      diagnostics.report(
        "the output \(quoted(output.name)) of a stream needs the axis 'frames', it is \(shape); compute it "
          + "from an input, or write \"clock\": \"step\"", at: output.place)
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
    guard diagnostics.isEmpty else { return }
    for violation in Verifier.violations(in: graph) {
      let place = violation.node.flatMap { graph.origins.places[graph[$0].result] }
      diagnostics.report(violation.message, at: place ?? document.graph.first?.namePlace ?? .start)
    }
  }
}
