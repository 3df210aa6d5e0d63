// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// One period in a device's format and order, for devices that are read and written.
///
///     interleaved  rows: 0                      a0 b0 a1 b1 …
///     planar       rows: 0, period, 2 periods   a0 a1 … b0 b1 …
///
/// It begins silent. Everything is reserved when it is made.
@safe struct PeriodBuffer: ~Copyable {
  private let memory: ReservedMemory
  private let isPlanar: Bool
  private let bytes: Int
  private let channels: Int
  private let areas: UnsafeMutablePointer<SampleArea>
  /// The addresses of the rows from a frame on, as alsa-lib takes them.
  private let rows: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// - Throws: `DeviceError` where there is no memory for it.
  init(of handle: borrowing DeviceHandle, _ setup: DeviceSetup, frames: Int) throws(DeviceError) {
    memory = try Self.memory(of: handle, setup, frames: frames)
    // A device has channels, and a period frames.
    let start = unsafe memory.bytes.baseAddress!
    isPlanar = setup.access.isPlanar
    bytes = setup.format.bytes
    channels = setup.channels
    unsafe areas = .allocate(capacity: channels)
    unsafe rows = .allocate(capacity: channels)
    for channel in 0..<channels {
      let first = unsafe start + (isPlanar ? channel * frames : channel) * bytes
      let stride = isPlanar ? bytes : channels * bytes
      unsafe (areas + channel).initialize(to: SampleArea(base: first, stride: stride))
      unsafe (rows + channel).initialize(to: first)
    }
  }

  private static func memory(
    of handle: borrowing DeviceHandle, _ setup: DeviceSetup, frames: Int
  ) throws(DeviceError) -> ReservedMemory {
    do throws(ContextError) {
      return try ReservedMemory(bytes: setup.format.bytes * setup.channels * frames)
    } catch {
      throw DeviceError(handle.device, handle.direction, setup, error)
    }
  }

  deinit {
    unsafe rows.deallocate()
    unsafe areas.deallocate()
  }

  /// The area of each channel's samples.
  var samples: UnsafePointer<SampleArea> { @_noLocks get { unsafe UnsafePointer(areas) } }

  /// The rows from a frame on, valid until the next call.
  @_noLocks func rows(from frame: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
    for channel in 0..<channels {
      unsafe rows[channel] = areas[channel].base + frame * areas[channel].stride
    }
    return unsafe rows
  }
}
