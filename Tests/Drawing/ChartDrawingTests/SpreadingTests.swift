// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChartDrawing

@Suite("Spreading labels")
struct SpreadingTests {
  @Test("what has room stays where it is")
  func room() {
    #expect(spread([50, 10, 30], apart: 15, within: 0...100) == [50, 10, 30])
    #expect(spread([], apart: 15, within: 0...100) == [])
  }

  @Test("what touches moves apart evenly")
  func touching() {
    #expect(spread([50, 50], apart: 10, within: 0...100) == [45, 55])
    #expect(spread([10, 12, 40], apart: 8, within: 0...100) == [7, 15, 40])
  }

  @Test("nothing leaves the range while there is room in it")
  func ends() {
    #expect(spread([0, 1, 2], apart: 10, within: 0...100) == [0, 10, 20])
    #expect(spread([99, 100], apart: 10, within: 0...100) == [90, 100])
    // A block that is pushed back from an end pushes on.
    #expect(spread([85, 100, 100], apart: 10, within: 0...100) == [80, 90, 100])
    #expect(spread([1, 1, 1], apart: 10, within: 0...5) == [0, 10, 20])
  }
}
