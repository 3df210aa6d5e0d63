// SPDX-License-Identifier: Apache-2.0

/// The setup of one direction of a device.
package struct DeviceSetup: Equatable, Sendable {
  package let rate: Int
  /// The device's channels, which may be more than were asked for.
  package let channels: Int
  package let format: DeviceFormat
  package let access: DeviceAccess
  /// Frames between two interrupts.
  package let period: Int
  /// Frames in the device's buffer.
  package let buffer: Int
  /// Differences from the request, each a line that begins with the device.
  package let notices: [String]
}
