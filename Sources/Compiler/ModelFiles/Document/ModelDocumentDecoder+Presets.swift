// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  /// Decodes presets, which set parameters and the controls that a model has without declaring them; settings of
  /// parameters that are themselves wrong are left alone, as their ranges are not known.
  ///
  /// - Parameter fields: those of the model.
  mutating func decodePresets(
    of parameters: [ModelDocument.Parameter], in fields: [String: JSONValue]
  ) -> [ModelDocument.Preset] {
    let value = fields["presets"]
    let declared = fields["parameters"]?.keys ?? []
    let controls = Self.controls(of: fields)
    let known = Set(declared + controls.map(\.name))
    let ranges = Dictionary(
      (parameters + controls).map { ($0.name, $0.minimum...$0.maximum) },
      uniquingKeysWith: { first, _ in first })

    var presets: [ModelDocument.Preset] = []
    var hasOthers = false
    for member in decodeTable(value, "presets", limit: ModelDocument.maximumPresets, "presets") {
      let isNamed = checkLength(ofName: member.key, at: member.keyPlace)
      guard let members = decodeMembers(member.value, "the preset \(quoted(member.key))") else { continue }
      var settings: [ModelDocument.Preset.Setting] = []
      for setting in members {
        // Parameters of models that are used are known once these have been read.
        guard known.contains(setting.key) || setting.key.contains(".") else {
          hasOthers = true
          if !declared.isEmpty {
            report(
              unknown("parameter", setting.key, among: declared + controls.map(\.name)), at: setting.keyPlace)
          }
          continue
        }
        guard let value = decodeSetting(setting, within: ranges[setting.key]) else { continue }
        settings.append(
          ModelDocument.Preset.Setting(parameter: setting.key, place: setting.keyPlace, value: value))
      }
      guard isNamed else { continue }
      presets.append(ModelDocument.Preset(name: member.key, place: member.keyPlace, settings: settings))
    }
    // Said once: a misspelt 'parameters' would otherwise make every setting an error.
    if let value, hasOthers, declared.isEmpty, !unread.hidesValues {
      report("'presets' set parameters, but the model has none", at: value.place)
    }
    return presets
  }

  /// The controls that a model has whose fields these are: as many outputs as inputs, and the names are free.
  private static func controls(of fields: [String: JSONValue]) -> [ModelDocument.Parameter] {
    let inputs = fields["inputs"]?.keys ?? []
    guard case .array(let outputs)? = fields["outputs"]?.content, outputs.count == inputs.count else {
      return []
    }
    let taken = Set(inputs + (fields["parameters"]?.keys ?? []) + (fields["graph"]?.keys ?? []))
    return ModelControl.Kind.allCases.map(\.declaration).filter { !taken.contains($0.name) }
  }

  private mutating func decodeSetting(_ setting: JSONMember, within range: ClosedRange<Double>?) -> Double? {
    guard let number = decodeNumber(setting.value, quoted(setting.key)) else { return nil }
    guard let range else { return setting.key.contains(".") ? number : nil }
    guard range.contains(number) else {
      report(ModelDocument.Preset.rangeMessage(setting.key, range, number), at: setting.value.place)
      return nil
    }
    return number
  }
}

extension ModelDocument.Preset {
  /// The message about a setting that lies outside of its parameter's range.
  static func rangeMessage(_ parameter: String, _ range: ClosedRange<Double>, _ value: Double) -> String {
    let limits = "\(written(range.lowerBound)) to \(written(range.upperBound))"
    return "\(quoted(parameter)) must lie within \(limits), this is \(written(value))"
  }
}

extension JSONValue {
  /// The keys of an object; none of anything else.
  fileprivate var keys: [String] {
    if case .object(let members) = content { members.map(\.key) } else { [] }
  }
}
