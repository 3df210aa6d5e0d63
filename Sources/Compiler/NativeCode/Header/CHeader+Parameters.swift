// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore

/// Parameters in the header: their names, descriptions and numbers.
extension CHeader {
  func enumeration(_ names: [String]) -> String {
    let count = "#define \(constants)_PARAMETERS \(names.count)"
    guard hasParameters else { return "/* There is no parameter. */\n\(count)" }
    let rows = names.indices.map { index in
      let comma = index + 1 < names.count ? "," : ""
      return """
          /* \(description(of: index)) */
          \(names[index]) = \(index)\(comma)
        """
    }
    return """
      \(count)

      /* What a user turns. */
      enum \(prefix)_parameter {
      \(rows.joined(separator: "\n"))
      };
      """
  }

  private func description(of index: Int) -> String {
    let parameter = layout.parameters[index]
    let summary = summaries[index].isEmpty ? "" : ": " + Self.comment(summaries[index])
    let unit = parameter.unit.isEmpty ? "" : " " + Self.comment(parameter.unit)
    let way = parameter.rampFrames > 0 ? "glides over \(parameter.rampFrames) frames" : "steps"
    return """
      \(Self.comment(parameter.name))\(summary)
           \(written(parameter.minimum)) to \(written(parameter.maximum))\(unit), \(written(parameter.initial)) at first; \(way)
      """
  }

  /// A row for each parameter: minimum, maximum, frames of its ramp.
  var ranges: String {
    layout.parameters.map {
      "    {\(literal($0.minimum)), \(literal($0.maximum)), \($0.rampFrames)}"
    }.joined(separator: ",\n")
  }

  /// A float as C reads it back.
  func literal(_ number: Float) -> String { "\(number)f" }
}
