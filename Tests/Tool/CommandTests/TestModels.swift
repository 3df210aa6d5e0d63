// SPDX-License-Identifier: Apache-2.0

/// Small models that tests write to files.
enum TestModels {
  /// Doubles, with as many channels as it is given.
  static let double = model(shape: #"["channels", "frames"]"#, graph: #""y": "2 * x""#)
  static let mono = model(shape: #"["frames"]"#, graph: #""y": "2 * x""#)
  static let stereo = model(shape: #"[2, "frames"]"#, graph: #""y": "2 * x""#)
  static let twoOutputs = model(
    shape: #"["channels", "frames"]"#, graph: #""y": "2 * x", "z": "sum(x, axis: 0)""#, outputs: #""y", "z""#)
  /// One channel becomes two.
  static let wide = model(shape: #"[1, "frames"]"#, graph: #""y": "concatenate([x, -x])""#)
  static let steps = model(shape: "[4]", graph: #""y": "2 * x""#)
  static let noInput = """
    { "legato": 1, "name": "Test", "parameters": { "g": { "default": 1, "minimum": 0, "maximum": 1 } },
      "graph": { "y": "g + 0" }, "outputs": ["y"] }
    """
  /// The bitcrusher without its rate: one kernel without state.
  static let crushing = """
    { "legato": 1, "name": "Crushing", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": {
        "resolution": { "default": 8, "minimum": 1, "maximum": 256, "scale": "logarithmic" },
        "gain": { "default": 1, "minimum": 0.1, "maximum": 20 },
        "dryWet": { "default": 1, "minimum": 0, "maximum": 1 }
      },
      "graph": { "y": "round(tanh(x * gain) * resolution) / resolution * dryWet + x * (1 - dryWet)" },
      "outputs": ["y"] }
    """
  /// Turns a parameter of each unit into what comes out.
  static func unit(_ unit: String) -> String {
    """
    { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
      "parameters": { "p": { "default": 0, "minimum": -100, "maximum": 20000, "unit": "\(unit)" } },
      "graph": { "y": "x * 0 + p" }, "outputs": ["y"] }
    """
  }

  static func model(shape: String, graph: String, outputs: String = #""y""#) -> String {
    """
    { "legato": 1, "name": "Test", "inputs": { "x": { "shape": \(shape) } },
      "graph": { \(graph) }, "outputs": [\(outputs)] }
    """
  }
}
