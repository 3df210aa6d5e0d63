// SPDX-License-Identifier: Apache-2.0

extension Graph: CustomStringConvertible {
  /// The graph as text: what tests, dumps and golden files show.
  ///
  ///     graph "Bitcrusher" stream 48000
  ///     input src [2, frames]
  ///     parameter gain [frames] = 1 minimum 0.1 maximum 20 ramp 960 scale linear
  ///     weights "taps" [2] = [0.5, 0.25]
  ///     driven [2, frames] = src * gain
  ///     dst [2, frames] = tanh(driven)
  ///     output dst = dst
  ///
  /// One line a node, in the expressions of model files; what is given (inputs, parameters, weights, numbers)
  /// stands where it is used. Parsing gives the same graph.
  package var description: String { text() }

  /// The text, without the numbers of weights of some names: `weights "taps" [2]`. Who reads it has these from elsewhere.
  package func text(withoutNumbersOf left: Set<String> = []) -> String {
    var lines = ["graph \(marked(name)) \(clock.rawValue) \(number(sampleRate))"]
    if latency > 0 { lines[0] += " latency \(latency)" }
    if prewarm > 0 { lines[0] += " prewarm \(prewarm)" }
    for input in inputs {
      lines.append("input \(input.name)\(input.isArrayParameter ? " parameter" : "") \(input.type)")
    }
    for parameter in parameters { lines.append(line(parameter)) }
    for array in weights {
      guard !left.contains(array.name) else {
        lines.append("weights \(marked(array.name)) \(Shape(array.shape))")
        continue
      }
      let list = array.values.map { number($0) }.joined(separator: ", ")
      lines.append("weights \(marked(array.name)) \(Shape(array.shape)) = [\(list)]")
    }
    let names = printedNames()
    for node in nodes where !node.op.isLeaf {
      lines.append("\(names[node.result]!) \(self[node.result].type) = \(expression(node, names))")
    }
    for output in outputs {
      lines.append("output \(output.name)\(output.isApart ? " apart" : "") = \(names[output.value]!)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ parameter: ParameterDeclaration) -> String {
    var line = "parameter \(parameter.name) \(parameter.type(in: clock)) = \(number(parameter.initial))"
    line += " minimum \(number(parameter.minimum)) maximum \(number(parameter.maximum))"
    line += " ramp \(parameter.rampFrames) scale \(parameter.scale.rawValue)"
    if !parameter.unit.isEmpty { line += " unit \(marked(parameter.unit))" }
    if !parameter.summary.isEmpty { line += " summary \(marked(parameter.summary))" }
    return line
  }

  /// The name of each value: its own where it has one that is free, else `v` and a number.
  package func printedNames() -> [ValueID: String] {
    var names: [ValueID: String] = [:]
    var taken = Set(inputs.map(\.name) + parameters.map(\.name)).union(Function.byName.keys)
    taken.formUnion(Function.reservedNames.union([Function.modelName]))
    for node in nodes {
      switch node.op.given {
      case .input(let index): names[node.result] = inputs[index].name
      case .parameter(let index): names[node.result] = parameters[index].name
      case .weights(let id): names[node.result] = marked(self[id].name)
      case .literal(let value): names[node.result] = number(value)
      case nil:
        if let name = origins.names[node.result], name.isQualifiedName, taken.insert(name).inserted {
          names[node.result] = name
        }
      }
    }
    var counter = 0
    for node in nodes where names[node.result] == nil {
      repeat { counter += 1 } while !taken.insert("v\(counter)").inserted
      names[node.result] = "v\(counter)"
    }
    return names
  }

  /// The node as the expression of a model file, its operands by name.
  package func expression(_ node: Node, _ names: [ValueID: String]) -> String {
    let operands = node.operands.map { names[$0]! }
    func call(_ name: String, _ attributes: String...) -> String {
      "\(name)(\((operands + attributes).joined(separator: ", ")))"
    }
    func sum(_ name: String, _ axis: Int, _ ways: Int) -> String {
      ways == 1 ? call(name, "axis: \(axis)") : call(name, "axis: \(axis)", "ways: \(ways)")
    }
    switch node.op {
    case .input, .parameter, .weights, .literal: return names[node.result]!
    case .unary(let op): return call(op.rawValue)
    case .binary(let op):
      return op.isInfix ? "\(operands[0]) \(op.rawValue) \(operands[1])" : call(op.rawValue)
    case .select: return call("select")
    case .fma: return call("fma")
    case .slice(let axis, let start, let count):
      return call("slice", "axis: \(axis)", "start: \(start)", "count: \(count)")
    case .concatenate(let axis):
      return "concatenate([\(operands.joined(separator: ", "))], axis: \(axis))"
    case .reshape(let shape): return call("reshape", "shape: \(shape)")
    case .transpose(let order): return call("transpose", "order: \(order)")
    case .pad(let axis, let before, let after):
      return call("pad", "axis: \(axis)", "before: \(before)", "after: \(after)")
    case .broadcast(let shape): return call("broadcast", "shape: \(shape)")
    case .gather(let axis): return call("gather", "axis: \(axis)")
    case .window(let window):
      return call(
        "windows", "axis: \(window.axis)", "size: \(window.size)", "hop: \(window.hop)",
        "dilation: \(window.dilation)")
    case .shift(let axis, let by): return call("shifted", "axis: \(axis)", "by: \(by)")
    case .sum(let axis, let ways): return sum("sum", axis, ways)
    case .maximum(let axis): return call("maximum", "axis: \(axis)")
    case .dense(let axis, let ways): return sum("dense", axis, ways)
    case .convolution(let convolution):
      let axis =
        switch convolution.axis {
        case .frames: shape(of: node.operands[0]).fixed.count
        case .fixed(let axis): axis
        }
      func list(_ part: (Convolution.Walk) -> Int) -> String {
        let numbers = convolution.walks.map(part)
        return numbers.count == 1 ? "\(numbers[0])" : "\(numbers)"
      }
      return call(
        convolution.name, "axis: \(axis)", "dilation: \(list(\.dilation))", "stride: \(list(\.stride))",
        "groups: \(convolution.groups)",
        "padding: \(marked(convolution.axis == .frames ? "causal" : "valid"))")
    case .contraction(let ways): return ways == 1 ? call("contraction") : call("contraction", "ways: \(ways)")
    case .delay(let count): return call("delay", "frames: \(count)")
    case .tap(let tap):
      return "delay(\(operands[0]), by: \(operands[1]), minimum: \(tap.minimum), maximum: \(tap.maximum), "
        + "interpolation: \(marked(tap.interpolation.rawValue)))"
    case .lookahead(let count): return call("lookahead", "frames: \(count)")
    case .control: return call("control")
    case .phasor: return call("phasor")
    case .noise(let seed): return call("noise", "seed: \(seed)")
    }
  }
}

extension Op {
  /// The operator that an expression writes between its operands; nil for what is written otherwise.
  private var infix: BinaryOp? {
    switch elementwise {
    case .binary(let op): op.isInfix ? op : nil
    case .unary, .select, .fma, nil: nil
    }
  }

  /// The expression of an operand as it stands in that of its user: in brackets where it would be read in another order
  /// without them. Comparisons do not chain.
  ///
  ///     a + b     as the first operand of  - c     a + b - c
  ///     a + b     as the second operand of c -     c - (a + b)
  ///
  /// - Parameter isFirst: whether it is the first operand, and that only.
  package func operandText(_ text: String, in user: Op, isFirst: Bool) -> String {
    guard let inner = infix, let outer = user.infix else { return text }
    let (own, users) = (inner.precedence, outer.precedence)
    let continues = own == users && isFirst && users > BinaryOp.less.precedence
    return own > users || continues ? text : "(\(text))"
  }
}

/// The shortest decimal number that reads back as the same float.
private func number(_ value: Float) -> String { shortest(value.description) }

private func number(_ value: Double) -> String { shortest(value.description) }

private func shortest(_ text: String) -> String { text.hasSuffix(".0") ? String(text.dropLast(2)) : text }

/// A string between quotation marks, with what would end it or its line escaped.
private func marked(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
