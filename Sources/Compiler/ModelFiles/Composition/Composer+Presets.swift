// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension Composer {
  /// The presets of all models, by the names that their parameters have in the whole.
  ///
  ///     outer.json     "cab": "model('cabinet.json', x, level: gain)"     "Dark":  { "gain": 2, "cab.tone": 0.3 }
  ///     cabinet.json   "Small": { "level": 0.5, "tone": 0.8 }             cab.Small: { cab.tone: 0.8 }
  ///
  /// A parameter that is given an argument cannot be set any more. Of two presets of one name the outer model's counts.
  /// A preset of a model within another that turns its bypass or mix is
  /// left out: only the models of a chain have these.
  mutating func composePresets() {
    let declared = Dictionary(
      result.parameters.map { ($0.name, $0.declared) }, uniquingKeysWith: { first, _ in first })
    var looked: Set<Int> = []
    var names: Set<String> = []
    for model in placed {
      let isLookedAt = looked.insert(model.instance.member).inserted
      for preset in family.members[model.instance.member].document.presets {
        guard result.presets.count < ModelDocument.maximumPresets else {
          let most = ModelDocument.maximumPresets
          return report(
            "with those of the models that are used there are more than \(most) presets",
            at: preset.place, in: model.instance)
        }
        guard names.insert(model.instance.prefix + preset.name).inserted else { continue }
        compose(preset, of: model, declared, reports: isLookedAt)
      }
    }
  }

  private mutating func compose(
    _ preset: ModelDocument.Preset, of model: Placed, _ declared: [String: ModelDocument.Parameter],
    reports: Bool
  ) {
    let (instance, stage) = (model.instance, model.stage)
    let inner = instance.prefix.dropFirst(result.prefixes[stage].count)
    func whole(_ name: String) -> String { result.name(ofParameter: inner + name, inStage: stage) }
    let parameters = model.parameters.map { result.parameters[$0].name }
    var values: [String: Double] = [:]
    for setting in preset.settings where !instance.bound.contains(setting.parameter) {
      let name = whole(setting.parameter)
      if setting.parameter.contains("."), reports {
        check(
          setting, declared[name], among: parameters.map { String($0.dropFirst(instance.prefix.count)) },
          instance)
      }
      let isControl = ModelControl.Kind(rawValue: setting.parameter) != nil
      guard declared[name] != nil || (isControl && inner.isEmpty) else { return }
      values[name] = setting.value
    }
    guard preset.settings.isEmpty || !values.isEmpty else { return }
    let hasMix = result.controls.contains {
      $0.kind == .mix && ($0.stage == stage || family.stages.count == 1) && inner.isEmpty
    }
    let others = parameters + (hasMix ? [whole(ModelControl.Kind.mix.rawValue)] : [])
    result.presets.append(
      .init(
        name: instance.prefix + preset.name, stage: stage, values: values,
        others: others.filter { values[$0] == nil }))
  }

  /// Says where the setting of a parameter of a model that is used is none; the rest is said as its file is read.
  private mutating func check(
    _ setting: ModelDocument.Preset.Setting, _ declared: ModelDocument.Parameter?, among names: [String],
    _ instance: Instance
  ) {
    guard followsUses, result.mistakes.isEmpty, result.unreadable.isEmpty else { return }
    guard let declared else {
      return report(unknown("parameter", setting.parameter, among: names), at: setting.place, in: instance)
    }
    let range = declared.minimum...declared.maximum
    guard !range.contains(setting.value) else { return }
    let message = ModelDocument.Preset.rangeMessage(setting.parameter, range, setting.value)
    report(message, at: setting.place, in: instance)
  }
}
