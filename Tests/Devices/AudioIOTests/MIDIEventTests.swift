// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing

@testable import AudioIO

@Suite("Events of the sequencer")
struct MIDIEventTests {
  private func event(_ type: snd_seq_event_type, _ channel: UInt8, _ number: UInt32, _ value: Int32)
    -> MIDIEvent?
  {
    var event = unsafe snd_seq_event_t()
    unsafe event.type = UInt8(type.rawValue)
    unsafe event.data.control.channel = channel
    unsafe event.data.control.param = number
    unsafe event.data.control.value = value
    return unsafe MIDIEvent(event)
  }

  @Test("controllers and programs are taken, with channels from 1 on")
  func known() {
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 0, 21, 127) == .control(channel: 1, number: 21, value: 127))
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 15, 0, 0) == .control(channel: 16, number: 0, value: 0))
    #expect(event(SND_SEQ_EVENT_CONTROL14, 2, 7, 16383) == .wideControl(channel: 3, number: 7, value: 16383))
    #expect(event(SND_SEQ_EVENT_PGMCHANGE, 3, 0, 5) == .program(channel: 4, number: 5))
  }

  @Test("what turns nothing, and numbers that no MIDI has, are passed over")
  func others() {
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 16, 21, 1) == nil)
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 0, 128, 1) == nil)
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 0, 21, 128) == nil)
    #expect(event(SND_SEQ_EVENT_CONTROLLER, 0, 21, -1) == nil)
    #expect(event(SND_SEQ_EVENT_CONTROL14, 0, 32, 1) == nil)
    #expect(event(SND_SEQ_EVENT_CONTROL14, 0, 1, 16384) == nil)
    #expect(event(SND_SEQ_EVENT_PGMCHANGE, 0, 0, 128) == nil)
    #expect(event(SND_SEQ_EVENT_NOTEON, 0, 21, 1) == nil)
    #expect(event(SND_SEQ_EVENT_CLOCK, 0, 0, 0) == nil)
    #expect(event(SND_SEQ_EVENT_SYSEX, 0, 0, 0) == nil)
  }
}
