// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A knob of a capture: a parameter whose value is one more input of the network.
package struct CaptureKnob: Sendable {
  /// The name as expressions say it.
  package fileprivate(set) var name: String
  /// The name as the file says it.
  private let title: String
  /// The same, with what the positions of a switch mean.
  package let description: String
  package let place: Place
  package let minimum, maximum, initial: Double
  /// Whether it has positions instead of a way.
  package let isSwitch: Bool
  /// The way from its value to what the network reads.
  private let scale: Scale

  private enum Scale {
    /// The value itself.
    case plain
    /// From -1 to 1.
    case signed
    /// 1 for the position where it stands, 0 for each other.
    case positions(Int)
  }

  /// The inputs of a network that all of its knobs may be.
  static let maximumInputs = 256

  /// The inputs of the network that it is.
  var inputs: Int {
    switch scale {
    case .plain, .signed: 1
    case .positions(let count): count
    }
  }

  // MARK: Reading

  /// The architectures that read knobs.
  private static let architectures = ["ConcatWaveNet", "ConcatLSTM", "CatWaveNet", "CatLSTM"]

  static func areRead(by architecture: String) -> Bool { architectures.contains(architecture) }

  /// Whether a network has knobs, or says so.
  static func stand(in config: CaptureFields, of architecture: String) throws(CaptureError) -> Bool {
    areRead(by: architecture) || config.has("params") || config.has("parametric")
  }

  /// The knobs that a file describes, as a list ("params") or by their names ("parametric").
  static func all(of fields: CaptureFields) throws(CaptureError) -> [CaptureKnob] {
    let config = try fields.fields("config")
    var knobs: [CaptureKnob] = []
    if config.has("params") {
      for entry in try config.list("params", of: "parameters") { knobs.append(try listed(entry)) }
    } else if let table = try config.optionalFields("parametric") {
      for (name, entry) in try table.named() { knobs.append(try CaptureKnob(entry, called: name)) }
    }
    let architecture = try fields.text("architecture")
    let takesKnobs = areRead(by: architecture)
    guard takesKnobs == !knobs.isEmpty else {
      throw fields.error(
        "architecture",
        takesKnobs
          ? "is \(architecture), and config has no params" : "is \(architecture), and config has params")
    }
    guard knobs.reduce(0, { $0 + $1.inputs }) <= maximumInputs else {
      throw config.error("params", "has more than \(maximumInputs) values, which are the most")
    }
    var names: Set<String> = []
    for knob in knobs where !names.insert(knob.title).inserted {
      throw CaptureError(place: knob.place, message: "two knobs are called \(quoted(knob.title))")
    }
    return knobs
  }

  /// One that stands under its name, whose value goes in as it is.
  private init(_ fields: CaptureFields, called name: String) throws(CaptureError) {
    try fields.check(["type", "default_value", "minval", "maxval"])
    let type = try fields.text("type")
    switch type {
    case "boolean":
      let isOn =
        if let isOn = try? fields.boolean("default_value") { isOn ? 1.0 : 0 } else {
          try fields.number("default_value")
        }
      self.init(name, at: fields.place, 0, 1, isOn, isSwitch: true, .plain)
    case "continuous":
      self.init(
        name, at: fields.place, try fields.number("minval"), try fields.number("maxval"),
        try fields.number("default_value"), isSwitch: false, .plain)
    default: throw fields.error("type", "is \(quoted(type)), which is not known")
    }
    try check(fields)
  }

  private static func listed(_ fields: CaptureFields) throws(CaptureError) -> CaptureKnob {
    try fields.check(["name", "min", "max", "default", "type", "enum_names", "step", "avoid_zero"])
    let (name, type) = (try fields.text("name"), try fields.optionalText("type") ?? "continuous")
    let (low, high) = (try fields.number("min"), try fields.number("max"))
    let initial = try fields.number("default")
    let knob: CaptureKnob
    switch type {
    case "continuous":
      knob = CaptureKnob(name, at: fields.place, low, high, initial, isSwitch: false, .signed)
    case "switch":
      let most = try fields.integer("max", in: 1...Limits.rows)
      guard low == 0, let names = try fields.choices("enum_names", count: most + 1, of: "positions are")
      else {
        throw fields.error("enum_names", "must name the positions from 0 on")
      }
      let positions = names.enumerated().map { index, choice in
        if case .text(let text) = choice { "\(index) \(text)" } else { "\(index)" }
      }
      knob = CaptureKnob(
        name, at: fields.place, 0, high, initial, isSwitch: true, .positions(most + 1),
        positions: positions.joined(separator: ", "))
    default: throw fields.error("type", "is \(quoted(type)), which is not known")
    }
    try knob.check(fields)
    return knob
  }

  private init(
    _ name: String, at place: Place, _ minimum: Double, _ maximum: Double, _ initial: Double, isSwitch: Bool,
    _ scale: Scale, positions: String? = nil
  ) {
    (self.name, title, self.place, self.minimum, self.maximum) = (name, name, place, minimum, maximum)
    (self.initial, self.isSwitch, self.scale) = (initial, isSwitch, scale)
    description = name + (positions.map { ": " + $0 } ?? "")
  }

  private func check(_ fields: CaptureFields) throws(CaptureError) {
    guard Float(minimum) < Float(maximum), (minimum...maximum).contains(initial) else {
      throw CaptureError(
        place: fields.place,
        message:
          "\(fields.path) goes from \(written(minimum)) to \(written(maximum)) and stands at \(written(initial)); "
          + "it must stand between two values")
    }
  }

  /// So many of which a file says nothing: from 0 to 1, in the middle.
  static func unnamed(_ count: Int, at place: Place) -> [CaptureKnob] {
    let names = count == 1 ? ["knob"] : (0..<count).map { "knob\($0 + 1)" }
    return named(names.map { CaptureKnob($0, at: place, 0, 1, 0.5, isSwitch: false, .plain) })
  }

  // MARK: Names and values

  /// The same with names that expressions can say, each another one.
  static func named(_ knobs: [CaptureKnob]) -> [CaptureKnob] {
    var taken: Set<String> = ["src", "dst", "knobs"]
    // Lines of networks begin so.
    let lines = ["array", "block", "lstm", "head", "condition", "model"]
    return knobs.enumerated().map { position, knob in
      var knob = knob
      var name = String(
        knob.name.unicodeScalars.prefix(64).map {
          $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "_"
        })
      let isFree = { (name: String) in
        name.isName && !Function.reservedNames.contains(name) && Function.byName[name] == nil
          && !lines.contains(where: name.hasPrefix) && !["bypass", "mix"].contains(name)
      }
      if !isFree(name) { name = "knob_" + name }
      // Different names of the file can be alike where only letters and digits are left of them.
      while !taken.insert(name).inserted { name = "knob\(position + 1)_" + name }
      knob.name = name
      return knob
    }
  }

  /// Writes the value that all knobs make together: numbers without frames.
  static func value(
    of knobs: [CaptureKnob], at place: Place, in text: inout CaptureText
  ) throws(CaptureError) -> String? {
    guard !knobs.isEmpty else { return nil }
    let parts = knobs.flatMap(\.values).map { "broadcast(\($0), [1])" }
    let all = parts.count == 1 ? parts[0] : "concatenate([\(parts.joined(separator: ", "))])"
    return try text.define("knobs", all, at: place)
  }

  private var values: [String] {
    switch scale {
    case .plain: [name]
    case .signed: ["(\(name) - (\(written(minimum)))) * \(written(2 / (maximum - minimum))) - 1"]
    case .positions(let count): (0..<count).map { "(round(\(name)) == \($0))" }
    }
  }
}
