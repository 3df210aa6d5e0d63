// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The Swift of a model of steps: inputs that are set or predicted from, outputs, labels, state.
struct StepInterfaceText {
  private let interface: ModelInterface
  /// All inputs, and those that are not outputs of the step before.
  private var allInputs: [Port] = []
  private var inputs: [Port] = []
  private var outputs: [Port] = []
  private(set) var states: [(name: SwiftName, state: State)] = []

  /// Something that is remembered; of an input that is an output of the step before, with the name of that.
  struct State {
    let name: String
    let shape: [Int]
    var output: String?
  }

  /// A port with what Swift calls it.
  private struct Port {
    let index: Int
    let name: SwiftName
    /// As the model's file calls it.
    let declared: String
    let shape: [Int]
    let summary: String
    var image: ImageForm?
    var labels: Labels?

    var isNumber: Bool { shape.isEmpty }
    /// How many rows of labels there are.
    var rows: Int { shape.dropLast().reduce(1, *) }
    /// "Which way it moves: [50, 6]."
    var words: String {
      let extent = isNumber ? "A number." : "Shape \(shape)."
      return summary.isEmpty ? extent : summary + " " + extent
    }
  }

  /// The labels of an output: the name of their enumeration, that of the label which is taken, and the cases.
  private struct Labels {
    let type: String
    let member: SwiftName
    let cases: [(name: SwiftName, raw: String, label: String)]
  }

  init(_ interface: ModelInterface) {
    self.interface = interface
    let (model, layout) = (interface.model, interface.compilation.layout)
    // Members that are there without any port, and are called where ports are arguments.
    var scope = NameScope(["label", "labels", "output", "runner", "set", "step"])
    allInputs = zip(layout.inputs, model.inputs).enumerated().map { index, pair in
      Port(
        index: index, name: scope.name(pair.0.name, or: "input"), declared: pair.0.name, shape: pair.0.shape,
        summary: SwiftText.sentence(pair.1.summary), image: interface.terms.forms[pair.0.name])
    }
    let labelled = layout.outputs.count { interface.labels[$0.name] != nil }
    outputs = layout.outputs.enumerated().map { index, port in
      var result = Port(
        index: index, name: scope.name(port.name, or: "output"), declared: port.name, shape: port.shape,
        summary: "")
      if let labels = interface.labels[port.name] {
        let member =
          labelled > 1
          ? scope.name(result.name.plain + " label", or: "label") : SwiftName("label", or: "label")
        result.labels = Labels(type: member.capital, member: member, cases: Self.cases(labels))
      }
      return result
    }
    var remembered = NameScope()
    let delayed = interface.compilation.states.map { State(name: $0.name, shape: $0.shape) }
    let stated = model.listening?.states ?? [:]
    var carried = model.carriedInputs(stated).compactMap { pair -> State? in
      guard let shape = layout.inputs.first(where: { $0.name == pair.input })?.shape,
        layout.outputs.contains(where: { $0.name == pair.output && $0.shape == shape }),
        !delayed.contains(where: { $0.name == pair.input })
      else { return nil }
      return State(name: pair.input, shape: shape, output: pair.output)
    }
    // Names alone take no model its last input: `audioIn` and `audioOut` may be the sound of an effect.
    if carried.count == allInputs.count { carried.removeAll { stated[$0.name] == nil } }
    inputs = allInputs.filter { port in !carried.contains { $0.name == port.declared } }
    states = (carried + delayed).map { (remembered.name($0.name, or: "state"), $0) }
  }

  /// A case for each label; of equal labels, the later ones have their position as a part of the raw value.
  private static func cases(_ labels: [String]) -> [(name: SwiftName, raw: String, label: String)] {
    var scope = NameScope(["all", "allCases", "largest", "position"])
    var raws: Set<String> = []
    return labels.enumerated().map { position, label in
      var raw = label
      while !raws.insert(raw).inserted { raw += " (\(position))" }
      return (scope.name(label, or: "label"), raw, label)
    }
  }

  func write(to text: inout SwiftText) {
    let type = interface.type
    text.doc(interface.heading)
    let name = SwiftName(type, or: "network").written
    let place = interface.places.resource == nil ? "from: .main" : ""
    text.doc("\n    var \(name) = try \(type)(\(place))")
    text.doc("    let output = try \(name).prediction(\(example))")
    text.doc(
      "\nIt has the memory for a step\(states.isEmpty ? "" : " and what is remembered"); one thread at a time uses it."
    )
    text.block("public struct \(type): ~Copyable, Sendable") { text in
      writeShapes(to: &text)
      text.line("private var runner: StepRunner")
      if !interface.parameters.isEmpty { text.line("public let parameters: Parameters") }
      writeInitializers(to: &text)
      writePrediction(to: &text)
      for port in inputs { write(input: port, to: &text) }
      text.member(
        "public mutating func step()", doc: "Runs one step of what was set; it neither allocates nor waits."
      ) {
        $0.line("runner.execute()")
      }
      writeOutput(to: &text)
      for port in outputs { write(output: port, to: &text) }
      writeState(to: &text)
      for port in outputs { writeLabels(of: port, to: &text) }
      interface.writeParameters(of: "runner", "StepRunner", to: &text)
    }
  }

