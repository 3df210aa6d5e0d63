// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  mutating func decodeParameters(_ value: JSONValue?) -> [ModelDocument.Parameter] {
    var parameters: [ModelDocument.Parameter] = []
    for member in decodeTable(value, "parameters", limit: ModelDocument.maximumParameters, "parameters") {
      let isNamed = define(member.key, as: "a parameter", at: member.keyPlace)
      guard let parameter = decodeParameter(member), isNamed else {
        unread.values.insert(member.key)
        continue
      }
      parameters.append(parameter)
    }
    return parameters
  }

  private mutating func decodeParameter(_ member: JSONMember) -> ModelDocument.Parameter? {
    let what = "the parameter \(quoted(member.key))"
    guard let fields = decodeFields(member.value, what, keys: ModelDocument.Keys.parameter) else {
      return nil
    }
    for key in ["default", "minimum", "maximum"] where fields[key] == nil {
      report("\(what) has no '\(key)'", at: member.keyPlace)
    }
    let minimum = decodeNumber(fields["minimum"], "'minimum'")
    let maximum = decodeNumber(fields["maximum"], "'maximum'")
    let defaultValue = decodeNumber(fields["default"], "'default'")
    let ramp = decodeRamp(fields["ramp"])
    let midi = decodeMIDI(fields["midi"])
    let scale: ModelDocument.Parameter.Scale? = decodeChoice(fields["scale"], "'scale'")
    let unit = decodeString(fields["unit"], "'unit'")?.text
    let description = decodeString(fields["description"], "'description'")?.text

    guard let minimum, let maximum else { return nil }
    let flaws = ParameterDeclaration.flaws(
      initial: defaultValue ?? minimum, minimum: minimum, maximum: maximum,
      scale: scale == .logarithmic ? .logarithmic : .linear)
    for flaw in flaws { report(flaw.message, at: fields[flaw.part.rawValue]?.place ?? member.keyPlace) }
    guard let defaultValue, flaws.isEmpty else { return nil }
    return ModelDocument.Parameter(
      name: member.key, place: member.keyPlace, defaultValue: defaultValue, minimum: minimum,
      maximum: maximum,
      unit: unit, scale: scale ?? .linear, ramp: ramp, midi: midi,
      description: description)
  }

  private mutating func decodeMIDI(_ value: JSONValue?) -> Int? {
    guard let value, let number = decodeNumber(value, "'midi'") else { return nil }
    let numbers = ModelDocument.midiControllers
    guard let controller = Int(exactly: number), numbers.contains(controller) else {
      report(
        "'midi' must be the whole number of a controller from \(numbers.lowerBound) to \(numbers.upperBound), "
          + "this is \(written(number))", at: value.place)
      return nil
    }
    return controller
  }

  private mutating func decodeRamp(_ value: JSONValue?) -> Double {
    let standard = ModelDocument.Parameter.defaultRamp
    guard let value, let ramp = decodeNumber(value, "'ramp'") else { return standard }
    let longest = ModelDocument.Parameter.maximumRamp
    guard (0...longest).contains(ramp) else {
      report(
        "'ramp' must lie within 0 to \(written(longest)) seconds, this is \(written(ramp))", at: value.place)
      return standard
    }
    return ramp
  }
}
