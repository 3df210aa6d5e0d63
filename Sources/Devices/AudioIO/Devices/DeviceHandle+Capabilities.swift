// SPDX-License-Identifier: Apache-2.0

extension DeviceHandle {
  /// What the device can do, while it is open.
  package func capabilities() throws(DeviceError) -> DeviceCapabilities {
    DeviceCapabilities(try HardwareSpace(self))
  }
}
