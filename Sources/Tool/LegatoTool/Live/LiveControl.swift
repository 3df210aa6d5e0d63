// SPDX-License-Identifier: Apache-2.0

internal import Legato
internal import LiveEngine

/// What turns the parameters of what plays, for keys, controllers and presets alike.
///
/// It belongs to the thread that controls. Parameters are known by their names, which outlive a program.
final class LiveControl {
  /// What plays, with the controls that it was given.
  private(set) var model: Model
  private(set) var knobs: [Knob]
  private(set) var program: Program
  /// Counts how often what plays was replaced.
  private(set) var generation = 0
  /// The preset that was chosen last, by its position.
  private(set) var preset: Int?
  /// What turns a parameter, as the view names it, such as `CC 21`.
  var controllers: [String: String] = [:]
  /// Are told of a model that has taken the place of the one that played.
  var followers: [(Model) -> Void] = []
  private var parameters: [String: LiveParameter]

  /// - Parameter preset: the name of the one that was chosen beforehand.
  init(_ model: Model, _ playing: LiveProgram, preset: String? = nil) {
    self.model = model
    self.preset = preset.flatMap { name in model.presets.firstIndex { $0.name == name } }
    program = playing.program
    knobs = model.parameters.map { Knob($0) }
    parameters = Dictionary(playing.parameters.map { ($0.name, $0) }) { $1 }
  }

  /// Turns parameters of another program from now on, which has taken the place of the one that played.
  func replace(_ model: Model, _ playing: LiveProgram) {
    let name = preset.map { self.model.presets[$0].name }
    self.model = model
    program = playing.program
    knobs = model.parameters.map { Knob($0) }
    parameters = Dictionary(playing.parameters.map { ($0.name, $0) }) { $1 }
    preset = name.flatMap { name in model.presets.firstIndex { $0.name == name } }
    generation += 1
    for follow in followers { follow(model) }
  }

  func knob(named name: String) -> Knob? { knobs.first { $0.name == name } }

  /// The value that a parameter has or glides to; that of the model's author where nothing plays of that name.
  func value(of knob: Knob) -> Float { parameters[knob.name]?.value ?? knob.initial }

  /// Turns a parameter of all contexts; a name that nothing has does nothing.
  func set(_ name: String, to value: Float) { parameters[name]?.set(value) }

  /// Sets a parameter to a value as somebody typed it.
  ///
  /// - Throws: what is wrong with it.
  func set(_ name: String, typed text: String) throws(RequestError) {
    let setting = try model.setting(name, to: text)
    set(setting.name, to: setting.value)
  }

  /// Whether it is bypassed; nil where it cannot be.
  var isBypassed: Bool? { parameters[Self.bypass].map { $0.value >= 0.5 } }

  func toggleBypass() {
    guard let isBypassed else { return }
    set(Self.bypass, to: isBypassed ? 0 : 1)
  }

  static let bypass = Model.Control.bypass.rawValue

  /// Turns parameters as a preset has them. What it leaves out gets its default, but for a bypass; in a chain, where a
  /// preset is of one of the models, it stays.
  func choose(preset index: Int) {
    guard model.presets.indices.contains(index) else { return }
    let preset = model.presets[index]
    self.preset = index
    for knob in knobs {
      if let value = preset.values[knob.name] {
        set(knob.name, to: value)
      } else if model.stages.count == 1, knob.name != Self.bypass {
        set(knob.name, to: knob.initial)
      }
    }
  }
}
