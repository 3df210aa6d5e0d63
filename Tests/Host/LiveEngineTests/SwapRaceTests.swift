// SPDX-License-Identifier: Apache-2.0

import LiveEngine
import LiveEquipment
import Synchronization
import Testing

/// One thread plays while another one edits, turns and frees. The thread sanitizer looks on in `.ci/run`.
struct SwapRaceTests {
  private static let gain = ["gain": "{ \"default\": 1, \"minimum\": 0.5, \"maximum\": 1 }"]

  /// The player's notes when it has ended.
  private final class Notes: Sendable {
    let isOver = Atomic(false)
    let blocks = Atomic(0)
    let isSound = Atomic(true)
  }

  @Test func editsWhileItPlays() throws {
    // Each remembers what the others do, too, so that there is a past to copy.
    let programs = try (1...3).map {
      try LiveModels.program(["y": "\($0) * gain * delay(x, 3000)"], parameters: Self.gain)
    }
    var freed: [() -> Bool] = []
    func live(_ round: Int) throws -> LiveProgram {
      let live = try Playing.live(programs[round % 3])
      freed.append { [weak live] in live == nil }
      return live
    }
    do {
      // What was posted last and is not played any more goes with it.
      let mailbox = ProgramMailbox(channels: 1)
      let first = try live(0)
      let notes = Notes()
      let player = try AudioThread(named: "player") {
        var processor = LiveProcessor(first, from: mailbox, rate: 48_000)
        while !notes.isOver.load(ordering: .relaxed) {
          let device = DeviceRows(inputs: [[Float](repeating: 1, count: 640)], outputs: 1)
          while device.left > 0 { device.process(64, &processor) }
          // The delays begin with silence; whatever is crossfaded lies between the programs.
          let isSound = device[0].allSatisfy { (0...3).contains($0) }
          if !isSound { notes.isSound.store(false, ordering: .relaxed) }
          notes.blocks.add(10, ordering: .relaxed)
        }
      }
      defer {
        notes.isOver.store(true, ordering: .relaxed)
        player.join()
      }
      for round in 1...40 {
        let edited = try live(round)
        // Replaced before anyone plays it, perhaps; then played, and the one before handed back.
        mailbox.post(try live(round + 1))
        mailbox.post(edited)
        var value: Float = 0.5
        let deadline = ContinuousClock.now + .seconds(60)
        while mailbox.collect() == nil {
          edited.parameters[0].set(value)
          value = value < 1 ? value + 0.01 : 0.5
          guard ContinuousClock.now < deadline else {
            Issue.record("the program of round \(round) was not played")
            return
          }
        }
      }
      #expect(notes.isSound.load(ordering: .relaxed) && notes.blocks.load(ordering: .relaxed) > 40)
    }
    #expect(freed.count == 81 && freed.allSatisfy { $0() })
  }
}