  /// The arguments in the type's comment.
  private var example: String {
    inputs.map { "\($0.name.plain): \($0.name.written)" }.joined(separator: ", ")
  }

  private func writeShapes(to text: inout SwiftText) {
    for port in inputs + outputs where !port.isNumber {
      text.doc("The extents of the axes of `\(port.name.plain)`.")
      text.line("public static let \(port.name.plain)Shape = \(port.shape)")
    }
    for port in inputs {
      guard let image = port.image else { continue }
      text.doc("How a picture becomes `\(port.name.plain)`: \(image).")
      text.line("public static let \(port.name.plain)Form = \(image.swift)")
    }
    interface.writeAxes(to: &text)
    text.line()
  }

  private func writeInitializers(to text: inout SwiftText) {
    // Reading throws of the model only; a batch is a request.
    let throwing = interface.model.batch == nil ? "throws(ModelError)" : "throws"
    let doc =
      "\n\n- Throws: `ModelError` where it cannot be read, has become another one, or code cannot be made."
    interface.writeInitializers("", passing: "", throwing: throwing, doc: doc, to: &text)
    text.member("public init(contentsOf path: String) \(throwing)", doc: "Takes the model in a file." + doc) {
      text in
      text.line("let model = \(interface.reading)")
      for port in outputs {
        guard let labels = port.labels, interface.terms.labels[port.declared] == nil else { continue }
        let user = SwiftText.literal(interface.type)
        let given =
          labels.cases.allSatisfy { $0.raw == $0.label }
          ? "\(labels.type).allCases.map(\\.rawValue)" : "Self.\(port.name.plain)Names"
        text.line("try model.expect(labels: \(given), of: \(SwiftText.literal(port.declared)), for: \(user))")
      }
      text.line(
        "let compilation = try model.compilation(\(interface.extents.isEmpty ? "" : "extents: Self.axes"))")
      text.line("try compilation.expect(")
      func list(_ ports: [(String, [Int])]) -> String {
        ports.isEmpty
          ? "[:]" : "[\(ports.map { "\(SwiftText.literal($0.0)): \($0.1)" }.joined(separator: ", "))]"
      }
      text.line("  inputs: \(list(allInputs.map { ($0.declared, $0.shape) })),")
      text.line("  outputs: \(list(outputs.map { ($0.declared, $0.shape) })),")
      if !interface.parameters.isEmpty {
        text.line("  parameters: \(SwiftText.literal(interface.parameters.map(\.declared.name))),")
      }
      let delayed = states.map(\.state).filter { $0.output == nil }
      if !delayed.isEmpty { text.line("  states: \(list(delayed.map { ($0.name, $0.shape) })),") }
      text.line("  for: \(SwiftText.literal(interface.type)))")
      let pairs = states.map(\.state).compactMap { state in
        state.output.map { "\(SwiftText.literal(state.name)): \(SwiftText.literal($0))" }
      }
      let carrying = pairs.isEmpty ? "" : ", carrying: [\(pairs.joined(separator: ", "))]"
      text.line("runner = try StepRunner(compilation\(carrying))")
      if !interface.parameters.isEmpty { text.line("parameters = Parameters(runner)") }
    }
  }

  // MARK: Prediction

  private func writePrediction(to text: inout SwiftText) {
    let throwing = inputs.isEmpty ? "" : " throws(RequestError)"
    func write(_ kind: (Port) -> String, _ doc: String, throwing: String) {
      let parameters = inputs.map { "\($0.name.written): \(kind($0))" }.joined(separator: ", ")
      let shapes = inputs.map { "- Parameter \($0.name.plain): \($0.words)" }.joined(separator: "\n")
      let errors =
        throwing.isEmpty ? "" : "\n- Throws: where something has another shape; no step has been run then."
      text.member(
        "public mutating func prediction(\(parameters))\(throwing) -> Output",
        doc: doc + (shapes.isEmpty ? "" : "\n\n" + shapes) + errors
      ) { text in
        for port in inputs {
          let prefix = port.isNumber ? "" : "try "
          text.line("\(prefix)set(\(port.name.plain): \(port.name.written))")
        }
        text.line("step()")
        text.line("return output")
      }
    }
    let plain = inputs.allSatisfy(\.isNumber) ? "" : throwing
    write({ $0.isNumber ? "Float" : "Tensor" }, "Runs one step.", throwing: plain)
    guard !plain.isEmpty else { return }
    write(
      { $0.isNumber ? "Float" : "[Float]" }, "Runs one step, of arrays whose last axis runs fastest.",
      throwing: plain)
    guard inputs.contains(where: { $0.image != nil }) else { return }
    write(
      { $0.image != nil ? "ImageFile" : $0.isNumber ? "Float" : "Tensor" }, "Runs one step, of pictures.",
      throwing: " throws")
  }

