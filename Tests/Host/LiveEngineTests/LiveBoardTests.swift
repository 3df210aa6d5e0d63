// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@testable import LiveEngine

/// A board's values are read whole while another thread writes them. The thread sanitizer looks on in `.ci/run`.
struct LiveBoardTests {
  @Test func aStatusIsReadWhole() async {
    let board = LiveBoard(inputs: 1, outputs: 1)
    let rounds = 20_000
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for round in 1...rounds {
          var status = LiveStatus(StreamAccount())
          (status.position, status.account.framesIn, status.nonFiniteOut) = (round, round, round)
          status.captureDrift = Double(round)
          unsafe board.cells.draft.pointee = status
          unsafe board.cells.publish()
        }
        return true
      }
      group.addTask {
        var last = 0
        while last < rounds {
          let status = board.status
          let numbers = [status.account.framesIn, status.nonFiniteOut]
          guard numbers.allSatisfy({ $0 == status.position }), status.position >= last,
            status.position == 0 || status.captureDrift == Double(status.position)
          else { return false }
          last = status.position
        }
        return true
      }
      for await isWhole in group { #expect(isWhole) }
    }
    #expect(board.status.position == rounds)
  }

  @Test func theFirstXrunsAreKept() {
    let board = LiveBoard(inputs: 1, outputs: 1)
    #expect(board.xruns == [])
    let all = (0..<70).map { Xrun($0 % 2 == 0 ? .overrun : .underrun, at: 1000 * $0, length: $0) }
    for xrun in all { unsafe board.cells.xruns.note(xrun) }
    #expect(board.xruns == Array(all[..<64]))
  }

  @Test func peaksAreTaken() {
    let board = LiveBoard(inputs: 1, outputs: 2)
    for peak: Float in [0.25, 0.5, 0.125] { unsafe board.cells.note(peak: peak.bitPattern, ofRow: 2) }
    unsafe board.cells.note(peak: Float(2).bitPattern, ofRow: 0)
    #expect(board.takePeak(ofOutput: 1) == 0.5 && board.takePeak(ofOutput: 1) == 0)
    #expect(board.takePeak(ofInput: 0) == 2 && board.takePeak(ofOutput: 0) == 0)
    for busy in [30, 50, 20] { unsafe board.cells.note(busy: busy) }
    #expect(board.takeLongestBusy() == 50 && board.takeLongestBusy() == 0)
  }
}
