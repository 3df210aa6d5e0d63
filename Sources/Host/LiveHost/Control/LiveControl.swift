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
  /// The preset that was saved last, until it is read again.
  private var saved: String?

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
    let chosen = preset.map { self.model.presets[$0].name }
    self.model = model
    program = playing.program
    knobs = model.parameters.map { Knob($0) }
    parameters = Dictionary(playing.parameters.map { ($0.name, $0) }) { $1 }
    func position(_ name: String?) -> Int? {
      name.flatMap { name in model.presets.firstIndex { $0.name == name } }
    }
    // A saved preset may come only with the next renewal: this one can be of the file as it was before.
    let own = position(saved)
    if own != nil { saved = nil }
    preset = own ?? position(chosen)
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

  /// Sets parameters to a preset. Others of its model get their defaults, but for a bypass; those of other models stay.
  ///
  /// - Parameter index: of `model.presets`; one that there is not does nothing.
  public func choose(preset index: Int) {
    guard model.presets.indices.contains(index) else { return }
    let preset = model.presets[index]
    (self.preset, saved) = (index, nil)
    for knob in knobs {
      if let value = preset.values[knob.name] {
        set(knob.name, to: value)
      } else if preset.defaults.contains(knob.name) {
        set(knob.name, to: knob.initial)
      }
    }
  }

  /// The name that the model of a parameter has for the preset that was chosen last; nil where that is of another
  /// model.
  package func ownPreset(ofModelWith parameter: String) -> String? {
    let stage = model.owner(ofParameter: parameter)?.stage ?? 0
    return preset.flatMap { model.ownName(ofPreset: $0, inStage: stage) }
  }

  /// Writes what a model's parameters are now into its file, as a preset; all else in the file stays as it is.
  ///
  /// Defaults are left out, and so is a bypass. Where edits are followed, the preset is among `model.presets` soon.
  ///
  /// - Parameters:
  ///   - name: of the preset; one that the model has is replaced.
  ///   - parameter: one of the model's, which matters in a chain.
  /// - Returns: The file.
  /// - Throws: `LiveError` where the file is no model any more, or cannot be written; it is as it was then.
  @discardableResult
  public func save(preset name: String, ofModelWith parameter: String) throws(LiveError) -> String {
    guard let stage = model.owner(ofParameter: parameter)?.stage else {
      throw .misfit(
        "\(parameter) is of the whole chain; select a parameter of the model that is to keep the preset")
    }
    let values = knobs.map { knob in
      let value = self.value(of: knob)
      return (name: knob.name, value: value, isDefault: value == knob.initial)
    }
    let file = model.stages[stage].file
    try LiveError.wrapping {
      let text = try model.fileText(saving: name, inStage: stage, values)
      try TextFile.write(text, to: file, replaceExisting: true, syncs: true)
    }
    saved = model.name(ofPreset: name, inStage: stage)
    return file
  }

  /// Whether there are controllers that can be learnt.
  public var canLearn: Bool { learner != nil }

  /// Lets the next controller that moves turn a parameter, and no other one; nil ends the waiting.
  public func learn(_ name: String?) { learner?(name) }
}
