// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

/// Presets that are written into the files of models.
extension Model {
  /// The model of a chain that a parameter is of, by its position, and what its file calls the parameter; nil for the
  /// bypass and the mix of a whole chain.
  package func owner(ofParameter name: String) -> (stage: Int, name: String)? {
    let composition = composed.composition
    for stage in stages.indices.dropFirst() where name.hasPrefix(composition.prefixes[stage]) {
      return (stage, String(name.dropFirst(composition.prefixes[stage].count)))
    }
    if let own = composition.qualified(name) { return (0, own) }
    return stages.count > 1 && Control(rawValue: name) != nil ? nil : (0, name)
  }

  /// The name that the file of a model of a chain has for one of the presets; nil for those of other models.
  package func ownName(ofPreset index: Int, inStage stage: Int) -> String? {
    let preset = composed.composition.presets[index]
    let name = String(preset.name.dropFirst(composed.composition.prefixes[stage].count))
    let isOwn = preset.stage == stage && composed.family.documents[stage].presets.contains { $0.name == name }
    return isOwn ? name : nil
  }

  /// The name of a preset that a model of a chain has, among `presets`.
  package func name(ofPreset name: String, inStage stage: Int) -> String {
    composed.composition.prefixes[stage] + name
  }

  /// The text of a model's file, as it stands there now, with a preset in it.
  ///
  /// - Parameters:
  ///   - preset: The name; one that there is is replaced.
  ///   - values: Those of the program's parameters; what is no parameter of the model, and its bypass, is left out, so
  ///     that a
  ///     preset that is there keeps the bypass that it says.
  /// - Throws: `ModelError` where the file is no model any more.
  package func fileText(
    saving preset: String, inStage stage: Int, _ values: [(name: String, value: Float, isDefault: Bool)]
  ) throws(ModelError) -> String {
    let settings: [ModelDocument.SavedSetting] = values.compactMap { name, value, isDefault in
      guard let owner = owner(ofParameter: name), owner.stage == stage, owner.name != Control.bypass.rawValue
      else { return nil }
      return ModelDocument.SavedSetting(owner.name, value, isDefault: isDefault)
    }
    let file = stages[stage].file
    let bytes = try ModelFolder.read(file)
    do throws(Diagnostics) {
      return String(
        decoding: try ModelDocument.text(bytes, file: file, saving: preset, settings), as: UTF8.self)
    } catch {
      throw ModelError(error)
    }
  }
}
