// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// The indices of the rows of inputs and outputs in the tables that execute takes.
extension CHeader {
  func ports(_ names: inout CNames) -> String {
    let unit =
      layout.executesStream ? "a sample for each frame" : "the port's numbers, the last axis contiguous"
    return """
      /*
       * The tables that execute takes have a pointer to each row, the rows of the first port first. A row has
       * \(unit). Of each port: its first row, and how many it has.
       */
      \(rows(layout.inputs, "INPUT", &names))

      \(rows(layout.outputs, "OUTPUT", &names))
      """
  }

  private func rows(_ ports: [ProgramLayout.Port], _ kind: String, _ names: inout CNames) -> String {
    var (lines, first) = ([String](), 0)
    for port in ports {
      let isStep = port.rowLength != nil
      let name = names.constant(
        "\(constants)_\(kind)_PORT", port.name, suffixes: ["", "_ROWS"] + (isStep ? ["_LENGTH"] : []))
      let axes = port.shape.map(String.init) + (isStep ? [] : ["frames"])
      lines += [
        "/* \(Self.comment(port.name)) [\(axes.joined(separator: ", "))] */", "#define \(name) \(first)",
        "#define \(name)_ROWS \(port.rows)",
      ]
      if let length = port.rowLength { lines.append("#define \(name)_LENGTH \(length)") }
      first += port.rows
    }
    lines.append("#define \(constants)_\(kind)_ROWS \(first)")
    return lines.joined(separator: "\n")
  }
}
