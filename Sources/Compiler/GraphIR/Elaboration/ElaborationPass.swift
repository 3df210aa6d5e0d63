// SPDX-License-Identifier: Apache-2.0

/// One walk over all definitions of a model source.
struct ElaborationPass {
  /// The result of a term.
  enum Item {
    case constant(Double)
    case value(ValueID)
    case text(String)
    case list([Item])
    /// An error, which has been reported.
    case failed
  }

  let source: ModelSource
  var assembler: GraphAssembler
  var errors = ElaborationErrors(all: [])
  /// Values that are used before they are defined, by name.
  var forwards: [String: ValueID] = [:]
  var forwardNames: [String] = []
  /// The inferred types of those values.
  var learnt: [String: TensorType] = [:]
  /// The types that they were last assumed to have.
  var assumed: [String: TensorType]
  /// Whether the assumed types may still turn out to be others.
  var isExploring = false
  /// The number of misfits with assumed types, which are no errors while exploring.
  var doubts = 0
  /// The signals that go into the cycle whose types are settled and do not fit.
  var signalsAround: [String] = []
  /// A model of many terms has fewer rounds around each cycle, so that the time is bounded.
  let mostRounds: Int
  private let definitionRows: [String: Int]
  var scope: [String: Item] = [:]
  private var weights: [String: Item] = [:]
  /// The names of the arrays of recurrent modules, by the module's.
  private(set) var modules: [String: [String]] = [:]
  private(set) var current = 0
  /// The scope of the present expression's names.
  private(set) var scoping = ModelSource.Scope()
  /// The symbolic extents of models within the model, by instance.
  var symbols: [String: [String: Int]] = [:]
  /// The offset of each node in the present expression, from `firstNode` on.
  private var offsets: [Int] = []
  private var firstNode = 0
  var isFull = false
  /// Names that may still be compared for "did you mean": a model full of wrong names takes linear time.
  private var comparisons = 1 << 17

  /// More errors are only counted.
  static let maximumErrors = 1024

