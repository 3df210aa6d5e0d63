// SPDX-License-Identifier: Apache-2.0

/// The setup that one direction of a device is asked for.
package struct DeviceRequest: Equatable, Sendable {
  /// Frames per second; this rate or none.
  package var rate: Int
  /// At least so many: a device that has more only is opened with as few more as it can.
  package var channels: Int
  /// How samples are stored; nil: the best that the device has.
  package var format: DeviceFormat?
  /// Frames between two interrupts; the nearest that the device can is taken, and said.
  package var period = 256
  /// Periods in the buffer; as near as the device can.
  package var periods = 4
  /// Whether samples are written in the device's own buffer.
  package var isMapped = false
  /// Whether samples are planar; nil: as the device has it, interleaved where it has both.
  package var isPlanar: Bool?

  package init(rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0, "sound has a rate and channels")
    self.rate = rate
    self.channels = channels
  }

  /// Whether alsa-lib can be asked for such numbers at all.
  var isPossible: Bool {
    (1...1 << 30).contains(rate) && (1...1 << 16).contains(channels) && (1...1 << 24).contains(period)
      && (1...1 << 10).contains(periods)
  }

  /// From the one that is preferred on.
  var accesses: [DeviceAccess] {
    (isPlanar.map { [$0] } ?? [false, true]).map { DeviceAccess(isMapped: isMapped, isPlanar: $0) }
  }
}
