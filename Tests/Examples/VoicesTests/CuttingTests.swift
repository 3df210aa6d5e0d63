// SPDX-License-Identifier: Apache-2.0

import Testing
import Voices

@Suite struct CuttingTests {
  /// As resemblyzer's encoder is cut.
  private let cutting = Cutting(window: 25840, lead: 200, span: 25600, hop: 12320)

  /// Numbers of windows and the last one's start by `VoiceEncoder.compute_partial_slices(count, 1.3, 0.75)` of resemblyzer
  /// 0.1.4.
  @Test(arguments: [
    (8000, 1, 0), (25599, 1, 0), (25600, 1, 0), (31520, 2, 12320), (37920, 2, 12320), (44000, 3, 24640),
    (57119, 4, 36960), (57121, 4, 36960), (160_000, 12, 135_520), (161_237, 12, 135_520),
  ]) func startsAreThoseOfResemblyzer(count: Int, windows: Int, last: Int) {
    let starts = cutting.starts(of: count)
    #expect(starts.count == windows)
    #expect(starts.last == last)
  }

  @Test func windowsBeginWithSilenceAndLeavePausesOut() {
    let tone = (0..<25600).map { Float($0.isMultiple(of: 2) ? 0.5 : -0.5) }
    let windows = Array(cutting.windows(of: Speech(tone + [Float](repeating: 0, count: 40000) + tone)))
    #expect(windows[0].prefix(200).allSatisfy { $0 == 0 })
    #expect(windows[0][200] == 0.5 && windows[0].count == 25840)
    #expect(windows.count < cutting.starts(of: 91200).count)
  }
}
