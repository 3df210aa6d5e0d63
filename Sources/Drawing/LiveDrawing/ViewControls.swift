// SPDX-License-Identifier: Apache-2.0

internal import LiveHost
package import TerminalDrawing

/// The state of the keyboard's controls: keys select, and ask for actions.
///
/// It decides nothing that may fail: a value that was typed is handed on as text.
package struct ViewControls {
  /// The action that a key asks for.
  package enum Action: Hashable {
    /// Turns a parameter, by its position.
    case turn(Int, Float)
    /// Sets a parameter to what was typed.
    case enter(Int, String)
    /// Takes a preset, by its position.
    case preset(Int)
    /// Saves what is turned as a preset of this name, in the model of the parameter that is selected.
    case save(Int, String)
    case bypass
    case resetPeaks
    /// Lets the next controller that moves turn a parameter; nil ends waiting for one.
    case learn(Int?)
    case quit
  }

  package private(set) var selected = 0
  /// The text typed so far as a value; nil where none is being typed.
  package private(set) var entry: String?
  /// The name typed so far for a preset; nil where none is being typed.
  package private(set) var nameEntry: String?
  package private(set) var showsHelp = false
  package private(set) var showsWave = true
  /// The preset that was chosen last.
  package private(set) var preset: Int?
  package private(set) var isLearning = false

  private static let longestEntry = 40

  package init() {}

  /// Takes a key, and returns its action; nil where it only changes what is seen, or means nothing.
  ///
  /// - Parameters:
  ///   - rows: the parameters and their values.
  ///   - presets: how many there are.
  ///   - name: of a preset, as it is proposed.
  package mutating func press(
    _ key: Key, rows: [ViewContents.Row], presets: Int, proposing name: String = ""
  ) -> Action? {
    selected = min(max(0, selected), max(0, rows.count - 1))
    guard !key.hasOther else { return nil }
    if key.sign == .control("c") { return .quit }
    // An edit may have taken all parameters away.
    if rows.isEmpty { (entry, nameEntry) = (nil, nil) }
    if entry != nil { return Self.type(key, &entry).map { .enter(selected, $0) } }
    if nameEntry != nil { return Self.type(key, &nameEntry).map { .save(selected, $0) } }
    if key.sign == .character("s"), !rows.isEmpty {
      nameEntry = name
      return nil
    }
    switch key.sign {
    case .up: return select(selected - 1, of: rows.count)
    case .down, .tab: return select(selected + (key.hasShift ? -1 : 1), of: rows.count)
    case .right: return turn(rows, up: true, key.hasShift ? .fine : .usual)
    case .left: return turn(rows, up: false, key.hasShift ? .fine : .usual)
    case .pageUp: return turn(rows, up: true, .coarse)
    case .pageDown: return turn(rows, up: false, .coarse)
    case .home: return row(rows).map { .turn(selected, $0.knob.range.lowerBound) }
    case .end: return row(rows).map { .turn(selected, $0.knob.range.upperBound) }
    case .backspace, .delete: return row(rows).map { .turn(selected, $0.knob.initial) }
    case .enter:
      entry = rows.isEmpty ? nil : ""
      return nil
    case .escape: return leave()
    case .character(let character): return press(character, rows, presets)
    // What is pasted was not meant for knobs.
    case .pasted, .control: return nil
    }
  }

  private mutating func press(_ character: Character, _ rows: [ViewContents.Row], _ presets: Int) -> Action? {
    switch character {
    case "k": return select(selected - 1, of: rows.count)
    case "j": return select(selected + 1, of: rows.count)
    case "l", "+": return turn(rows, up: true, .usual)
    case "h", "-": return turn(rows, up: false, .usual)
    case ".", ">": return turn(rows, up: true, .fine)
    case ",", "<": return turn(rows, up: false, .fine)
    case "0": return row(rows).map { .turn(selected, $0.knob.initial) }
    case "=":
      entry = rows.isEmpty ? nil : ""
      return nil
    case "1"..."9": return choose((character.wholeNumberValue ?? 0) - 1, of: presets)
    case "p": return choose(preset.map { ($0 + 1) % max(1, presets) } ?? 0, of: presets)
    case "P": return choose(preset.map { ($0 + presets - 1) % max(1, presets) } ?? presets - 1, of: presets)
    case "b": return .bypass
    case "m":
      if let mix = rows.firstIndex(where: { $0.knob.name == "mix" }) { selected = mix }
      return nil
    case "L":
      guard !rows.isEmpty else { return nil }
      isLearning.toggle()
      return .learn(isLearning ? selected : nil)
    case "r": return .resetPeaks
    case "w": showsWave.toggle()
    case "?": showsHelp.toggle()
    case "q": return .quit
    case _: break
    }
    return nil
  }

  /// A controller was learnt.
  package mutating func endLearning() { isLearning = false }

  /// A preset was chosen by other means.
  package mutating func note(preset: Int?) { self.preset = preset }

  private func row(_ rows: [ViewContents.Row]) -> ViewContents.Row? {
    rows.indices.contains(selected) ? rows[selected] : nil
  }

  private mutating func select(_ index: Int, of count: Int) -> Action? {
    if count > 0 { selected = (index + count) % count }
    guard isLearning, count > 0 else { return nil }
    return .learn(selected)
  }

  private func turn(_ rows: [ViewContents.Row], up: Bool, _ step: Knob.Step) -> Action? {
    row(rows).map { .turn(selected, $0.knob.turned(from: $0.value, up: up, step)) }
  }

  private mutating func choose(_ index: Int, of presets: Int) -> Action? {
    guard (0..<presets).contains(index) else { return nil }
    preset = index
    return .preset(index)
  }

  /// Leaves, one after the other: learning, help.
  private mutating func leave() -> Action? {
    if isLearning {
      isLearning = false
      return .learn(nil)
    }
    showsHelp = false
    return nil
  }

  /// Takes a key of a text that is being typed, and returns the text once it is whole.
  private static func type(_ key: Key, _ entry: inout String?) -> String? {
    let typed = entry ?? ""
    switch key.sign {
    case .character(let character): entry = String((typed + String(character)).prefix(longestEntry))
    case .pasted(let text): entry = String((typed + text).prefix(longestEntry))
    case .backspace, .delete: entry = String(typed.dropLast())
    case .escape: entry = nil
    case .enter:
      entry = nil
      return typed.isEmpty ? nil : typed
    case .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab, .control: break
    }
    return nil
  }
}
