// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A graph for several examples at once: each input, and whatever depends on one, has one more axis in front.
  ///
  ///     x [64] ──▶ dense ──▶ y [10]          x [32, 64] ──▶ dense ──▶ y [32, 10]
  ///
  /// Inputs that are the same for all, such as weights that learn, are named; what is remembered is each example's own.
  /// A graph that warms up has been through `startingCold`.
  ///
  /// - Throws: `TypingError` where weights of a layer are computed from an example, or one is held or goes around.
  package func batched(by count: Int, sharing names: Set<String> = []) throws(TypingError) -> Graph {
    precondition(count >= 1, "a batch has examples")
    let source = canonical()
    let start = source.nodes.filter { node in
      if case .input(let port) = node.op.given { !names.contains(source.inputs[port].name) } else { false }
    }
    let has = source.dependents(of: start.map(\.result))
    var lifting = LeadingAxis(source, extent: count, has: has, in: source.emptyAssembler(clock: clock))
    lifting.declareGiven { port in
      let shape = port.type.shape
      return names.contains(port.name) ? shape : Shape([count] + shape.fixed, frames: shape.frames)
    }
    try lifting.applyNodes()
    for output in source.outputs {
      lifting.assembler.output(output.name, try lifting.lifted(output.value))
    }
    var result = lifting.assembler.finished()
    result.warmUp(steps: source.prewarm)
    return result
  }

  /// Warms up for so many steps, all values as they are: each begins with the first step already.
  mutating func warmUp(steps: Int) {
    prewarm = steps
    if steps > 0 { origins.warmed = Set(nodes.map(\.result)) }
  }

  /// Which values depend on an input, as those of an example do; by their rows.
  ///
  /// - Parameter others: the names of inputs that do not count.
  package func dependentsOfInputs(besides others: [String] = []) -> [Bool] {
    dependents(
      of: nodes.filter { node in
        if case .input(let port) = node.op { !others.contains(inputs[port].name) } else { false }
      }.map(\.result))
  }

  /// The numbers of the largest array that depends on an input.
  ///
  /// - Parameter others: the names of inputs that do not count.
  package func largestArray(besides others: [String] = []) -> Int {
    let varies = dependentsOfInputs(besides: others)
    return values.indices.reduce(0) { varies[$1] ? max($0, values[$1].type.shape.count) : $0 }
  }

  /// Which values depend on some others, themselves among them; by their rows.
  func dependents(of start: [ValueID]) -> [Bool] {
    var users = [[ValueID]](repeating: [], count: values.count)
    for node in nodes {
      for operand in node.operands { users[Int(operand.index)].append(node.result) }
    }
    var (found, left) = ([Bool](repeating: false, count: values.count), start)
    for value in start { found[Int(value.index)] = true }
    while let value = left.popLast() {
      for user in users[Int(value.index)] where !found[Int(user.index)] {
        found[Int(user.index)] = true
        left.append(user)
      }
    }
    return found
  }

  /// The beginning of a graph of the same name.
  func emptyAssembler(clock: Clock) -> GraphAssembler {
    GraphAssembler(name: name, clock: clock, sampleRate: sampleRate)
  }
}
