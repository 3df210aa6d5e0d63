// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// A parameter that any model can have without declaring it.
package struct ModelControl: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// 1 lets what goes in come out; 0 lets the model be heard.
    case bypass
    /// How much of the model is heard beside what goes in.
    case mix
  }

  package var kind: Kind
  /// The position of a model in a chain; nil is the whole.
  package var stage: Int?

  package init(_ kind: Kind, stage: Int? = nil) {
    (self.kind, self.stage) = (kind, stage)
  }
}

extension ModelControl.Kind {
  /// The parameter, as a model file would declare it.
  var declaration: ModelDocument.Parameter {
    ModelDocument.Parameter(
      name: rawValue, place: .start, defaultValue: self == .mix ? 1 : 0, minimum: 0, maximum: 1, unit: nil,
      scale: .linear, ramp: ModelDocument.Parameter.defaultRamp, midi: nil, description: meaning)
  }

  private var meaning: String {
    switch self {
    case .bypass: "1 lets the input through, 0 lets the model be heard."
    case .mix: "0 lets the input through, 1 lets the model be heard."
    }
  }

  /// Between two values, by the names of all three: at both ends bits are moved as they are, which is what makes
  /// bypassing exact, and a control at rest inaudible.
  func expression(_ input: String, _ output: String, _ control: String) -> Expression {
    let names =
      switch self {
      case .bypass: ["none": output, "all": input, "c": control]
      case .mix: ["none": input, "all": output, "c": control]
      }
    let text = "select(c == 1, all, select(c == 0, none, none + c * (all - none)))"
    guard var expression = try? Expression(parsing: text) else {
      preconditionFailure("the expression of a control cannot be read: \(text)")
    }
    for (row, term) in expression.terms.enumerated() {
      if case .name(let name) = term.kind { expression.replace(row, with: names[name] ?? name) }
    }
    return expression
  }
}

extension Composer {
  /// Lets the outputs of a stage, or of the whole, be mixed with its inputs, as far as that is asked for.
  ///
  ///     dst                       →   dst.0 = select(mix == 1, dst, select(mix == 0, src, src + mix * (dst - src)))
  ///
  /// - Parameters:
  ///   - last: the stage, or the last one.
  ///   - name: what the stage is called in the chain; nil for the whole.
  /// - Returns: the names of what comes out.
  mutating func addControls(
    ofStage position: Int?, _ last: Instance, outputs: [String], name: String?
  ) -> [String] {
    // The only stage is the whole.
    if family.stages.count == 1, position != nil { return outputs }
    var outputs = outputs
    let first = position == nil ? family.stages[0] : last.member
    let inputPrefix = position == nil ? "" : last.prefix
    let document = family.members[first].document
    let inputs = document.inputs.map { inputPrefix + $0.name }
    let title = position == nil ? family.documents.map(\.name).joined(separator: " + ") : document.name
    for (turn, control) in controls.filter({ $0.stage == position }).enumerated() {
      let word = control.kind.rawValue
      let parameter = name.map { "\($0).\(word)" } ?? word
      // A parameter of the last model is none of the whole.
      let declared = position == nil ? word : last.prefix + word
      guard !result.parameters.contains(where: { $0.name == parameter || $0.name == declared }),
        !document.graph.contains(where: { inputPrefix + $0.name == parameter }), !inputs.contains(parameter)
      else {
        result.mistakes.append(
          .init(message: "\(quoted(title)) has a \(quoted(word)) of its own", place: .start))
        continue
      }
      guard inputs.count == outputs.count else {
        result.mistakes.append(
          .init(
            message: "\(quoted(title)) cannot have \(quoted(word)): inputs and outputs have to be as many; "
              + "they are \(inputs.count) and \(outputs.count)", place: .start))
        continue
      }
      result.parameters.append(
        .init(name: parameter, declared: control.kind.declaration, file: family.file(of: last.member)))
      // Who wants it by a preset has to change that.
      let wish = document.presets.flatMap(\.settings).first { $0.parameter == word }?.place
      for (row, (input, output)) in zip(inputs, outputs).enumerated() {
        // Nobody else's names end so.
        let mixed = "\(output).\(turn == 0 ? "0" : "1")"
        result.definitions.append(
          .init(
            name: mixed, expression: control.kind.expression(input, output, parameter), scope: .init(),
            demand: .alike(input: input, output: output, control: word, model: title), text: nil,
            place: wish ?? (document.outputs.indices.contains(row) ? document.outputs[row].place : .start),
            user: nil))
        outputs[row] = mixed
      }
    }
    return outputs
  }
}
