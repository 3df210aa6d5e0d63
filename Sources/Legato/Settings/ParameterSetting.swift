// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A parameter, and the value that it is given before the first frame.
public struct ParameterSetting: Hashable, Sendable {
  /// The parameter's name in a program.
  public let name: String
  /// In the parameter's unit.
  public let value: Float

  package init(name: String, value: Float) { (self.name, self.value) = (name, value) }
}

extension [ParameterSetting] {
  /// The final values of the parameters that they set, by name.
  package var values: [String: Float] { Dictionary(map { ($0.name, $0.value) }) { $1 } }
}

extension Model {
  /// A parameter's setting, as people write it: `drive`, `2.time` or `delay.time`; `8`, `-6dB` or `0.44kHz`.
  ///
  /// - Parameters:
  ///   - address: The parameter, as `parameter(addressed:)` reads it.
  ///   - value: A number, with or without the parameter's unit.
  /// - Throws: `RequestError` where no parameter, or more than one, is meant, or the value lies outside of its range.
  public func setting(_ address: String, to value: String) throws(RequestError) -> ParameterSetting {
    let parameter = try parameter(meantBy: address)
    let name = parameter.name
    guard let quantity = Quantity(value) else {
      throw RequestError("not a number; \(name) takes \(parameter.rangeText)")
    }
    guard let number = quantity.number(inUnit: parameter.unit) else {
      let unit =
        parameter.unit.isEmpty
        ? "has no unit, but \(quoted(quantity.unit)) is given"
        : "counts \(printable(parameter.unit)), not \(quoted(quantity.unit))"
      throw RequestError("\(name) \(unit); write the number alone")
    }
    return try setting(parameter, Float(number))
  }

  /// A parameter's setting.
  ///
  /// - Parameters:
  ///   - address: The parameter, as `parameter(addressed:)` reads it.
  ///   - value: In the parameter's unit.
  /// - Throws: `RequestError` where no parameter, or more than one, is meant, or the value lies outside of its range.
  public func setting(_ address: String, to value: Float) throws(RequestError) -> ParameterSetting {
    try setting(parameter(meantBy: address), value)
  }

  private func setting(_ parameter: Parameter, _ value: Float) throws(RequestError) -> ParameterSetting {
    guard parameter.range.contains(value) else {
      throw RequestError("out of range; \(parameter.name) takes \(parameter.rangeText)")
    }
    return ParameterSetting(name: parameter.name, value: value)
  }

  /// The settings of a preset, in the order of the parameters' names.
  ///
  /// - Parameter address: The preset, as `preset(addressed:)` reads it.
  /// - Throws: `RequestError` where no preset, or more than one, is meant.
  public func settings(ofPreset address: String) throws(RequestError) -> [ParameterSetting] {
    switch preset(addressed: address) {
    case .name(let name):
      let preset = presets.first { $0.name == name }
      return (preset?.values ?? [:]).sorted { $0.key < $1.key }.map(ParameterSetting.init)
    case .ambiguous(let addresses):
      throw RequestError("several models have it; write \(alternatives(addresses.map(quoted)))")
    case .unknown:
      let hint = Self.hint(address, among: presets.map(\.name), shown: quoted)
      throw RequestError("\(quoted(self.name)) has no preset \(quoted(address)); \(hint)")
    }
  }

  /// The parameter that an address means.
  ///
  /// - Throws: `RequestError` where none is meant, or more than one.
  package func parameter(meantBy address: String) throws(RequestError) -> Parameter {
    func several(_ addresses: [String]) -> RequestError {
      RequestError("several models have \(quoted(address)); write \(alternatives(addresses))")
    }
    switch parameter(addressed: address) {
    case .name(let name):
      if let parameter = parameters.first(where: { $0.name == name }) { return parameter }
    case .ambiguous(let addresses): throw several(addresses)
    case .unknown:
      let controls = controls(addressed: address)
      if !controls.isEmpty { throw several(controls) }
    }
    throw RequestError(
      "\(quoted(self.name)) has no parameter \(quoted(address)); \(hint(parameter: address))")
  }

  private func hint(parameter name: String) -> String {
    if let nearest = nearestName(to: name, among: positionalParameters) {
      return "did you mean \(quoted(nearest))?"
    }
    let declared = parameters.map(\.name)
    // Those that every model can have whose outputs are as many as its inputs.
    let controls = inputs.count == outputs.count ? Control.allCases.map(\.rawValue) : []
    return Self.hint(name, among: declared + controls.filter { !declared.contains($0) }) { $0 }
  }

  /// The name that was probably meant, or those that there are.
  private static func hint(_ name: String, among names: [String], shown: (String) -> String) -> String {
    if let nearest = nearestName(to: name, among: names) { return "did you mean \(quoted(nearest))?" }
    if names.isEmpty { return "it has none" }
    return "it has \(alternatives(names.prefix(8).map(shown), "and"))"
      + (names.count > 8 ? ", among others" : "")
  }
}

extension Model.Parameter {
  /// The range with its unit: "-24 to 24 dB".
  fileprivate var rangeText: String {
    "\(shortest(range.lowerBound)) to \(shortest(range.upperBound))"
      + (unit.isEmpty ? "" : " " + printable(unit))
  }
}

/// A float as a person writes it: 0.1 and 8, not 0.10000000149 or 8.0.
package func shortest(_ number: Float) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
