// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension ModelDocumentDecoder {
  /// Decodes presets; settings of parameters that are themselves wrong are left alone, as their ranges are not known.
  mutating func decodePresets(
    _ value: JSONValue?, of parameters: [ModelDocument.Parameter], declaredIn table: JSONValue?
  ) -> [ModelDocument.Preset] {
    var declared: [String] = []
    if case .object(let members)? = table?.content { declared = members.map(\.key) }
    let known = Set(declared)
    let ranges = Dictionary(
      parameters.map { ($0.name, $0.minimum...$0.maximum) }, uniquingKeysWith: { first, _ in first })

    var presets: [ModelDocument.Preset] = []
    var hasSettings = false
    for member in decodeTable(value, "presets", limit: ModelDocument.maximumPresets, "presets") {
      let isNamed = checkLength(ofName: member.key, at: member.keyPlace)
      guard let members = decodeMembers(member.value, "the preset \(quoted(member.key))") else { continue }
      hasSettings = hasSettings || !members.isEmpty
      var settings: [ModelDocument.Preset.Setting] = []
      for setting in members where !declared.isEmpty {
        guard known.contains(setting.key) else {
          report(unknown("parameter", setting.key, among: declared), at: setting.keyPlace)
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
    if let value, hasSettings, declared.isEmpty, !unread.hidesValues {
      report("'presets' set parameters, but the model has none", at: value.place)
    }
    return presets
  }

  private mutating func decodeSetting(_ setting: JSONMember, within range: ClosedRange<Double>?) -> Double? {
    guard let number = decodeNumber(setting.value, quoted(setting.key)), let range else { return nil }
    guard range.contains(number) else {
      let limits = "\(written(range.lowerBound)) to \(written(range.upperBound))"
      report(
        "\(quoted(setting.key)) must lie within \(limits), this is \(written(number))",
        at: setting.value.place)
      return nil
    }
    return number
  }
}
