// SPDX-License-Identifier: Apache-2.0

internal import CALSA

/// The MIDI events that turn parameters or choose presets.
///
/// Channels count from 1 to 16, as people do.
package enum MIDIEvent: Hashable, Sendable {
  /// A controller, 0 to 127, and its value, 0 to 127.
  case control(channel: Int, number: Int, value: Int)
  /// A controller, 0 to 31, and its value in all of its 14 bits.
  case wideControl(channel: Int, number: Int, value: Int)
  /// A program was chosen, 0 to 127.
  case program(channel: Int, number: Int)
}

extension MIDIEvent {
  /// The MIDI event of a sequencer's event; nil for notes, clocks and whatever else turns nothing.
  ///
  /// Numbers that no MIDI has are passed over: other programs may send them.
  init?(_ event: snd_seq_event_t) {
    let data = unsafe event.data.control
    let channel = Int(data.channel) + 1
    let (number, value) = (Int(data.param), Int(data.value))
    guard (1...16).contains(channel) else { return nil }
    switch unsafe UInt32(event.type) {
    case SND_SEQ_EVENT_CONTROLLER.rawValue:
      guard (0...127).contains(number), (0...127).contains(value) else { return nil }
      self = .control(channel: channel, number: number, value: value)
    case SND_SEQ_EVENT_CONTROL14.rawValue:
      guard (0...31).contains(number), (0...16383).contains(value) else { return nil }
      self = .wideControl(channel: channel, number: number, value: value)
    case SND_SEQ_EVENT_PGMCHANGE.rawValue:
      guard (0...127).contains(value) else { return nil }
      self = .program(channel: channel, number: value)
    case _: return nil
    }
  }
}
