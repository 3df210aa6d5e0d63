// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LiveDrawing

@Suite("Numbers and levels of the view")
struct ViewNumbersTests {
  @Test(
    "numbers are short",
    arguments: [
      (8, "8"), (0.1, "0.1"), (1 / 3, "0.3333"), (12.3456, "12.35"), (22050, "22050"), (0, "0"),
      (-0.00001, "-1e-05"),
      (3e38, "3e+38"), (999.96, "1000"), (-6, "-6"),
    ] as [(Float, String)])
  func numbers(_ number: Float, _ text: String) {
    #expect(ShownNumber.value(number) == text)
  }

  @Test("the loudest sample is held, then falls")
  func holding() {
    var hold = PeakHold()
    hold.note(0.5, after: 0.05)
    for _ in 0..<39 { hold.note(0.1, after: 0.05) }
    #expect(hold.held == 0.5 && !hold.isClipped)
    for _ in 0..<20 { hold.note(0.01, after: 0.05) }
    #expect(abs(hold.held - 0.05) < 0.01)
    hold.note(1, after: 0.05)
    #expect(hold.held == 1 && hold.isClipped)
  }
}
