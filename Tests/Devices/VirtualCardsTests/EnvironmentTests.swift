// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// How a program that is started finds a card.
@Suite struct EnvironmentTests {
  @Test(.endsProcesses) func `it lists and opens one card by three names, and no other`() async {
    await #expect(processExitsWith: .success) {
      let card = try VirtualCard(CardSettings(.capture(at: 500, .unplug(absences: nil))))
      for (name, value) in card.environment { unsafe setenv(name, value, 1) }
      #expect(try hints() == ["cap", "play", "duplex"])
      let microphone = try PCM("cap", .capture)
      let speaker = try PCM("play", .playback)
      #expect(throws: PCM.Refusal(call: "open", code: -EBUSY)) { try PCM("duplex", .capture) }
      #expect(throws: PCM.Refusal(call: "open", code: -ENOENT)) { try PCM("cap", .playback) }
      #expect(throws: PCM.Refusal(call: "open", code: -ENOENT)) { try PCM("play", .capture) }
      try microphone.set()
      try speaker.set()
      try microphone.start()
      // It is one card: the cable of the one is that of the other.
      #expect(microphone.waitUntilStopped() == SND_PCM_STATE_DISCONNECTED)
      #expect(speaker.state == SND_PCM_STATE_DISCONNECTED)
    }
  }
}

/// The devices that alsa-lib lists.
private func hints() throws -> [String] {
  var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  try PCM.check("hints", unsafe snd_device_name_hint(-1, "pcm", &hints))
  defer { unsafe _ = snd_device_name_free_hint(hints) }
  var names: [String] = []
  var place = unsafe hints
  while let hint = unsafe place?.pointee {
    if let name = unsafe snd_device_name_get_hint(hint, "NAME") {
      names.append(unsafe String(cString: name))
      unsafe free(name)
    }
    unsafe place = place?.advanced(by: 1)
  }
  return names
}
