// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The delay that a file of ours writes as a state: only single steps of the past are read, and all that becomes of it is
/// that it moves up.
///
///     Gather(y_in [3, …], 0)                              reshape(delay(y, 3), […])
///     Gather(y_in, 2)                                →    reshape(delay(y, 1), […])
///     y_out = Concat(Slice(y_in, 1, 3), Unsqueeze(y))
///
/// The same numbers: both begin with zeros. A past that somebody reads as a whole stays a state.
struct ONNXDelay {
  /// The value whose past it is, as the file calls it.
  let value: String
  let steps: Int
  /// The values that do nothing but move the past up.
  let moved: Set<String>
}

extension ONNXTranslator {
  /// The delays among the states, by their inputs.
  func delays(_ ports: [(ONNXPort, ONNXValue)]) -> [String: ONNXDelay] {
    guard !states.isEmpty else { return [:] }
    let graph = model.graph
    let tensors = Dictionary(graph.initializers.map { ($0.name, $0) }) { first, _ in first }
    var makers: [String: ONNXNode] = [:]
    var readers: [String: [ONNXNode]] = [:]
    for node in graph.nodes {
      for name in node.outputs { makers[name] = node }
      for name in Set(node.inputs) { readers[name, default: []].append(node) }
    }
    /// The only integer of an initializer along so many axes.
    func integer(_ name: String?, axes: Int) -> Int? {
      guard let tensor = name.flatMap({ tensors[$0] }), tensor.element == .int64,
        tensor.shape == Array(repeating: 1, count: axes)
      else { return nil }
      return (try? source.constant(tensor))?.integers.first.map { Int($0) }
    }
    func isStandard(_ node: ONNXNode?, _ op: String, inputs: Int) -> ONNXNode? {
      guard let node, node.domain.isEmpty, node.op == op, node.inputs.count == inputs, node.outputs.count == 1
      else { return nil }
      return node
    }
    /// The value that a row of the past is.
    func row(_ name: String) -> String? {
      guard let node = isStandard(makers[name], "Unsqueeze", inputs: 2),
        integer(node.inputs[1], axes: 1) == 0
      else { return nil }
      return node.inputs[0]
    }
    func delay(_ input: String, _ output: String, _ steps: Int) -> ONNXDelay? {
      var (value, moved, uses) = (row(output), Set([output]), 0)
      if let joined = isStandard(makers[output], "Concat", inputs: 2),
        joined.attributes["axis"].map({ if case .integer(0) = $0 { true } else { false } }) == true,
        let past = isStandard(makers[joined.inputs[0]], "Slice", inputs: 4), past.inputs[0] == input,
        integer(past.inputs[1], axes: 1) == 1, integer(past.inputs[2], axes: 1) == steps,
        integer(past.inputs[3], axes: 1) == 0
      {
        (value, moved, uses) = (row(joined.inputs[1]), Set([output] + joined.inputs), 1)
      }
      guard let value, states[value] == nil, steps == 1 || uses == 1,
        moved.allSatisfy({ mentions[$0] == 1 })
      else { return nil }
      for node in readers[input, default: []] where !node.outputs.contains(where: moved.contains) {
        guard let read = isStandard(node, "Gather", inputs: 2), read.inputs[0] == input,
          let place = integer(read.inputs[1], axes: 0), (0..<steps).contains(place),
          read.attributes["axis"].map({ if case .integer(0) = $0 { true } else { false } }) ?? true
        else { return nil }
        uses += 1
      }
      return mentions[input] == uses ? ONNXDelay(value: value, steps: steps, moved: moved) : nil
    }
    var delays: [String: ONNXDelay] = [:]
    for (port, value) in ports {
      guard let output = states[port.name], hidden.contains(output), let steps = value.shape.first else {
        continue
      }
      delays[port.name] = delay(port.name, output, steps)
    }
    // The others may be used before they are there, around a cycle.
    for value in delays.values.map(\.value).sorted() where reserved[value] == nil && makers[value] != nil {
      reserved[value] = writer.reserve(value)
    }
    return delays
  }

  /// A step of the past of a delay.
  func delayed(_ node: ONNXNode, _ delay: ONNXDelay, in scope: ONNXScope) throws(ONNXError) -> ONNXValue? {
    guard let past = try value(node.inputs[0], in: scope), let place = try value(node.inputs[1], in: scope)
    else { return nil }
    let call = call(node, [past, place], in: scope)
    let text: String
    if let name = reserved[delay.value] {
      text = name
    } else {
      guard let constant = try value(delay.value, in: scope) else { return nil }
      text = try call.text(constant).unbracketed
    }
    let index = try call.constant(1, "the index").integers[0]
    let shape = Array(past.shape.dropFirst())
    return .expression("reshape(delay(\(text), \(delay.steps - Int(index))), \(shape))", past.element, shape)
  }

  /// Writes the lines of what is delayed, where it has none of its own.
  func writeDelayed(_ ports: [(ONNXPort, ONNXValue)], _ scope: ONNXScope) {
    var written = Set(model.graph.outputs.map(\.name))
    for (port, past) in ports {
      guard let delay = delays[port.name] else { continue }
      do throws(ONNXError) {
        guard let value = try value(delay.value, in: scope) else { continue }
        guard value.shape == Array(past.shape.dropFirst()) else {
          throw ONNXError(
            "the state \(quoted(port.name)), \(past.shape), cannot hold \(quoted(delay.value)), which is \(value.shape)"
          )
        }
        guard let name = reserved[delay.value], written.insert(delay.value).inserted else { continue }
        if case .named(name) = value.content { continue }
        let call = call(ONNXNode(op: "Identity", outputs: [delay.value]), [value], in: scope)
        try writer.write(name, try call.text(value).unbracketed, value.shape)
      } catch {
        report(error)
      }
    }
  }
}
