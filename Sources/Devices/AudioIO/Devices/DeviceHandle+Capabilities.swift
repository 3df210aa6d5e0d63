// SPDX-License-Identifier: Apache-2.0

extension DeviceHandle {
  /// The device's capabilities, while it is open.
  package func capabilities() throws(DeviceError) -> DeviceCapabilities {
    DeviceCapabilities(try HardwareSpace(self))
  }
}
