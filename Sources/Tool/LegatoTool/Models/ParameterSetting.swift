// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension Option {
  static let set = Option(
    "set", value: "NAME=VALUE",
    "turns a parameter, from the first frame on; units as the parameter has them: 440Hz, 20ms; a model whose "
      + "outputs are like its inputs has bypass and mix, from 0 to 1 (repeatable)")

  static let preset = Option(
    "preset", value: "NAME",
    "turns parameters as a preset of the model does, of a later one 2.NAME; --set then turns single ones (repeatable)"
  )
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
    let value = String(text[text.index(after: equals)...])
    try self.init(String(text[..<equals]), value, of: model, "--set \(printable(text)): ")
  }

  /// Reads a parameter's name and a value, in its unit or another one.
  ///
  /// - Parameter place: what messages begin with.
  init(_ address: String, _ value: String, of model: Model, _ place: String = "") throws(Failure) {
    let parameter = try Self.parameter(address, of: model, place)
    let name = parameter.name
    guard let quantity = Quantity(value) else {
      throw .usage("\(place)not a number; \(name) takes \(Self.range(parameter))")
    }
    guard let number = quantity.number(inUnit: parameter.unit) else {
      let unit =
        parameter.unit.isEmpty
        ? "has no unit, but \(quoted(quantity.unit)) is given"
        : "counts \(printable(parameter.unit)), not \(quoted(quantity.unit))"
      throw .usage("\(place)\(name) \(unit); write the number alone")
    }
    guard parameter.range.contains(Float(number)) else {
      throw .usage("\(place)out of range; \(name) takes \(Self.range(parameter))")
    }
    (self.name, self.value) = (name, Float(number))
  }

  /// The parameter that somebody means.
  ///
  /// - Parameter place: what messages begin with.
  static func parameter(_ address: String, of model: Model, _ place: String) throws(Failure)
    -> Model.Parameter
  {
    func several(_ addresses: [String]) -> Failure {
      .usage("\(place)several models have \(quoted(address)); write \(alternatives(addresses))")
    }
    switch model.parameter(addressed: address) {
    case .name(let name):
      if let parameter = model.parameters.first(where: { $0.name == name }) { return parameter }
    case .ambiguous(let addresses): throw several(addresses)
    case .unknown:
      let controls = model.controls(addressed: address)
      if !controls.isEmpty { throw several(controls) }
    }
    throw .usage("\(place)\(unknown(address, in: model))")
  }

  /// What `--preset` and `--set` ask for, in the order in which it is done.
  static func all(of arguments: Arguments, for model: Model) throws(Failure) -> [ParameterSetting] {
    var settings: [ParameterSetting] = []
    for address in arguments.values(of: .preset) {
      let preset = try preset(address, of: model)
      settings += preset.values.sorted { $0.key < $1.key }.map {
        ParameterSetting(name: $0.key, value: $0.value)
      }
    }
    for text in arguments.values(of: .set) { settings.append(try ParameterSetting(text, of: model)) }
    return settings
  }

  private init(name: String, value: Float) { (self.name, self.value) = (name, value) }

  private static func preset(_ address: String, of model: Model) throws(Failure) -> Model.Preset {
    switch model.preset(addressed: address) {
    case .name(let name):
      if let preset = model.presets.first(where: { $0.name == name }) { return preset }
    case .ambiguous(let addresses):
      throw .usage(
        "--preset \(printable(address)): several models have it; write \(alternatives(addresses.map(quoted)))"
      )
    case .unknown: break
    }
    throw .usage("--preset \(printable(address)): \(unknownPreset(address, in: model))")
  }

  private static func unknownPreset(_ name: String, in model: Model) -> String {
    let names = model.presets.map(\.name)
    return "\(quoted(model.name)) has no preset \(quoted(name)); \(hint(name, among: names, shown: quoted))"
  }

  private static func unknown(_ name: String, in model: Model) -> String {
    let declared = model.parameters.map(\.name)
    // Those that every model can have whose outputs are as many as its inputs.
    let controls = model.inputs.count == model.outputs.count ? Model.Control.allCases.map(\.rawValue) : []
    let names = declared + controls.filter { !declared.contains($0) }
    if let nearest = nearestName(to: name, among: model.positionalParameters) {
      return "\(quoted(model.name)) has no parameter \(quoted(name)); did you mean \(quoted(nearest))?"
    }
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

extension [ParameterSetting] {
  /// Where they leave the parameters that they turn, by name.
  var values: [String: Float] { Dictionary(map { ($0.name, $0.value) }) { $1 } }
}
