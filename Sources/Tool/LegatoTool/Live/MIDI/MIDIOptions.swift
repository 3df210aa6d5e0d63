// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

extension Option {
  static let midi = Option(
    "midi", "lets controllers turn parameters: a port called Legato appears, which aconnect connects")
  static let midiFrom = Option(
    "midi-from", value: "PORT",
    "connects a port that sends to --midi's, such as 20:0 or nanoKONTROL:0 (repeatable)")
  static let map = Option(
    "map", value: "CC=NAME",
    "the controller that turns a parameter, instead of the one that the model names: 21=drive, or 1:21=drive on "
      + "channel 1 only (repeatable)")
  static let pickup = Option(
    "pickup", "a controller that stands elsewhere turns its parameter only once it has passed the value")
}

/// What `legato live` is asked for about MIDI.
struct MIDIOptions {
  let isAsked: Bool
  private let sources: [String]
  private let maps: [String]
  private let pickup: Bool

  init(_ arguments: Arguments) throws(Failure) {
    isAsked = arguments.has(.midi)
    sources = arguments.values(of: .midiFrom)
    maps = arguments.values(of: .map)
    pickup = arguments.has(.pickup)
    if let option = [Option.midiFrom, .map, .pickup].first(where: arguments.has), !isAsked {
      throw .usage("--\(option.name) is of use with --midi only")
    }
    if sources.contains("") { throw .usage("--midi-from takes a port, such as 20:0 or nanoKONTROL:0") }
  }

  /// The parameters that are to be turned, as they are addressed.
  var addresses: [String] {
    maps.compactMap { text in text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) } }
  }

  func map(of model: Model) throws(Failure) -> MIDIMap {
    var map = MIDIMap(model)
    try map.add(maps, of: model)
    return map
  }

  /// The port, with all that sends to it; nil where none is asked for.
  func port(_ console: Console) throws(MIDIError) -> MIDIPort? {
    guard isAsked else { return nil }
    let port = try MIDIPort(named: "Legato")
    for source in sources { try port.connect(from: source) }
    console.notice("midi: controllers turn parameters through port \(port.address), Legato")
    return port
  }

  func control(_ control: LiveControl, _ map: MIDIMap, _ port: MIDIPort) -> MIDIControl {
    MIDIControl(control, map, pickup: pickup, descriptors: port.descriptors) { port.next() }
  }
}
