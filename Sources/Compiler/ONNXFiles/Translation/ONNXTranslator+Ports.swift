// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXTranslator {
  /// The inputs with their shapes bound; those that have a value in the file are none.
  func inputs(of graph: ONNXGraph, _ scope: ONNXScope) -> [(ONNXPort, ONNXValue)] {
    var ports: [(ONNXPort, ONNXValue)] = []
    for port in graph.givenInputs {
      guard reserved[port.name] == nil else {
        report(ONNXError("two inputs are called \(quoted(port.name))"))
        continue
      }
      guard let element = port.element, element.kind != .unknown else {
        report(ONNXError("the input \(quoted(port.name)) is no tensor of numbers"))
        continue
      }
      guard let axes = port.shape else {
        report(
          ONNXError(
            "the input \(quoted(port.name)) has no shape; onnx.shape_inference, or who exports it, gives it one"
          ))
        continue
      }
      var shape: [Int] = []
      for (axis, extent) in axes.enumerated() {
        guard let symbol = port.symbol(axis) else {
          if case .number(let number) = extent { shape.append(Int(clamping: number)) }
          continue
        }
        if let number = extents[symbol] { shape.append(number) }
      }
      guard shape.count == axes.count else {
        report(ONNXError("the input \(quoted(port.name)) has axes without numbers"))
        continue
      }
      // Of an input without numbers all is known.
      if shape.numbers == 0, shape.count <= Limits.rank {
        scope[port.name] = .value(ONNXValue(ONNXConstant(element, shape, .doubles([]))))
        continue
      }
      do throws(ONNXError) {
        try ONNXCall.check(shape)
      } catch {
        report(ONNXError("the input \(quoted(port.name)): \(error.message)"))
        continue
      }
      let name = writer.input(port.name, shape)
      reserved[port.name] = name
      ports.append((port, ONNXValue(element, shape, .named(name))))
    }
    return ports
  }

  /// The lines of inputs that are outputs of the step before: zero in the first one.
  ///
  ///     --state h:hn        h = reshape(delay(hn, 1), [2, 1, 64])
  func stateLines(_ ports: [(ONNXPort, ONNXValue)], _ scope: ONNXScope) -> [ONNXTranslation.Line] {
    var lines: [ONNXTranslation.Line] = []
    for (port, value) in ports where delays[port.name] == nil {
      guard let output = states[port.name], let name = reserved[output] else { continue }
      let shape = shape(of: output, in: scope)
      guard shape == value.shape else {
        report(
          ONNXError(
            "the input \(quoted(port.name)), \(value.shape), cannot be the output \(quoted(output)) of the step before, "
              + "which is \(shape ?? [])"))
        continue
      }
      lines.append(
        .init(name: reserved[port.name]!, expression: "reshape(delay(\(name), 1), \(value.shape))"))
    }
    return lines
  }

  /// Inputs and outputs of one shape, of a file that does not note itself what is remembered.
  func pairs(_ ports: [(ONNXPort, ONNXValue)], _ scope: ONNXScope) -> [String] {
    guard hidden.isEmpty else { return [] }
    return ports.flatMap { port, value in
      model.graph.outputs.map(\.name).filter {
        !states.values.contains($0) && shape(of: $0, in: scope) == value.shape
      }.map { "\(port.name):\($0)" }
    }
  }

  private func shape(of output: String, in scope: ONNXScope) -> [Int]? {
    do throws(ONNXError) { return try value(output, in: scope)?.shape } catch { return nil }
  }

  /// The lines that the outputs are; a value that is none of its own becomes one.
  func outputs(of graph: ONNXGraph, _ scope: ONNXScope) -> [String] {
    if graph.outputs.isEmpty { report(ONNXError("it has no outputs")) }
    var outputs: [String] = []
    for output in graph.outputs where !moved.contains(output.name) {
      guard let name = reserved[output.name], !outputs.contains(name) else {
        report(ONNXError("two outputs are called \(quoted(output.name))"))
        continue
      }
      do throws(ONNXError) {
        guard let value = try value(output.name, in: scope) else { continue }
        // An input, or what has another name or none, gets a line of its own.
        if case .named(name) = value.content {
        } else {
          var call = call(ONNXNode(op: "Identity", outputs: [output.name]), [value], in: scope)
          call.checksIntegers = false
          try ONNXCall.check(value.shape)
          try writer.write(name, try call.text(value).unbracketed, value.shape)
        }
        outputs.append(name)
      } catch {
        report(ONNXError("the output \(quoted(output.name)): \(error.message)"))
      }
    }
    return outputs
  }
}
