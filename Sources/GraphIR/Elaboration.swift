// SPDX-License-Identifier: Apache-2.0

extension ModelSource {
  /// The graph that the source describes.
  ///
  /// Names may be used before they are defined, around cycles too. The type of such a value is not known yet when it
  /// is first used: elaboration infers what follows from what it assumes, and goes again with what it has learnt
  /// until nothing changes. Shapes only grow from pass to pass, so that few passes do. What is wrong counts once
  /// there is nothing more to learn: an assumption may have been to blame.
  ///
  /// - Parameter assumed: types of definitions that are known beforehand.
  package func elaborated(assuming assumed: [String: TensorType] = [:]) throws(ElaborationErrors) -> Graph {
    let misnamed = wrongNames()
    guard misnamed.isEmpty else { throw ElaborationErrors(all: misnamed) }
    var assumed = assumed
    for _ in 0..<Self.maximumPasses {
      var pass = ElaborationPass(self, assuming: assumed)
      pass.run()
      guard pass.learnt != assumed else {
        guard pass.errors.isEmpty else { throw ElaborationErrors(all: pass.errors) }
        return try finish(pass)
      }
      assumed = pass.learnt
    }
    let name = assumed.keys.min() ?? ""
    throw ElaborationErrors(all: [
      error(at: name, "the shape of '\(name)' grows each time around its cycle and has no end")
    ])
  }

  private static let maximumPasses = 64

  private func finish(_ pass: ElaborationPass) throws(ElaborationErrors) -> Graph {
    for name in pass.forwardNames {
      guard pass.assembler.isBound(pass.forwards[name]!) else {
        throw ElaborationErrors(all: [error(at: name, "'\(name)' is defined as itself")])
      }
      guard pass.learnt[name] != nil else {
        throw ElaborationErrors(all: [
          error(at: name, "the shape of '\(name)' cannot be inferred: nothing around its cycle says it")
        ])
      }
    }
    let graph = pass.assembler.finished()
    if let cycle = graph.illegalCycle() {
      let names = cycle.compactMap { graph.origins.names[graph[$0].result] }.sorted()
      let index = definitions.firstIndex { names.contains($0.name) }
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      throw ElaborationErrors(all: [
        error(
          at: index.map { definitions[$0].name } ?? "",
          "\(list) make\(names.count == 1 ? "s" : "") a cycle without a delay; put delay(…, 1) into it")
      ])
    }
    return graph
  }

  private func error(at name: String, _ message: String) -> ElaborationError {
    let index = definitions.firstIndex { $0.name == name } ?? 0
    return ElaborationError(part: .definition(index), message: message)
  }

  /// Names that are reserved, taken twice, or none.
  private func wrongNames() -> [ElaborationError] {
    var errors: [ElaborationError] = []
    var taken: [String: String] = [:]
    func check(_ name: String, _ kind: String, _ part: ElaborationError.Part) {
      if !name.isName {
        errors.append(
          .init(part: part, message: "'\(name)' is not a name: a letter, then letters, digits and '_'"))
      } else if Function.reservedNames.contains(name) {
        errors.append(.init(part: part, message: "'\(name)' is reserved; choose another name"))
      } else if Function.byName[name] != nil {
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
    return errors
  }
}
