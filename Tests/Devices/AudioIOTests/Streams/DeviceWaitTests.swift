// SPDX-License-Identifier: Apache-2.0

import CDeviceCalls
import Glibc
import Testing

/// The ends of a wait for one of two devices: here, files that stand for what devices are waited for with.
@Suite("Devices: waiting for one of two")
struct DeviceWaitTests {
  /// A file that may be there, and may be readable.
  enum File: CaseIterable { case silent, readable, gone }

  @Test(
    "the other one ends a wait only where it is gone, and is not taken for the one that is awaited",
    arguments: File.allCases, File.allCases)
  func waits(_ awaited: File, _ other: File) throws {
    var ends: [Int32] = []
    defer { for end in ends { close(end) } }
    func open(_ file: File) throws -> pollfd {
      // No process has so many files.
      var descriptor = Int32.max
      if file != .gone {
        var pair: [Int32] = [0, 0]
        try #require(unsafe pipe(&pair) == 0)
        ends += pair
        descriptor = pair[0]
        if file == .readable { try #require(unsafe write(pair[1], "x", 1) == 1) }
      }
      return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }
    var files = [try open(awaited), try open(other)]
    let code = unsafe CDeviceWait(nil, 1, nil, 1, &files, awaited == .silent && other != .gone ? 10 : 60_000)
    let expected =
      switch (awaited, other) {
      case (.gone, _): -ENODEV
      case (_, .gone): Int32(CDeviceOtherGone.rawValue)
      case (.readable, _): Int32(CDeviceHappened.rawValue)
      case (.silent, _): Int32(CDeviceTimeRanOut.rawValue)
      }
    #expect(code == expected)
  }
}
