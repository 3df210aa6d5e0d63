// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension Option {
  static let set = Option(
    "set", value: "NAME=VALUE",
    "turns a parameter, from the first frame on; units as the parameter has them: 440Hz, 20ms")

  static let preset = Option(
    "preset", value: "NAME", "turns parameters as a preset of the model does; --set then turns single ones")
}

/// A parameter and the value that `--set`, or a preset, gives it.
struct ParameterSetting {
  let name: String
  let value: Float

  /// Reads `resolution=8`, `drive=-6dB`, `cutoff=0.44kHz`.
  init(_ text: String, of model: Model) throws(Failure) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      let example = model.parameters.first.map { "\($0.name)=\(shortest($0.initial))" } ?? "gain=0.5"
      throw .usage("--set takes NAME=VALUE, such as \(example), not \(quoted(text))")
    }
    name = String(text[..<equals])
    let setting = "--set \(printable(text))"
    guard let parameter = model.parameters.first(where: { $0.name == text[..<equals] }) else {
      throw .usage("\(setting): \(Self.unknown(name, in: model))")
    }
    guard let quantity = Quantity(String(text[text.index(after: equals)...])) else {
      throw .usage("\(setting): not a number; \(name) takes \(Self.range(parameter))")
    }
    guard let number = quantity.number(inUnit: parameter.unit) else {
      let unit =
        parameter.unit.isEmpty
        ? "has no unit, but \(quoted(quantity.unit)) is given"
        : "counts \(printable(parameter.unit)), not \(quoted(quantity.unit))"
      throw .usage("\(setting): \(name) \(unit); write the number alone")
    }
    guard parameter.range.contains(Float(number)) else {
      throw .usage("\(setting): out of range; \(name) takes \(Self.range(parameter))")
    }
    value = Float(number)
  }

  /// What `--preset` and `--set` ask for, in the order in which it is done.
  static func all(of arguments: Arguments, for model: Model) throws(Failure) -> [ParameterSetting] {
    var settings: [ParameterSetting] = []
    if let name = arguments.value(of: .preset) {
      guard let preset = model.presets.first(where: { $0.name == name }) else {
        throw .usage("--preset \(printable(name)): \(unknownPreset(name, in: model))")
      }
      settings = preset.values.sorted { $0.key < $1.key }.map {
        ParameterSetting(name: $0.key, value: $0.value)
      }
    }
    for text in arguments.values(of: .set) { settings.append(try ParameterSetting(text, of: model)) }
    return settings
  }

  private init(name: String, value: Float) { (self.name, self.value) = (name, value) }

  private static func unknownPreset(_ name: String, in model: Model) -> String {
    let names = model.presets.map(\.name)
    return "\(quoted(model.name)) has no preset \(quoted(name)); \(hint(name, among: names, shown: quoted))"
  }

  private static func unknown(_ name: String, in model: Model) -> String {
    let names = model.parameters.map(\.name)
    return "\(quoted(model.name)) has no parameter \(quoted(name)); \(hint(name, among: names) { $0 })"
  }

  /// Which name was meant, or which there are.
  private static func hint(_ name: String, among names: [String], shown: (String) -> String) -> String {
    if let nearest = nearestName(to: name, among: names) { return "did you mean \(quoted(nearest))?" }
    if names.isEmpty { return "it has none" }
    return "it has \(alternatives(names.prefix(8).map(shown), "and"))"
      + (names.count > 8 ? ", among others" : "")
  }

  private static func range(_ parameter: Model.Parameter) -> String {
    let (low, high) = (parameter.range.lowerBound, parameter.range.upperBound)
    return "\(shortest(low)) to \(shortest(high))"
      + (parameter.unit.isEmpty ? "" : " " + printable(parameter.unit))
  }
}
