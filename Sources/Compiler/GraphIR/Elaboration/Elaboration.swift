// SPDX-License-Identifier: Apache-2.0

extension ModelSource {
  /// The graph of the source; all errors in it are thrown at once.
  ///
  /// Names may be used before they are defined, around cycles too. What is around no cycle is elaborated behind
  /// those values that it names; the types around one cycle are settled before those of the next one that reads it.
  ///
  /// - Parameter given: types of values that are stated beforehand; elaboration begins with them.
  package func elaborated(assuming given: [String: TensorType] = [:]) throws(ElaborationErrors) -> Graph {
    let count = definitions.reduce(0) { $0 + $1.expression.terms.count }
    guard count <= Limits.terms else {
      let message = "the expressions have \(count) terms in all; \(Limits.terms) are the most"
      throw ElaborationErrors(all: [.init(part: .definition(0), message: message)])
    }
    var pass = ElaborationPass(self, assuming: given, terms: count)
    pass.run()
    return try finish(pass)
  }

  private func finish(_ pass: ElaborationPass) throws(ElaborationErrors) -> Graph {
    var errors = pass.errors
    errors.all = wrongNames() + errors.all
    func report(_ row: Int, _ message: String) {
      errors.all.append(.init(part: .definition(row), message: message))
    }
    let rows = Dictionary(
      definitions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in pass.forwardNames where !pass.hasFailed(name) {
      if !pass.assembler.isBound(pass.forwards[name]!) {
        report(rows[name]!, "'\(name)' is defined as itself")
      }
    }
    let graph = pass.assembler.connected()
    for (cycle, flaw) in graph.meaninglessCycles() {
      let names = cycle.compactMap { graph.origins.names[graph[$0].result] }
      let members = names.compactMap { rows[$0] }.sorted()
      report(members.first ?? 0, "\(Self.make(members.map { definitions[$0].name })) \(flaw)")
    }
    // What could not be read hides types, too.
    guard unread.isEmpty else { throw errors }
    if errors.all.isEmpty,
      let row = definitions.indices.first(where: {
        let name = definitions[$0].name
        return pass.forwards[name] != nil && pass.learnt[name] != pass.assumed[name]
      })
    {
      report(row, "the shape of '\(definitions[row].name)' grows each time around its cycle and has no end")
    }
    // One error can hide many types; they are missed only where nothing else is wrong.
    if errors.all.isEmpty {
      for name in pass.forwardNames where pass.learnt[name] == nil {
        report(rows[name]!, "the shape of '\(name)' cannot be inferred: nothing around its cycle says it")
      }
    }
    guard errors.all.isEmpty else { throw errors }
    var finished = pass.assembler.finished()
    finished.latency = latency
    finished.prewarm = prewarm
    return finished
  }

  /// "'a' makes", "'a', 'b' make".
  private static func make(_ names: [String]) -> String {
    let shown = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
    return "\(shown)\(rest) make\(names.count == 1 ? "s" : "")"
  }

  /// Errors of names that are reserved, taken twice, or invalid.
  private func wrongNames() -> [ElaborationError] {
    var errors: [ElaborationError] = []
    var taken: [String: String] = [:]
    func check(_ name: String, _ kind: String, _ part: ElaborationError.Part) {
      if !name.isQualifiedName {
        errors.append(
          .init(part: part, message: "'\(name)' is not a name: a letter, then letters, digits and '_'"))
      } else if Function.reservedNames.contains(name) {
        errors.append(.init(part: part, message: "'\(name)' is reserved; choose another name"))
      } else if Function.byName[name] != nil || name == Function.modelName {
        errors.append(.init(part: part, message: "'\(name)' is a function; choose another name"))
      } else if let other = taken.updateValue(kind, forKey: name) {
        errors.append(.init(part: part, message: "'\(name)' is already the name of \(other)"))
      }
    }
    for (index, input) in inputs.enumerated() { check(input.name, "an input", .input(index)) }
    for (index, parameter) in parameters.enumerated() {
      check(parameter.name, "a parameter", .parameter(index))
    }
    for (index, definition) in definitions.enumerated() {
      check(definition.name, "a value", .definition(index))
    }
    var known: Set<String> = []
    for (index, array) in weights.enumerated() where !known.insert(array.name).inserted {
      errors.append(.init(part: .weights(index), message: "two weights are called \(quoted(array.name))"))
    }
    return errors
  }
}
