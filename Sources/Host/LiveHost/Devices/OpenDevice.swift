// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// One direction of a device, open and set up.
struct OpenDevice: ~Copyable {
  let handle: DeviceHandle
  let setup: DeviceSetup

  /// Opens a device and sets it up as it is asked for.
  ///
  /// - Parameter request: what it is asked for; it is told the most channels that the device has.
  init(
    _ name: String, _ direction: DeviceDirection,
    _ request: (_ mostChannels: Int) throws -> DeviceRequest
  ) throws {
    var handle = try DeviceHandle(opening: name, direction)
    let channels = try handle.capabilities().channels
    let request = try request(channels.last?.upperBound ?? 1)
    setup = try handle.setUp(request)
    self.handle = handle
  }

  /// The device in a line: "hw:0 (capture): 2 channels, S32 interleaved, periods of 256 in a buffer of 1024".
  var description: String {
    "\(handle.device) (\(handle.direction.rawValue)): \(counted(setup.channels, "channel")), \(setup.format.name) "
      + "\(setup.access.name), periods of \(setup.period) in a buffer of \(setup.buffer)"
  }
}
