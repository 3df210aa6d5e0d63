// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Sets parameters by MIDI controllers, and presets by program changes.
///
///     event ─▶ both halves of a position ─▶ the parameters that it turns ─▶ their values
///
/// What one look finds of a parameter is set once, to the last: a fast knob does not queue up.
final class MIDIControl: LiveInput {
  private let control: LiveControl
  private let next: () -> MIDIEvent?
  let descriptors: [Int32]
  private(set) var map: MIDIMap
  private var pairs = ControllerPairs()
  private var pickup: Pickup
  /// The parameter that the next controller turns; nil where none is waited for.
  private(set) var learning: String?
  /// The callback for a learnt controller and its parameter.
  var learnt: ((String, String) -> Void)?

  /// - Parameters:
  ///   - descriptors: become readable when something came.
  ///   - next: hands it out, one after the other.
  init(
    _ control: LiveControl, _ map: MIDIMap, pickup: Bool, descriptors: [Int32],
    next: @escaping () -> MIDIEvent?
  ) {
    self.control = control
    self.map = map
    self.pickup = Pickup(waits: pickup)
    self.descriptors = descriptors
    self.next = next
    control.controllers = map.labels
    control.followers.append { [weak self] in self?.follow($0) }
  }

  /// Takes over the controllers of the model that plays from now on.
  private func follow(_ model: Model) {
    map.follow(model)
    control.controllers = map.labels
  }

  /// Lets the next controller that moves turn a parameter; nil ends waiting.
  func learn(_ name: String?) { learning = name }

  func take() {
    var values: [String: Double] = [:]
    func turnAll() {
      for (name, way) in values.sorted(by: { $0.key < $1.key }) { turn(name, to: way) }
      values = [:]
    }
    while let event = next() {
      switch event {
      case .control(let channel, let number, let value):
        let isOwn = !map.names(channel: channel, number: number).isEmpty
        let position = pairs.position(
          channel: channel, number: number, value: value, isOwn: isOwn, isLearnt: learning != nil)
        if let position { move(position, &values) }
      case .wideControl(let channel, let number, let value):
        move(.init(channel: channel, number: number, way: Double(value) / 16383), &values)
      case .program(_, let number):
        turnAll()
        control.choose(preset: number)
      }
    }
    turnAll()
  }

  private func move(_ position: ControllerPairs.Position, _ values: inout [String: Double]) {
    if let name = learning, MIDIController.numbers.contains(position.number) {
      learning = nil
      map.learn(name, channel: position.channel, number: position.number)
      control.controllers = map.labels
      let controller = MIDIController(channel: position.channel, number: position.number)
      learnt?(controller.label, name)
    }
    for name in map.names(channel: position.channel, number: position.number) { values[name] = position.way }
  }

  private func turn(_ name: String, to way: Double) {
    guard let knob = control.knob(named: name) else { return }
    let present = knob.way(to: control.value(of: knob))
    guard pickup.follows(name, to: way, from: present) else { return }
    control.set(name, to: knob.value(at: way))
  }
}
