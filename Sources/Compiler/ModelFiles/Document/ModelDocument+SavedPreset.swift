// SPDX-License-Identifier: Apache-2.0

package import GraphIR
import JSONReading

extension ModelDocument {
  /// A parameter of a preset that is saved.
  package struct SavedSetting: Hashable, Sendable {
    /// As the model's own file calls it.
    package let parameter: String
    package let value: Float
    package let isDefault: Bool

    package init(_ parameter: String, _ value: Float, isDefault: Bool) {
      (self.parameter, self.value, self.isDefault) = (parameter, value, isDefault)
    }
  }

  /// The text of a model file with a preset in it; all else stays as it is, comments and spaces too.
  ///
  /// Defaults are left out, unless a preset of that name says them.
  ///
  /// - Parameters:
  ///   - bytes: the text as it is.
  ///   - file: what messages call it.
  ///   - preset: the name; one that there is is replaced.
  /// - Throws: `Diagnostics` where the text is no model, or would be none with the preset.
  package static func text(
    _ bytes: [UInt8], file: String, saving preset: String, _ settings: [SavedSetting]
  ) throws(Diagnostics) -> [UInt8] {
    let document = try decode(bytes, file: file)
    guard !document.isTranslated else {
      throw Diagnostics([
        Diagnostic(
          file: file, place: nil,
          message:
            "another program's file keeps no presets; legato import makes a model file of it, which does")
      ])
    }
    // A float may lie beyond an end of the range by a rounding.
    func number(_ setting: SavedSetting) -> String {
      guard let parameter = document.parameters.first(where: { $0.name == setting.parameter }),
        let value = Double(written(setting.value)), !(parameter.minimum...parameter.maximum).contains(value)
      else { return written(setting.value) }
      return written(min(max(value, parameter.minimum), parameter.maximum))
    }
    var text = JSONText(bytes)
    do throws(JSONError) {
      let known = try text.keys(at: ["presets", preset])
      let said = settings.filter { !$0.isDefault || known?.contains($0.parameter) == true }
      let members = said.map { (key: $0.parameter, value: number($0)) }
      let line = members.map { "\($0.key.asJSON): \($0.value)" }.joined(separator: ", ")
      let object = members.isEmpty ? "{}" : "{ \(line) }"
      if known != nil {
        for member in members { try text.set(member.value, at: ["presets", preset, member.key]) }
      } else if try text.keys(at: ["presets"]) != nil {
        try text.set(object, at: ["presets", preset])
      } else {
        try text.set(text.table(of: "\(preset.asJSON): \(object)"), at: ["presets"])
      }
    } catch {
      throw Diagnostics([Diagnostic(file: file, place: error.place, message: error.message)])
    }
    _ = try decode(text.bytes, file: file)
    return text.bytes
  }
}
