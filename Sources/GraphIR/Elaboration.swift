// SPDX-License-Identifier: Apache-2.0

extension ModelSource {
  /// The graph that the source describes; everything that is wrong with it is thrown at once.
  ///
  /// Names may be used before they are defined, around cycles too. The type of such a value is not known yet when it
  /// is first used: elaboration assumes nothing, infers what follows, and goes again with what it has learnt until
  /// nothing changes. Shapes only grow from pass to pass, so that few passes do. What does not fit a type that is
  /// still assumed is no error; a last pass over settled types says what is.
  ///
  /// - Parameter given: types of values that are stated beforehand; elaboration begins with them.
  package func elaborated(assuming given: [String: TensorType] = [:]) throws(ElaborationErrors) -> Graph {
    let count = definitions.reduce(0) { $0 + $1.expression.terms.count }
    guard count <= Limits.terms else {
      let message = "the expressions have \(count) terms in all; \(Limits.terms) are the most"
      throw ElaborationErrors(all: [.init(part: .definition(0), message: message)])
    }
    var assumed = given
    var pass = ElaborationPass(self, assuming: assumed, exploring: true)
    pass.run()
    // A model of many terms has fewer passes, so that the time is bounded.
    for _ in 0..<max(8, min(64, (1 << 21) / max(1, count))) {
      // What did not fit was learnt before: it stays assumed, and the last pass says why it does not fit.
      let learnt = assumed.merging(pass.learnt) { $1 }
      guard learnt != assumed else { break }
      assumed = learnt
      pass = ElaborationPass(self, assuming: assumed, exploring: true)
      pass.run()
    }
    if pass.doubts > 0 {
      pass = ElaborationPass(self, assuming: assumed, exploring: false)
      pass.run()
    }
    return try finish(pass, assumed: assumed)
  }

  private func finish(
    _ pass: ElaborationPass, assumed: [String: TensorType]
  ) throws(ElaborationErrors) -> Graph {
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
        return pass.forwards[name] != nil && pass.learnt[name] != assumed[name]
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
    return finished
  }

  /// "'a' makes", "'a', 'b' make".
  private static func make(_ names: [String]) -> String {
    let shown = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
    return "\(shown)\(rest) make\(names.count == 1 ? "s" : "")"
  }

  /// Names that are reserved, taken twice, or none.
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
