// SPDX-License-Identifier: Apache-2.0

extension ElaborationPass {
  /// Elaborates cycles until the types around them are settled.
  ///
  /// The type of a value that is used before it is defined is not known at first: nothing is assumed of it, what
  /// follows is inferred, and the cycle is elaborated again with what has been learnt, until nothing changes. Shapes
  /// only grow from round to round, so that few do. What does not fit a type that is still assumed is no error; a
  /// last round over settled types says what is.
  mutating func settle(_ cycle: [Int]) {
    let beginning = mark
    isExploring = true
    for round in 0... {
      for row in cycle { define(row) }
      let types = learntTypes(from: beginning)
      guard round < mostRounds, types.contains(where: { assumed[$0.key] != $0.value }) else { break }
      // What did not fit was learnt before: it stays assumed, and the last round says why it does not fit.
      assumed.merge(types) { $1 }
      forget(cycle, from: beginning)
    }
    isExploring = false
    if doubts > 0 {
      forget(cycle, from: beginning)
      signalsAround = signals(into: cycle)
      for row in cycle { define(row) }
      signalsAround = []
    }
    learnt.merge(learntTypes(from: beginning)) { $1 }
  }

  /// Up to three signals that feed a cycle, in the order of the file, while nothing of it is defined.
  private func signals(into cycle: [Int]) -> [String] {
    var names: [String] = []
    for definition in cycle.sorted().map({ source.definitions[$0] }) {
      for name in definition.expression.names where names.count < 3 && !names.contains(name) {
        guard case .value(let value) = scope[definition.scope.values + name],
          let shape = assembler.shape(of: value), shape.frames != nil || !shape.fixed.isEmpty
        else { continue }
        if assembler.graph.definition(of: value).op.isParameter { continue }
        names.append(name)
      }
    }
    return names
  }

  /// A note on a shape in an error that comes from elsewhere: around a cycle.
  func cycleNote(on error: TypingError, _ operands: [ValueID]) -> String {
    guard !signalsAround.isEmpty,
      let shape = operands.first(where: assembler.isProvisional).flatMap(assembler.shape),
      error.description.contains(shape.description)
    else { return "" }
    let signals = signalsAround.map(quoted).joined(separator: ", ")
    return "; \(shape) comes around a cycle that reads \(signals)"
  }

  /// The inferred types of values that were used before they were defined.
  private func learntTypes(from beginning: Mark) -> [String: TensorType] {
    var types: [String: TensorType] = [:]
    for name in forwardNames[beginning.forwards...] {
      guard case .value(let value) = scope[name], let type = assembler.type(of: value) else { continue }
      types[name] = type
    }
    return types
  }

  /// A position of the pass, to return to.
  private struct Mark {
    var values: GraphAssembler.Mark
    var forwards: Int
    var errors: ElaborationErrors
    var symbols: [String: [String: Int]]
    var isFull: Bool
  }

  private var mark: Mark {
    Mark(
      values: assembler.mark, forwards: forwardNames.count, errors: errors, symbols: symbols, isFull: isFull)
  }

  /// Undoes the definitions of a cycle, back to a mark.
  private mutating func forget(_ cycle: [Int], from beginning: Mark) {
    for row in cycle {
      scope[source.definitions[row].name] = nil
      forwards[source.definitions[row].name] = nil
    }
    forwardNames.removeSubrange(beginning.forwards...)
    assembler.forget(from: beginning.values)
    (errors, symbols, isFull, doubts) = (beginning.errors, beginning.symbols, beginning.isFull, 0)
  }
}