  /// - Parameter terms: How many terms all definitions have together.
  init(_ source: ModelSource, assuming assumed: [String: TensorType], terms: Int) {
    self.source = source
    self.assumed = assumed
    mostRounds = max(8, min(64, (1 << 21) / max(1, terms)))
    definitionRows = Dictionary(
      source.definitions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    assembler = GraphAssembler(name: source.name, clock: source.clock, sampleRate: source.sampleRate)
  }

  mutating func run() {
    for (index, input) in source.inputs.enumerated() {
      let isGood = check(input.type.shape, "input '\(input.name)'", .input(index))
      scope[input.name] = isGood ? .value(assembler.input(input)) : .failed
    }
    for parameter in source.parameters { scope[parameter.name] = .value(assembler.parameter(parameter)) }
    for name in source.unread.values { scope[name] = .failed }
    for (index, array) in source.weights.enumerated() {
      let isGood = check(Shape(array.shape), "weights \(quoted(array.name))", .weights(index))
      weights[array.name] = isGood ? .value(assembler.weights(array)) : .failed
    }
    for name in source.unread.weights { weights[name] = .failed }
    for name in weights.keys {
      if let module = RecurrentModule.module(of: name) { modules[module, default: []].append(name) }
    }
    for component in source.components(definitionRows) {
      if component.isCycle { settle(component.rows) } else { define(component.rows[0]) }
    }
    scoping = .init()
    for (index, output) in source.outputs.enumerated() { show(output, index) }
  }

  func hasFailed(_ name: String) -> Bool {
    switch scope[name] {
    case .failed, nil: true
    case .constant, .value, .text, .list: false
    }
  }

  private mutating func check(_ shape: Shape, _ what: String, _ part: ElaborationError.Part) -> Bool {
    guard let flaw = shape.flaw else { return true }
    report(part, "\(what) \(flaw)")
    return false
  }

  // MARK: Definitions

  mutating func define(_ row: Int) {
    let definition = source.definitions[row]
    guard !isFull else {
      scope[definition.name] = .failed
      return
    }
    current = row
    scoping = definition.scope
    firstNode = assembler.graph.nodes.count
    offsets.removeAll(keepingCapacity: true)
    var items: [Item] = []
    items.reserveCapacity(definition.expression.terms.count)
    for term in definition.expression.terms {
      items.append(isFull ? .failed : item(term, items))
      noteOffset(term.offset)
    }
    var result = items.last ?? .failed
    switch result {
    case .value, .constant, .failed: break
    case .text: result = value(result, at: 0).map { .value($0) } ?? .failed
    case .list: result = fail(0, "a list is not a value; concatenate([…]) makes one of it")
    }
    if let demand = definition.demand { result = meet(demand, result) }
    if let forward = forwards[definition.name] {
      // Around a cycle a number is a value like any other.
      result = value(result, at: 0).map { .value($0) } ?? .failed
      noteOffset(0)
      if case .value(let value) = result { assembler.bind(forward, to: value) }
    }
    scope[definition.name] = result
    if case .value(let value) = result { assembler.name(value, definition.name, at: definition.place) }
    placeNodes(of: definition)
    if definition.isWarm { assembler.warm(from: firstNode) }
  }

  private mutating func noteOffset(_ offset: Int) {
    while firstNode + offsets.count < assembler.graph.nodes.count { offsets.append(offset) }
  }

  private mutating func placeNodes(of definition: ModelSource.Definition) {
    guard let place = definition.placeOfCharacter else { return }
    for (index, offset) in offsets.enumerated() {
      assembler.place(ValueID(firstNode + index), at: place(offset))
    }
  }

  private mutating func show(_ output: (name: String, value: String), _ index: Int) {
    switch scope[output.value] {
    case .value(let value):
      assembler.output(output.name, value)
      if !assembler.isProvisional(value) { errors.outputShapes[index] = assembler.shape(of: value) }
    case .constant(let number):
      guard Float(number).isFinite else {
        report(.output(index), "the output '\(output.name)' is \(written(number)), which no float holds")
        return
      }
      assembler.output(output.name, assembler.literal(Float(number)))
      errors.outputShapes[index] = .scalar
    case .failed, .text, .list: break
    case nil where source.unread.hidesValues: break
    case nil:
      let message = unknown(output.value, .output)
      report(.output(index), message)
    }
  }

  // MARK: Terms

  private mutating func item(_ term: Expression.Term, _ items: [Item]) -> Item {
    switch term.kind {
    case .number(let number):
      return .constant(number)
    case .string(let text):
      return .text(text)
    case .list(let rows):
      return .list(rows.map { items[$0] })
    case .name(let name):
      return named(name, at: term.offset)
    case .negation(let row):
      if case .constant(let number) = items[row] { return .constant(-number) }
      return apply(.unary(.negate), [items[row]], at: term.offset)
    case .binary(let op, let left, let right):
      if source.foldsConstants, case .constant(let a) = items[left], case .constant(let b) = items[right] {
        return .constant(op.evaluate(a, b))
      }
      return apply(.binary(op), [items[left], items[right]], at: term.offset)
    case .call(let name, let arguments):
      return call(name, arguments, items, at: term.offset)
    }
  }

  private mutating func named(_ name: String, at offset: Int) -> Item {
    let own = scoping.values + name
    if let item = scope[own] { return item }
    switch name {
    case "pi": return .constant(.pi)
    case "sampleRate": return .constant(source.sampleRate)
    case "frames": return fail(offset, "'frames' is the axis of time, not a value")
    default: break
    }
    if definitionRows[own] != nil {
      if let forward = forwards[own] { return .value(forward) }
      let forward = assembler.forward(assumed[own])
      forwards[own] = forward
      forwardNames.append(own)
      return .value(forward)
    }
    if Function.byName[name] != nil { return fail(offset, "'\(name)' is a function; write \(name)(…)") }
    if weights[scoping.weights + name] != nil {
      return fail(
        offset, "no value is called \(quoted(name)); weights stand in quotation marks: \"\(printable(name))\""
      )
    }
    guard !source.unread.hidesValues else { return .failed }
    if Function.choices.contains(name) {
      return fail(
        offset, "no value is called \(quoted(name)); this word stands in quotation marks: '\(name)'")
    }
    let message = unknown(name, .value)
    return fail(offset, message)
  }

  /// The names that the present expression can use: those of its own scope.
  private var valueNames: [String] {
    let all =
      source.definitions.map(\.name) + source.inputs.map(\.name) + source.parameters.map(\.name)
      + source.unread.values.sorted()
    return all.compactMap { $0.without(prefix: scoping.values) }.filter { !$0.contains(".") }
  }

  private mutating func apply(_ op: Op, _ items: [Item], at offset: Int) -> Item {
    guard let operands = values(items, at: offset) else { return .failed }
    do throws(TypingError) {
      return .value(try assembler.apply(op, operands))
    } catch {
      return misfit(error, operands, at: offset)
    }
  }

  private mutating func call(
    _ name: String, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Item {
    guard let function = Function.byName[name], name.isName else {
      guard name != Function.modelName else {
        return fail(offset, "a model within a model is for model files; here there are none to read")
      }
      let own = scoping.values + name
      guard scope[own] == nil, definitionRows[own] == nil else {
        return fail(offset, "\(quoted(name)) is a value, not a function; write '*' to multiply")
      }
      let message = unknown(name, .function)
      return fail(offset, message)
    }
    if source.foldsConstants, let folded = fold(name, arguments, items) { return folded }
    return layers(ofModuleIn: function, arguments, items, at: offset)
      ?? self.call(function, arguments, items, at: offset)
  }

  mutating func call(
    _ function: Function, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Item {
    guard let checked = check(function, arguments, items, at: offset) else { return .failed }
    do throws(TypingError) {
      return .value(try assembler.call(function, checked))
    } catch {
      return misfit(error, checked.values, at: offset)
    }
  }

  /// Whether there are weights of a name, as the present expression says it.
  func hasWeights(_ name: String) -> Bool { weights[scoping.weights + name] != nil }

  /// The value of a function of numbers.
  private func fold(_ name: String, _ arguments: [Expression.Argument], _ items: [Item]) -> Item? {
    guard arguments.count <= 2 else { return nil }
    var numbers: [Double] = []
    for argument in arguments {
      guard argument.label == nil, case .constant(let number) = items[argument.term] else { return nil }
      numbers.append(number)
    }
    if let op = UnaryOp(rawValue: name), numbers.count == 1 { return .constant(op.evaluate(numbers[0])) }
    if let op = BinaryOp(rawValue: name), numbers.count == 2 {
      return .constant(op.evaluate(numbers[0], numbers[1]))
    }
    return nil
  }

  /// The value of an item; nil after its error has been reported.
  mutating func value(_ item: Item, at offset: Int) -> ValueID? {
    switch item {
    case .value(let value):
      return value
    case .constant(let number):
      guard Float(number).isFinite else {
        _ = fail(offset, "the constant here is \(written(number)), which no float holds")
        return nil
      }
      return assembler.literal(Float(number))
    case .text(let name):
      if let item = weights[scoping.weights + name] { return value(item, at: offset) }
      let own = scoping.values + name
      if scope[own] != nil || definitionRows[own] != nil {
        _ = fail(
          offset,
          "there are no weights called \(quoted(name)); the value \(printable(name)) takes no quotation marks"
        )
      } else if !source.unread.hidesWeights {
        let message = unknown(name, .weights)
        _ = fail(offset, message)
      }
      return nil
    case .list:
      _ = fail(offset, "a list is not a value; concatenate([…]) makes one of it")
      return nil
    case .failed:
      return nil
    }
  }

  /// The values of items; all are evaluated, so that no error hides another.
  mutating func values(_ items: [Item], at offset: Int) -> [ValueID]? {
    var values: [ValueID] = []
    values.reserveCapacity(items.count)
    for item in items {
      if let value = value(item, at: offset) { values.append(value) }
    }
    return values.count == items.count ? values : nil
  }

  // MARK: Errors

  /// Operands that do not fit: an error, unless their types are not settled yet.
  mutating func misfit(_ error: TypingError, _ operands: [ValueID], at offset: Int) -> Item {
    if assembler.graph.nodes.count >= Limits.nodes {
      // Said once: whatever follows does not fit either.
      isFull = true
    } else if isExploring, operands.contains(where: assembler.isProvisional) {
      doubts += 1
      return .value(assembler.forward(nil))
    }
    return fail(offset, error.description + cycleNote(on: error, operands))
  }

  mutating func fail(_ offset: Int, _ message: String) -> Item {
    report(.expression(definition: current, offset: offset), message)
    return .failed
  }

  private mutating func report(_ part: ElaborationError.Part, _ message: String) {
    guard errors.all.count < Self.maximumErrors else {
      errors.omitted += 1
      return
    }
    errors.all.append(.init(part: part, message: message))
  }

  private enum Kind { case value, output, function, weights }

  /// Remedies by the names of functions that others have.
  private static let remedies = [
    "if": "a choice is written select(condition, a, b)",
    "l1": "the mean size of a difference is mae(x, target)",
    "cosine": "as a loss it is cosineDistance(x, target)",
  ]

  private mutating func unknown(_ name: String, _ kind: Kind) -> String {
    let sentence =
      switch kind {
      case .value, .output: "no value is called \(quoted(name))"
      case .function: "no function is called \(quoted(name))"
      case .weights: "there are no weights called \(quoted(name))"
      }
    if kind == .function, let remedy = Self.remedies[name] { return "\(sentence); \(remedy)" }
    guard comparisons > 0 else { return sentence }
    let known =
      switch kind {
      case .value: valueNames + ["sampleRate", "pi"]
      case .output: valueNames
      case .function: Function.all.map(\.name) + [Function.modelName]
      case .weights:
        (source.weights.map(\.name) + source.unread.weights.sorted())
          .compactMap { $0.without(prefix: scoping.weights) }
      }
    comparisons -= known.count
    return nearestName(to: name, among: known).map { "\(sentence); did you mean \(quoted($0))?" } ?? sentence
  }
}

extension String {
  /// The rest behind a beginning; nil where the string begins otherwise.
  func without(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