  private func write(input port: Port, to text: inout SwiftText) {
    let (name, written) = (port.name.plain, port.name.written)
    guard !port.isNumber else {
      text.member(
        "public mutating func set(\(written): Float)",
        doc: "Sets what goes into steps from now on. \(port.words)"
      ) {
        $0.line("runner.withInput(\(port.index)) { $0[0] = \(written) }")
      }
      return
    }
    for kind in ["Tensor", "[Float]"] {
      text.member(
        "public mutating func set(\(written): \(kind)) throws(RequestError)",
        doc: "Sets what goes into steps from now on. \(port.words)"
      ) { $0.line("try runner.setInput(\(port.index), to: \(written))") }
    }
    if port.image != nil {
      text.member(
        "public mutating func set(\(written): ImageFile) throws",
        doc: "Sets what goes into steps from now on: a picture that is brought to the shape."
      ) {
        $0.line("try set(\(name): \(written).tensor(shape: Self.\(name)Shape, as: Self.\(name)Form))")
      }
    }
    text.member(
      "public mutating func with\(port.name.capital)(_ body: (inout MutableSpan<Float>) -> Void)",
      doc:
        "Lets what goes into steps be written where it is, the last axis fastest, without allocating. \(port.words)"
    ) { $0.line("runner.withInput(\(port.index), body)") }
  }

  // MARK: Outputs

  private func writeOutput(to text: inout SwiftText) {
    text.member("public var output: Output", doc: "The outputs of the last step.") { text in
      let fields = outputs.map { port in
        let value =
          port.isNumber ? "runner.withOutput(\(port.index)) { $0[0] }" : "runner.output(\(port.index))"
        return "\(port.name.plain): \(value)"
      }
      text.line("Output(")
      for (index, field) in fields.enumerated() {
        text.line("  \(field)\(index == fields.count - 1 ? ")" : ",")")
      }
    }
    text.member("public struct Output: Sendable", doc: "The outputs of a step.") { text in
      for port in outputs {
        text.doc(port.words)
        text.line("public let \(port.name.written): \(port.isNumber ? "Float" : "Tensor")")
      }
      for port in outputs {
        guard let labels = port.labels else { continue }
        let values = "\(port.name.written).values"
        if port.rows == 1 {
          text.member(
            "public var \(labels.member.written): \(labels.type)", doc: "The label of the largest number."
          ) {
            $0.line("\(labels.type).largest(\(values)[...])")
          }
          text.member(
            "public func \(port.name.written)(of label: \(labels.type)) -> Float",
            doc: "The number of a label."
          ) { $0.line("\(values)[label.position]") }
        } else {
          text.member(
            "public var \(labels.member.plain)s: [\(labels.type)]",
            doc: "The label of the largest number in each of \(port.rows) rows."
          ) {
            let count = labels.cases.count
            $0.line(
              "(0..<\(port.rows)).map { \(labels.type).largest(\(values)[$0 * \(count)..<($0 + 1) * \(count)]) }"
            )
          }
        }
      }
    }
  }

  private func write(output port: Port, to text: inout SwiftText) {
    text.member(
      "public func with\(port.name.capital)<Result>(_ body: (borrowing Span<Float>) -> Result) -> Result",
      doc:
        "Gives what the last step made where it is, the last axis fastest, without allocating. \(port.words)"
    ) { $0.line("runner.withOutput(\(port.index), body)") }
    guard let labels = port.labels, port.rows == 1 else { return }
    text.member(
      "public var \(labels.member.written): \(labels.type)",
      doc: "The label of the largest number that the last step made."
    ) { $0.line("\(labels.type).all[runner.largest(ofOutput: \(port.index))]") }
  }

  private func writeLabels(of port: Port, to text: inout SwiftText) {
    guard let labels = port.labels else { return }
    text.member(
      "public enum \(labels.type): String, CaseIterable, Sendable",
      doc:
        "The labels of the numbers of `\(port.name.plain)`, in their order; the raw values are as the model has them."
    ) { text in
      for (position, label) in labels.cases.enumerated() {
        if label.raw != label.label {
          text.doc("\(SwiftText.sentence(label.label)) Label \(position); an earlier one is called so, too.")
        }
        text.line(
          label.raw == label.name.plain
            ? "case \(label.name.written)" : "case \(label.name.written) = \(SwiftText.literal(label.raw))")
      }
      text.line()
      text.line("fileprivate static let all = allCases")
      text.member("public var position: Int", doc: "The position of its number.") {
        $0.line("Self.all.firstIndex(of: self)!")
      }
      text.line()
      text.block("fileprivate static func largest(_ numbers: ArraySlice<Float>) -> Self") { text in
        text.line("var (best, place) = (-Float.infinity, 0)")
        text.block("for (position, number) in numbers.enumerated() where number > best") {
          $0.line("(best, place) = (number, position)")
        }
        text.line("return all[place]")
      }
    }
    guard labels.cases.contains(where: { $0.raw != $0.label }) else { return }
    text.line()
    text.line("private static let \(port.name.plain)Names = [")
    for label in labels.cases { text.line("  \(SwiftText.literal(label.label)),") }
    text.line("]")
  }
}
