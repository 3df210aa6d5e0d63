// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A stream as a graph of steps, of which each is one block: what it remembers goes in, and comes out for the next block.
///
///     src [2, frames]                         src [2, 64], y_in [3, 2]
///     y = src + delay(y, 3)             ─▶    a cycle along 64 positions
///     output dst = y                          dst [2, 64], y_out [3, 2]
package struct BlockGraph: Sendable {
  package let graph: Graph
  /// Inputs that are outputs of the block before, zeros for the first one; frames in front, the oldest first.
  package let states: [(input: String, output: String)]

  /// - Throws: `TypingError` where a block by itself cannot be what the stream is.
  package init(_ stream: Graph, frames: Int) throws(TypingError) {
    try Self.check(stream, frames)
    var graph = try stream.bound(frames: frames, carryingState: true, countingPhases: true)
    states = graph.nameStates()
    let names = Set(states.flatMap { [$0.input, $0.output] })
    for (port, input) in stream.inputs.enumerated() where input.type.shape.frames != nil {
      graph.putFramesLast(ofInput: port)
    }
    for (port, output) in graph.outputs.enumerated() where !names.contains(output.name) {
      graph.putFramesLast(ofOutput: port)
    }
    graph.warmUp(steps: stream.prewarm / frames)
    self.graph = graph
  }

  private static func check(_ stream: Graph, _ frames: Int) throws(TypingError) {
    for node in stream.nodes {
      let row = node.op.row
      if row.position == .read {
        throw TypingError(
          "\(row.name) goes by the position in the stream, which a block by itself does not know")
      }
      if case .sampled(let period) = row.position, !frames.isMultiple(of: period) {
        throw TypingError(
          "it holds numbers for \(period) frames; a block has a multiple of \(period), not \(frames)")
      }
    }
    guard stream.prewarm.isMultiple(of: frames) else {
      throw TypingError(
        "it warms up for \(stream.prewarm) frames, which are no whole blocks of \(frames); choose a block that divides them"
      )
    }
  }
}

extension Graph {
  /// Calls what is carried from block to block as what is remembered: `state.0` becomes `y_in`, and `y_out`.
  fileprivate mutating func nameStates() -> [(input: String, output: String)] {
    var taken = Set(inputs.map(\.name) + outputs.map(\.name) + parameters.map(\.name))
    let reached = namesReached
    var states: [(input: String, output: String)] = []
    for port in outputs.indices where outputs[port].name == "state.\(states.count)" {
      let row = inputs.firstIndex { $0.name == outputs[port].name }!
      // What is left to the next block is the end of the past and the present.
      let whole = definition(of: outputs[port].value).operands[0]
      let present = definition(of: whole).operands.last!
      let word = name(of: present) ?? reached[present] ?? "state"
      var (name, count) = (word, 0)
      while taken.contains(name + "_in") || taken.contains(name + "_out") {
        count += 1
        name = "\(word)_\(count)"
      }
      (inputs[row].name, outputs[port].name) = (name + "_in", name + "_out")
      taken.formUnion([name + "_in", name + "_out"])
      states.append((name + "_in", name + "_out"))
    }
    return states
  }

  /// An input has its frames behind all other axes, and is transposed.
  fileprivate mutating func putFramesLast(ofInput port: Int) {
    let type = inputs[port].type
    let fixed = type.shape.fixed
    guard fixed.count > 1 else { return }
    let turned = TensorType(Shape(fixed.dropFirst() + [fixed[0]]))
    inputs[port].type = turned
    guard let node = nodeIDs.first(where: { self[$0].op == .input(port) }) else { return }
    let input = self[node].result
    values[Int(input.index)].type = turned
    let front = append(.transpose([fixed.count - 1] + (0..<fixed.count - 1)), [input], type: type)
    for id in nodeIDs.dropLast() { self[id].operands = self[id].operands.map { $0 == input ? front : $0 } }
    for index in outputs.indices where outputs[index].value == input { outputs[index].value = front }
  }

  /// An output has its frames behind all other axes.
  fileprivate mutating func putFramesLast(ofOutput port: Int) {
    let value = outputs[port].value
    let fixed = shape(of: value).fixed
    guard fixed.count > 1 else { return }
    let type = TensorType(Shape(fixed.dropFirst() + [fixed[0]]))
    outputs[port].value = append(.transpose(Array(1..<fixed.count) + [0]), [value], type: type)
  }
}
