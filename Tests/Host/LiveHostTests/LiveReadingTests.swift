// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@testable import LiveEngine
@testable import LiveHost

@Suite("Readings of what plays")
struct LiveReadingTests {
  /// Lets a period go by, as the audio thread tells it.
  private func play(_ board: LiveBoard, peak: Float, busy: Int64) {
    var status = board.status
    status.account.periods += 1
    status.account.busy += busy
    unsafe board.cells.note(peak: peak.bitPattern, ofRow: 0)
    unsafe board.cells.note(busy: Int(busy))
    unsafe board.cells.draft.pointee = status
    unsafe board.cells.publish()
  }

  @Test("a look at which no period has come since the last one says what that said")
  func betweenPeriods() {
    let board = LiveBoard(inputs: 1, outputs: 1)
    func read(after last: LiveReading?) -> LiveReading {
      LiveReading(board, after: last, rate: 48_000, period: 4800)
    }
    // A period lasts 100 ms.
    play(board, peak: 0.5, busy: 25_000_000)
    let first = read(after: nil)
    let second = read(after: first)
    for reading in [first, second] {
      #expect(reading.load == 0.25 && reading.worstLoad == 0.25)
      #expect(reading.inputPeaks == [0.5] && reading.outputPeaks == [0])
    }
    play(board, peak: 0.25, busy: 50_000_000)
    let third = read(after: second)
    #expect(third.load == 0.5 && third.worstLoad == 0.5 && third.inputPeaks == [0.25])
  }
}
