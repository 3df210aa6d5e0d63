// SPDX-License-Identifier: Apache-2.0

extension ModelDocument {
  /// The keys of the file's objects, in the order in which a person would write them.
  ///
  /// The decoder refuses every other key; the schema for editors describes exactly these.
  package enum Keys {
    package static let model = [
      "$schema", "legato", "name", "description", "author", "license", "clock", "sampleRate", "inputs",
      "parameters", "graph", "weights", "outputs", "presets",
    ]
    package static let input = ["shape", "description"]
    package static let parameter = [
      "default", "minimum", "maximum", "unit", "scale", "ramp", "midi", "description",
    ]
  }
}
