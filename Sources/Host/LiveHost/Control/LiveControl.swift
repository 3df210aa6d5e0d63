// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
public import Legato
internal import LiveEngine

/// The parameters of what plays, for keys, controllers and presets alike.
///
/// It belongs to the thread that has the player; the sound follows at the next block, along each parameter's ramp.
/// Parameters are known by their names, which outlive an edit of the model.
public final class LiveControl {
  /// The model that plays, with the controls that it was given.
  public private(set) var model: Model
  /// The knobs, in the model's order of parameters.
  public private(set) var knobs: [Knob]
  /// The program that plays.
  public private(set) var program: Program
  /// Counts how often what plays was replaced.
  public private(set) var generation = 0
  /// The preset that was chosen last, by its position in `model.presets`.
  public private(set) var preset: Int?
  /// The controllers by the parameter's name, such as `CC 21`; empty without controllers.
  public internal(set) var controllers: [String: String] = [:]
  /// Callbacks for a model that has replaced the one that played.
  var followers: [(Model) -> Void] = []
  /// Lets the next controller that moves turn a parameter; nil without controllers.
  var learner: ((String?) -> Void)?
  private var parameters: [String: LiveParameter]

  /// - Parameter preset: the name of the one that was chosen beforehand.
  init(_ model: Model, _ playing: LiveProgram, preset: String? = nil) {
    self.model = model
    self.preset = preset.flatMap { name in model.presets.firstIndex { $0.name == name } }
    program = playing.program
    knobs = model.parameters.map { Knob($0) }
    parameters = Dictionary(playing.parameters.map { ($0.name, $0) }) { $1 }
  }

  /// Switches to the parameters of a program that has replaced the one that played.
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

  /// The parameter of that name; nil where there is none.
  public func knob(named name: String) -> Knob? { knobs.first { $0.name == name } }

  /// The value that a parameter has or glides to; its default where no such parameter plays.
  public func value(of knob: Knob) -> Float { parameters[knob.name]?.value ?? knob.initial }

  /// Sets a parameter, clamped to its range; unknown names and NaN do nothing.
  public func set(_ name: String, to value: Float) { parameters[name]?.set(value) }

  /// Sets a parameter to a value as people write it, such as `-6dB`.
  ///
  /// - Throws: `RequestError` where that is no number, counts something else, or lies outside of the range.
  public func set(_ name: String, typed text: String) throws(RequestError) {
    let setting = try model.setting(name, to: text)
    set(setting.name, to: setting.value)
  }

  /// Whether the model is bypassed; nil where it cannot be.
  public var isBypassed: Bool? { parameters[Self.bypass].map { $0.value >= 0.5 } }

  /// Bypasses the model, or ends that, gliding; nothing where it cannot be bypassed.
  public func toggleBypass() {
    guard let isBypassed else { return }
    set(Self.bypass, to: isBypassed ? 0 : 1)
  }

  /// The parameter that bypasses a model.
  public static let bypass = Model.Control.bypass.rawValue

  /// Sets parameters to a preset. Others get their defaults, but for a bypass; in a chain, where a preset is of one of
  /// the models, it stays.
  ///
  /// - Parameter index: of `model.presets`; one that there is not does nothing.
  public func choose(preset index: Int) {
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

  /// Whether there are controllers that can be learnt.
  public var canLearn: Bool { learner != nil }

  /// Lets the next controller that moves turn a parameter, and no other one; nil ends the waiting.
  public func learn(_ name: String?) { learner?(name) }
}
