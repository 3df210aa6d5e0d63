// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

/// The argument for one of a model's parameters: a signal, or a number.
public enum ModelParameter: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case signal(Signal)
  case number(Double)

  public init(floatLiteral value: Double) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension GraphBuilder {
  /// The one output of another model, compiled as one graph with this one.
  ///
  ///     let cab = builder.model(cabinet, source, named: "cab", parameters: ["level": .signal(gain)])
  ///     builder.output("dst", cab)
  ///
  /// It is `model("cabinet.json", source, level: gain)` of model files. Symbolic extents of the model are what the
  /// signals have; a 1 is stretched where the model has a number.
  ///
  /// - Parameters:
  ///   - model: The model, which stays as it is.
  ///   - inputs: A signal for each input of the model, in order.
  ///   - name: What parameters without arguments begin with: `cab.tone`.
  ///   - parameters: What the model's parameters are; the others become parameters of the whole.
  public func model(
    _ model: Model, _ inputs: Signal..., named name: String, parameters: [String: ModelParameter] = [:]
  ) -> Signal {
    let outputs = use(model, inputs, name, parameters)
    if model.outputs.count != 1 {
      report(
        "'\(name)': \(quoted(model.name)) has \(model.outputs.count) outputs; outputs(of:) gives all of them")
    }
    return outputs[0]
  }

  /// The outputs of another model, in order, compiled as one graph with this one.
  ///
  /// See `model` for the rest.
  public func outputs(
    of model: Model, _ inputs: Signal..., named name: String, parameters: [String: ModelParameter] = [:]
  ) -> [Signal] {
    use(model, inputs, name, parameters)
  }

  private func use(
    _ model: Model, _ inputs: [Signal], _ name: String, _ parameters: [String: ModelParameter]
  ) -> [Signal] {
    check(name)
    var nothing: [Signal] { model.outputs.map { Signal(self, assembler.forward(nil), "\(name).\($0)") } }
    var signals = inputs
    var bound: [String: ModelArgument] = [:]
    for (parameter, argument) in parameters.sorted(by: { $0.key < $1.key }) {
      switch argument {
      case .number(let number): bound[parameter] = .number(number)
      case .signal(let signal):
        signals.append(signal)
        guard owns(signal) else { return nothing }
        // Of an unknown type something has been said.
        guard let type = assembler.type(of: signal.value) else { return nothing }
        bound[parameter] = .value(type)
      }
    }
    var types: [TensorType] = []
    for signal in inputs {
      guard owns(signal), let type = assembler.type(of: signal.value) else { return nothing }
      types.append(type)
    }
    do throws(Diagnostics) {
      let part = try Graph(
        using: model.composed, clock: assembler.graph.clock, sampleRate: sampleRate, inputs: types,
        bound: bound)
      usedPrewarm += part.prewarm
      let prefix = "\(name)."
      let known = shared(part.weights, of: model, as: prefix)
      let values = try splice(part, signals.map(\.value), prefix, known)
      return zip(model.outputs, values).map { Signal(self, $1, "\(name).\($0)") }
    } catch {
      for diagnostic in error.all { report("'\(name)': \(diagnostic)") }
      return nothing
    }
  }

  private func splice(
    _ part: Graph, _ inputs: [ValueID], _ prefix: String, _ known: [String: ValueID]
  ) throws(Diagnostics) -> [ValueID] {
    do throws(TypingError) {
      return try assembler.splice(part, inputs: inputs, prefix: prefix, weights: known)
    } catch {
      throw Diagnostics([Diagnostic(file: part.name, place: nil, message: error.description)])
    }
  }

  /// The weights of an earlier use of the same model, which are shared, as in model files.
  private func shared(_ weights: [GraphIR.Weights], of model: Model, as prefix: String) -> [String: ValueID] {
    var known: [String: ValueID] = [:]
    for array in weights {
      let key = "\(model.document.file)\n\(array.name)"
      if let earlier = usedWeights[key], earlier.shape == array.shape, earlier.values == array.values {
        known[array.name] = assembler.weights(named: earlier.name)
      } else {
        usedWeights[key] = Weights(name: prefix + array.name, shape: array.shape, values: array.values)
      }
    }
    return known
  }
}
