// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls

/// A look into a device's own buffer.
@safe struct MappedAreas: ~Copyable {
  private let channels: Int
  private let shown: UnsafeMutablePointer<CDeviceArea>
  private let areas: UnsafeMutablePointer<SampleArea>

  init(channels: Int) {
    self.channels = channels
    unsafe shown = .allocate(capacity: channels)
    unsafe areas = .allocate(capacity: channels)
  }

  deinit {
    unsafe areas.deallocate()
    unsafe shown.deallocate()
  }

  /// Shows up to `most` frames; returns how many, or a negative error number. `CDeviceCommit` has to follow.
  @_noLocks func show(_ pcm: OpaquePointer, _ most: Int, _ offset: inout UInt) -> Int {
    let frames = unsafe CDeviceMap(pcm, Int32(truncatingIfNeeded: channels), shown, &offset, most)
    guard frames > 0 else { return frames }
    for channel in 0..<channels {
      let area = unsafe shown[channel]
      unsafe (areas + channel).initialize(to: SampleArea(base: area.base, stride: area.stride))
    }
    return frames
  }

  /// The areas of the channels' samples that were mapped last.
  var samples: UnsafePointer<SampleArea> { @_noLocks get { unsafe UnsafePointer(areas) } }
}
