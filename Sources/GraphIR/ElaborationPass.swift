// SPDX-License-Identifier: Apache-2.0

/// One walk over all definitions of a model source.
struct ElaborationPass {
  /// What a term turned out to be.
  enum Item {
    case constant(Double)
    case value(ValueID)
    case text(String)
    case list([Item])
    /// Something is wrong with it, and that has been said.
    case failed
  }

  let source: ModelSource
  private(set) var assembler: GraphAssembler
  private(set) var errors: [ElaborationError] = []
  /// Values that were used before they were defined, by name.
  private(set) var forwards: [String: ValueID] = [:]
  private(set) var forwardNames: [String] = []
  /// The types that those values turned out to have.
  private(set) var learnt: [String: TensorType] = [:]

  private let assumed: [String: TensorType]
  private let definitionRows: [String: Int]
  private var scope: [String: Item] = [:]
  private var weights: [String: ValueID] = [:]
  private var current = 0
  /// Whether a value is used whose type is unknown.
  private var isGuessing = false

  init(_ source: ModelSource, assuming assumed: [String: TensorType]) {
    self.source = source
    self.assumed = assumed
    definitionRows = Dictionary(
      source.definitions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    assembler = GraphAssembler(name: source.name, clock: source.clock, sampleRate: source.sampleRate)
  }

  mutating func run() {
    for input in source.inputs { scope[input.name] = .value(assembler.input(input.name, input.type)) }
    for parameter in source.parameters { scope[parameter.name] = .value(assembler.parameter(parameter)) }
    for array in source.weights { weights[array.name] = assembler.weights(array) }
    defineAll()
    for name in forwardNames {
      guard case .value(let value) = scope[name], let type = assembler.type(of: value) else { continue }
      learnt[name] = type
    }
    for (index, output) in source.outputs.enumerated() { show(output, index) }
  }

  // MARK: Definitions

  /// Elaborates every definition after those that it names, except around cycles.
  private mutating func defineAll() {
    enum Progress { case waiting, begun, done }
    var progress = [Progress](repeating: .waiting, count: source.definitions.count)
    for root in source.definitions.indices where progress[root] == .waiting {
      var stack = [root]
      while let row = stack.last {
        switch progress[row] {
        case .done:
          stack.removeLast()
        case .waiting:
          progress[row] = .begun
          for name in source.definitions[row].expression.names.reversed() {
            if let next = definitionRows[name], progress[next] == .waiting { stack.append(next) }
          }
        case .begun:
          stack.removeLast()
          define(row)
          progress[row] = .done
        }
      }
    }
  }

  private mutating func define(_ row: Int) {
    current = row
    let definition = source.definitions[row]
    var items: [Item] = []
    items.reserveCapacity(definition.expression.terms.count)
    for term in definition.expression.terms { items.append(item(term, items)) }
    var result = items.last ?? .failed
    switch result {
    case .value, .constant, .failed: break
    case .text: result = value(result, at: 0).map { .value($0) } ?? .failed
    case .list: result = fail(0, "a list is not a value; concatenate([…]) makes one of it")
    }
    if case .value(let value) = result { assembler.name(value, definition.name, at: definition.place) }
    scope[definition.name] = result
    if let forward = forwards[definition.name] {
      // A definition that failed is bound to a number: its users are not reported on top of it.
      let value = value(result, at: 0) ?? assembler.literal(0)
      scope[definition.name] = .value(value)
      assembler.bind(forward, to: value)
    }
  }

  private mutating func show(_ output: (name: String, value: String), _ index: Int) {
    switch scope[output.value] {
    case .value(let value): assembler.output(output.name, value)
    case .constant(let number): assembler.output(output.name, assembler.literal(Float(number)))
    case .failed, .text, .list: break
    case nil:
      let candidates = source.definitions.map(\.name) + source.inputs.map(\.name)
      errors.append(.init(part: .output(index), message: unknown(output.value, "value", among: candidates)))
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
    switch name {
    case "pi": return .constant(.pi)
    case "sampleRate": return .constant(source.sampleRate)
    case "frames": return fail(offset, "'frames' is the axis of time, not a value")
    default: break
    }
    if let item = scope[name] { return item }
    if definitionRows[name] != nil {
      if let forward = forwards[name] { return .value(forward) }
      let forward = assembler.forward(assumed[name])
      if assumed[name] == nil { isGuessing = true }
      forwards[name] = forward
      forwardNames.append(name)
      return .value(forward)
    }
    if Function.byName[name] != nil { return fail(offset, "'\(name)' is a function; write \(name)(…)") }
    return fail(offset, unknown(name, "value", among: visibleNames))
  }

  private var visibleNames: [String] {
    source.definitions.map(\.name) + source.inputs.map(\.name) + source.parameters.map(\.name)
      + ["sampleRate", "pi"]
  }

  private mutating func apply(_ op: Op, _ items: [Item], at offset: Int) -> Item {
    var operands: [ValueID] = []
    for item in items {
      guard let operand = value(item, at: offset) else { return .failed }
      operands.append(operand)
    }
    do throws(TypingError) {
      return .value(try assembler.apply(op, operands))
    } catch {
      return fail(offset, error)
    }
  }

  /// A type that does not fit. As long as types are unknown it may have been inferred from too little: the value then
  /// has any type, so that the others around its cycle can still say theirs.
  private mutating func fail(_ offset: Int, _ error: TypingError) -> Item {
    let failed = fail(offset, error.description)
    return isGuessing ? .value(assembler.forward(nil)) : failed
  }

  private mutating func call(
    _ name: String, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Item {
    guard let function = Function.byName[name], name.isName else {
      return fail(offset, unknown(name, "function", among: Function.all.map(\.name)))
    }
    if source.foldsConstants, let folded = fold(name, arguments.map { items[$0.term] }) { return folded }
    guard let checked = check(function, arguments, items, at: offset) else { return .failed }
    do throws(TypingError) {
      return .value(try function.build(&assembler, checked))
    } catch {
      return fail(offset, error)
    }
  }

  /// The value of a function of numbers.
  private func fold(_ name: String, _ items: [Item]) -> Item? {
    let numbers = items.compactMap { item in if case .constant(let number) = item { number } else { nil } }
    guard numbers.count == items.count else { return nil }
    if let op = UnaryOp(rawValue: name), numbers.count == 1 { return .constant(op.evaluate(numbers[0])) }
    if let op = BinaryOp(rawValue: name), numbers.count == 2 {
      return .constant(op.evaluate(numbers[0], numbers[1]))
    }
    return nil
  }

  // MARK: Arguments

  private mutating func check(
    _ function: Function, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Call? {
    var found: [String: Call.Argument] = [:]
    var failed = false
    for (position, argument) in arguments.enumerated() {
      guard let slot = slot(of: function, for: argument, position) else { return nil }
      guard found[slot.name] == nil else {
        _ = fail(argument.offset, "'\(slot.name)' is given twice")
        return nil
      }
      guard let value = self.argument(items[argument.term], slot, at: argument.offset) else {
        failed = true
        continue
      }
      found[slot.name] = value
    }
    guard !failed else { return nil }
    for slot in function.slots where found[slot.name] == nil {
      switch slot.standard {
      case .required:
        _ = fail(offset, "'\(slot.name)' is missing; the function is \(function.signature)")
        return nil
      case .absent: break
      case .integer(let value): found[slot.name] = .integer(value)
      case .number(let value): found[slot.name] = .number(value)
      case .choice(let value): found[slot.name] = .choice(value)
      }
    }
    return Call(found)
  }

  private mutating func slot(
    of function: Function, for argument: Expression.Argument, _ position: Int
  ) -> Function.Slot? {
    guard let label = argument.label else {
      guard position < function.slots.count else {
        _ = fail(argument.offset, "one argument too many; the function is \(function.signature)")
        return nil
      }
      return function.slots[position]
    }
    guard let slot = function.slots.first(where: { $0.name == label }) else {
      let names = function.slots.map(\.name)
      let hint = nearestName(to: label, among: names).map { "; did you mean '\($0)'?" }
      _ = fail(
        argument.offset,
        "\(function.name) takes no '\(label)'\(hint ?? "; the function is \(function.signature)")")
      return nil
    }
    return slot
  }

  private mutating func argument(_ item: Item, _ slot: Function.Slot, at offset: Int) -> Call.Argument? {
    if case .failed = item { return nil }
    switch slot.kind {
    case .value:
      return value(item, at: offset).map { .value($0) }
    case .values:
      guard case .list(let elements) = item else {
        _ = fail(offset, "'\(slot.name)' must be a list of values, such as [a, b]")
        return nil
      }
      var values: [ValueID] = []
      for element in elements {
        guard let value = value(element, at: offset) else { return nil }
        values.append(value)
      }
      return .values(values)
    case .integer:
      return integer(item, slot, at: offset).map { .integer($0) }
    case .integers:
      guard case .list(let elements) = item else {
        return integer(item, slot, at: offset).map { .integers([$0]) }
      }
      var integers: [Int] = []
      for element in elements {
        guard let integer = integer(element, slot, at: offset) else { return nil }
        integers.append(integer)
      }
      return .integers(integers)
    case .number:
      guard case .constant(let number) = item, Float(number).isFinite else {
        _ = fail(offset, "'\(slot.name)' must be a number that is known when the model is compiled")
        return nil
      }
      return .number(number)
    case .choice(let choices):
      guard case .text(let text) = item, choices.contains(text) else {
        let list = choices.map { "\"\($0)\"" }.joined(separator: ", ")
        _ = fail(offset, "'\(slot.name)' must be one of \(list)")
        return nil
      }
      return .choice(text)
    }
  }

  private mutating func integer(_ item: Item, _ slot: Function.Slot, at offset: Int) -> Int? {
    guard case .constant(let number) = item else {
      _ = fail(offset, "'\(slot.name)' must be a whole number that is known when the model is compiled")
      return nil
    }
    guard number.rounded() == number, Swift.abs(number) <= 0x1p53 else {
      _ = fail(offset, "'\(slot.name)' must be a whole number; it is \(number)")
      return nil
    }
    return Int(number)
  }

  private mutating func value(_ item: Item, at offset: Int) -> ValueID? {
    switch item {
    case .value(let value):
      return value
    case .constant(let number):
      guard Float(number).isFinite else {
        _ = fail(offset, "the constant here is \(number), which no float holds")
        return nil
      }
      return assembler.literal(Float(number))
    case .text(let name):
      if let value = weights[name] { return value }
      _ = fail(offset, unknown(name, "weights", among: source.weights.map(\.name)))
      return nil
    case .list:
      _ = fail(offset, "a list is not a value; concatenate([…]) makes one of it")
      return nil
    case .failed:
      return nil
    }
  }

  // MARK: Errors

  private mutating func fail(_ offset: Int, _ message: String) -> Item {
    errors.append(.init(part: .expression(definition: current, offset: offset), message: message))
    return .failed
  }

  private func unknown(_ name: String, _ kind: String, among names: [String]) -> String {
    let sentence =
      kind == "weights" ? "there are no weights called '\(name)'" : "no \(kind) is called '\(name)'"
    return nearestName(to: name, among: names).map { "\(sentence); did you mean '\($0)'?" } ?? sentence
  }
}
