// SPDX-License-Identifier: Apache-2.0

internal import ModelFiles

/// Parameters that every model can have without declaring them.
extension Model {
  /// A parameter from 0 to 1, smoothed as others are, between what goes into a model and what comes out of it.
  public enum Control: String, CaseIterable, Hashable, Sendable {
    /// 1 copies the input's bits to the output, 0 lets the model be heard; 0 at first.
    case bypass
    /// How much of the model is heard: at 0 the output equals the input, at 1 it is the model's; 1 at first.
    case mix
  }

  /// The same model with parameters that it does not declare.
  ///
  ///     let program = try Model(contentsOf: "overdrive.json").with([.bypass]).compile(channels: 2)
  ///     context.parameter(named: "bypass")?.set(1)
  ///
  /// At their ends they change no bit; a model that was made without them has none of their cost. The outputs have to
  /// be as many as the inputs, and of the same shapes. A chain has controls as a whole; those that a model had before
  /// it became part of a chain are its own there.
  ///
  /// - Throws: `ModelError.invalid` where the model declares a parameter of such a name, or the ports do not fit.
  public func with(_ controls: Set<Control>) throws(ModelError) -> Model {
    try with(Control.allCases.filter(controls.contains).map { ModelControl($0.kind) })
  }

  /// The same chain with a parameter that one of its models does not declare.
  ///
  /// - Parameters:
  ///   - control: The parameter.
  ///   - stage: The position of the model, from 0 on.
  public func with(_ control: Control, ofStage stage: Int) throws(ModelError) -> Model {
    precondition(stages.indices.contains(stage), "a chain has no model at that position")
    return try with([ModelControl(control.kind, stage: stages.count == 1 ? nil : stage)])
  }

  /// The same model with the control that somebody means, such as `mix`, `2.bypass` or `delay.bypass`; nil where an
  /// address means none, or several.
  public func with(controlAddressed address: String) throws(ModelError) -> Model? {
    if let control = Control(rawValue: address) { return try with([control]) }
    guard let (control, meant) = control(addressed: address), let stage = meant.first, meant.count == 1 else {
      return nil
    }
    return try with(control, ofStage: stage)
  }

  /// The same model with the controls that one of its presets turns, and nobody has declared.
  ///
  ///     "presets": { "Half": { "drive": 12, "mix": 0.5 } }
  public func with(controlsOf preset: Preset) throws(ModelError) -> Model {
    let names = Set(parameters.map(\.name))
    var controls: [ModelControl] = []
    for stage in stages.indices {
      for kind in ModelControl.Kind.allCases {
        let name = composed.composition.name(ofParameter: kind.rawValue, inStage: stage)
        guard preset.values[name] != nil, !names.contains(name) else { continue }
        controls.append(ModelControl(kind, stage: stages.count == 1 ? nil : stage))
      }
    }
    return controls.isEmpty ? self : try with(controls)
  }

  /// The same model with the controls that some presets and parameters need, by their addresses, though no model
  /// declares them; an address that means none, or several, is passed over.
  public func with(
    controlsOfPresets presets: [String] = [], andParameters parameters: [String] = []
  ) throws(ModelError) -> Model {
    var model = self
    for address in presets {
      guard case .name(let name) = model.preset(addressed: address),
        let preset = model.presets.first(where: { $0.name == name })
      else { continue }
      model = try model.with(controlsOf: preset)
    }
    for address in parameters where model.parameter(addressed: address) == .unknown {
      model = try model.with(controlAddressed: address) ?? model
    }
    return model
  }

  /// The controls by position that an address may mean, where several models answer to it: `1.bypass` and `2.bypass`
  /// for `half.bypass`; otherwise none.
  package func controls(addressed address: String) -> [String] {
    guard let (control, meant) = control(addressed: address), meant.count > 1 else { return [] }
    return meant.map { "\($0 + 1).\(control.rawValue)" }
  }

  /// The control of a model of a chain that an address names, and the positions of the models that may be meant.
  private func control(addressed address: String) -> (Control, stages: [Int])? {
    guard stages.count > 1, let dot = address.lastIndex(of: "."),
      let control = Control(rawValue: String(address[address.index(after: dot)...]))
    else { return nil }
    return (control, stages.indices.filter { answers(to: String(address[..<dot]), $0) })
  }

  private func with(_ more: [ModelControl]) throws(ModelError) -> Model {
    let known = composed.composition.controls
    let all = known + more.filter { !known.contains($0) }
    // Whoever bypasses a model bypasses its mix, too.
    let ordered = all.filter { $0.kind == .mix } + all.filter { $0.kind == .bypass }
    return try Model(composed.family, controls: ordered, batch: batch)
  }
}

extension Model.Control {
  fileprivate var kind: ModelControl.Kind {
    switch self {
    case .bypass: .bypass
    case .mix: .mix
    }
  }
}
