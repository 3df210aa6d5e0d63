// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension Composer {
  /// An expression with a value's name in place of each use of a model, whose parts are added on the way.
  ///
  /// - Returns: nil for the expression that is nothing but the use of a model without one value.
  mutating func inlining(
    _ calls: [ModelCall], of original: Expression, _ row: Int, in instance: Instance
  ) -> Expression? {
    let definition = family.members[instance.member].document.graph[row]
    var expression = original
    for (index, term) in original.terms.enumerated() {
      guard case .name(let name) = term.kind else { continue }
      let place = definition.expression.place(atCharacter: term.offset)
      if let other = replacement(of: name, at: place, in: instance) {
        expression.replace(index, with: other)
      }
    }
    // The call that is all of the definition has its name, as outputs are named by it; else the first one.
    let whole = calls.last.flatMap { $0.term == original.terms.count - 1 ? calls.count - 1 : nil }
    var number = 1
    for (position, call) in calls.enumerated() {
      let isWhole = position == whole
      var name = definition.name
      if position != whole ?? 0 {
        number += 1
        name += ".\(number)"
      }
      guard let value = use(call, as: name, in: expression, row, of: instance, isWhole: isWhole) else {
        return nil
      }
      expression.replace(call.term, with: value)
    }
    return expression.part(endingIn: expression.terms.count - 1)
  }

  /// Adds the model that a call names.
  ///
  /// - Returns: the name of its value in the scope of the instance; nil where it has several, which is fine.
  private mutating func use(
    _ call: ModelCall, as name: String, in expression: Expression, _ row: Int, of instance: Instance,
    isWhole: Bool
  ) -> String? {
    let text = family.members[instance.member].document.graph[row].expression
    func place(_ offset: Int) -> Place { text.place(atCharacter: offset) }
    guard let path = call.path else {
      report(
        "\(Function.modelName) takes the name of a file first, such as "
          + "\(Function.modelName)('cabinet.json', x)", at: place(call.pathOffset), in: instance)
      return unread(name, in: instance)
    }
    let callee = followsUses ? family.members[instance.member].use(path) : nil
    let line = place(call.offset)
    let file = family.members[instance.member].document.file
    var inner = Instance(
      member: callee ?? instance.member, prefix: "\(instance.prefix)\(name).",
      user: "\(file):\(line.line):\(line.column)",
      isLevelled: instance.isLevelled || family.gains[instance.member] != nil, isWarm: instance.isWarm)
    bind(call, to: callee, &inner, expression, row, of: instance)
    guard let callee else { return unread(name, in: instance) }
    let document = family.members[callee].document
    if document.boundClock != family.document.boundClock {
      let (its, own) = (document.boundClock, family.document.boundClock)
      report(
        "\(quoted(document.name)) has the clock '\(its.rawValue)', and this model '\(own.rawValue)'; "
          + "models of one clock go together", at: place(call.pathOffset), in: instance)
      for output in document.outputs { result.unread.insert(inner.prefix + output.name) }
      return unread(name, in: instance)
    }
    add(inner)
    let outputs = outputNames(of: inner)
    if outputs.count == 1 {
      _ = level([inner.prefix + outputs[0]], of: inner)
      let value = "\(name).\(outputs[0])"
      return hasGain(callee, in: instance) ? Self.levelled(value) : value
    }
    guard !isWhole else { return nil }
    let list = outputs.map { quoted($0) }.joined(separator: ", ")
    report(
      "\(quoted(document.name)) has the outputs \(list); let a definition be the call alone, such as "
        + "\"parts\", and write parts.\(outputs.first ?? "")", at: line, in: instance)
    return unread(name, in: instance)
  }

  /// The values that leave a model; says which of them are none.
  mutating func outputNames(of instance: Instance) -> [String] {
    let document = family.members[instance.member].document
    return document.outputs.map { output in
      if let message = family.flaw(ofOutput: output.name, of: instance.member) {
        report(message, at: output.place, in: instance)
        return unread(output.name, in: instance)
      }
      return output.name
    }
  }

  /// Lets the arguments of a call be the inputs and parameters of the model that it names; each is looked at, so that
  /// no error hides another.
  private mutating func bind(
    _ call: ModelCall, to callee: Int?, _ inner: inout Instance, _ expression: Expression, _ row: Int,
    of instance: Instance
  ) {
    let text = family.members[instance.member].document.graph[row].expression
    let document = callee.map { family.members[$0].document }
    var given: Set<String> = []
    for (position, argument) in call.arguments.enumerated() {
      let part = expression.part(endingIn: argument.term)
      let place = text.place(atCharacter: argument.offset)
      // An argument that goes nowhere may have errors of its own.
      var (name, demand): (String, Demand?) = ("0.\(position)", nil)
      if let document {
        switch slot(for: argument, position, of: document, inner) {
        case .success(let slot) where given.insert(slot.name).inserted: (name, demand) = slot
        case .success(let slot): report("\(quoted(slot.name)) is given twice", at: place, in: instance)
        case .failure(let refusal): report(refusal.message, at: place, in: instance)
        }
      }
      if case .parameter = demand { inner.bound.insert(name) }
      append(part, inner.prefix + name, row, of: instance, demand: demand)
    }
    guard let document else { return }
    for input in document.inputs where !given.contains(input.name) {
      report(
        "the input \(quoted(input.name)) of \(quoted(document.name)) is missing",
        at: text.place(atCharacter: call.offset), in: instance)
      result.unread.insert(inner.prefix + input.name)
    }
  }

  private func slot(
    for argument: Expression.Argument, _ position: Int, of document: ModelDocument, _ inner: Instance
  ) -> Result<(name: String, demand: Demand?), ModelFile.Refusal> {
    let inputs = document.inputs.map(\.name)
    guard let label = argument.label else {
      guard position < inputs.count else {
        let list = inputs.isEmpty ? "none" : inputs.map { quoted($0) }.joined(separator: ", ")
        return .failure(
          .init(
            "one argument too many; the inputs of \(quoted(document.name)) are \(list), and parameters go by name"
          ))
      }
      return .success((inputs[position], demand(document.inputs[position], of: document, inner.prefix)))
    }
    if let input = document.inputs.first(where: { $0.name == label }) {
      return .success((label, demand(input, of: document, inner.prefix)))
    }
    if let parameter = document.parameters.first(where: { $0.name == label }) {
      return .success((label, .parameter(name: label, range: parameter.minimum...parameter.maximum)))
    }
    let known = inputs + document.parameters.map(\.name)
    return .failure(
      .init(
        "\(quoted(document.name)) has no such argument: "
          + unknown("input or parameter", label, among: known)))
  }

  /// The demand of an input on what goes in.
  func demand(
    _ input: ModelDocument.Input, of document: ModelDocument, _ prefix: String,
    remedy: String = "slice(…) and sum(…, axis: 0) make fewer channels, concatenate([…]) more"
  ) -> Demand {
    let symbols = input.shape.map(\.extent)
    return .input(
      PortDemand(
        model: document.name, input: input.name, instance: prefix,
        extents: symbols.compactMap { extent in
          switch extent {
          case .number(let number): .number(number)
          case .symbol("frames"): nil
          case .symbol(let name): .symbol(name)
          }
        }, hasFrames: symbols.contains(.symbol("frames")), remedy: remedy))
  }
}
