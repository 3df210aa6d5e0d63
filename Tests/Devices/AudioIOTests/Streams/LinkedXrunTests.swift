// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Testing

/// Cards that can be linked are real ones: here is the rule alone.
@Suite("Devices: which of two linked directions had the xrun")
struct LinkedXrunTests {
  @Test(
    "the one that had fewer frames left; playback where both had as many",
    arguments: [
      (0, 300, DeviceDirection.playback), (300, 0, .capture), (-1, 0, .playback), (0, -1, .capture),
      (-24_000, -23_000, .playback), (-23_000, -24_000, .capture), (0, 0, .playback),
    ])
  func first(_ leftToPlay: Int, _ leftToCapture: Int, _ expected: DeviceDirection) {
    #expect(DeviceStream.firstToEnd(leftToPlay: leftToPlay, leftToCapture: leftToCapture) == expected)
  }
}
