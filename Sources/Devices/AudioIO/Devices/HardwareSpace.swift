// SPDX-License-Identifier: Apache-2.0

internal import CALSA

/// The configurations that a device can take, which each choice narrows; alsa-lib's hw_params.
///
///     all ─ access ─▶ fewer ─ format ─▶ fewer ─ channels ─▶ … ─ buffer ─▶ one
@safe struct HardwareSpace: ~Copyable {
  private let pcm: OpaquePointer
  private let parameters: OpaquePointer

  /// All configurations of a device, without conversion of rates. It may not be used after the handle is gone.
  init(_ handle: borrowing DeviceHandle) throws(DeviceError) {
    let (device, space) = unsafe (handle.pcm, Self.reserve())
    var code = unsafe snd_pcm_hw_params_any(device, space)
    if code >= 0 { code = unsafe snd_pcm_hw_params_set_rate_resample(device, space, 0) }
    guard code >= 0 else {
      unsafe snd_pcm_hw_params_free(space)
      throw handle.error("has no configuration", code: code)
    }
    unsafe pcm = device
    unsafe parameters = space
  }

  /// A space of its own with the same configurations.
  init(copying other: borrowing HardwareSpace) {
    unsafe pcm = other.pcm
    unsafe parameters = Self.reserve()
    unsafe snd_pcm_hw_params_copy(parameters, other.parameters)
  }

  private static func reserve() -> OpaquePointer {
    var space: OpaquePointer?
    guard unsafe snd_pcm_hw_params_malloc(&space) >= 0, let space = unsafe space else {
      fatalError("no memory is left")
    }
    return unsafe space
  }

  deinit { unsafe snd_pcm_hw_params_free(parameters) }

  func allows(_ access: DeviceAccess) -> Bool {
    unsafe snd_pcm_hw_params_test_access(pcm, parameters, access.code) == 0
  }

  func allows(_ format: DeviceFormat) -> Bool {
    unsafe snd_pcm_hw_params_test_format(pcm, parameters, format.code) == 0
  }

  func allows(rate: Int) -> Bool {
    unsafe snd_pcm_hw_params_test_rate(pcm, parameters, UInt32(rate), 0) == 0
  }

  func allows(channels: Int) -> Bool {
    unsafe snd_pcm_hw_params_test_channels(pcm, parameters, UInt32(channels)) == 0
  }

  /// Each choice says whether it was possible.
  mutating func choose(_ access: DeviceAccess) -> Bool {
    unsafe snd_pcm_hw_params_set_access(pcm, parameters, access.code) >= 0
  }

  mutating func choose(_ format: DeviceFormat) -> Bool {
    unsafe snd_pcm_hw_params_set_format(pcm, parameters, format.code) >= 0
  }

  mutating func choose(rate: Int) -> Bool {
    unsafe snd_pcm_hw_params_set_rate(pcm, parameters, UInt32(rate), 0) >= 0
  }

  mutating func choose(channels: Int) -> Bool {
    unsafe snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(channels)) >= 0
  }

  /// Chooses the period, in frames, that is nearest to one.
  mutating func choose(periodNear wanted: Int) -> Int? {
    var frames = snd_pcm_uframes_t(wanted)
    var direction: Int32 = 0
    guard unsafe snd_pcm_hw_params_set_period_size_near(pcm, parameters, &frames, &direction) >= 0 else {
      return nil
    }
    return Int(frames)
  }

  /// Chooses the buffer, in frames, that is nearest to one.
  mutating func choose(bufferNear wanted: Int) -> Int? {
    var frames = snd_pcm_uframes_t(wanted)
    guard unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &frames) >= 0 else { return nil }
    return Int(frames)
  }

  /// Sets the device up with what is left; 0, or a negative error number.
  mutating func install() -> Int32 { unsafe snd_pcm_hw_params(pcm, parameters) }

  /// The range that is still possible, in frames.
  var periods: ClosedRange<Int> {
    var (least, most) = (snd_pcm_uframes_t(0), snd_pcm_uframes_t(0))
    var (below, above): (Int32, Int32) = (0, 0)
    unsafe snd_pcm_hw_params_get_period_size_min(parameters, &least, &below)
    unsafe snd_pcm_hw_params_get_period_size_max(parameters, &most, &above)
    return Self.range(Int(clamping: least), below, Int(clamping: most), above)
  }

  /// The range that is still possible, in frames.
  var buffers: ClosedRange<Int> {
    var (least, most) = (snd_pcm_uframes_t(0), snd_pcm_uframes_t(0))
    unsafe snd_pcm_hw_params_get_buffer_size_min(parameters, &least)
    unsafe snd_pcm_hw_params_get_buffer_size_max(parameters, &most)
    return Self.range(Int(clamping: least), 0, Int(clamping: most), 0)
  }

  var rates: ClosedRange<Int> {
    var (least, most) = (UInt32(0), UInt32(0))
    var (below, above): (Int32, Int32) = (0, 0)
    unsafe snd_pcm_hw_params_get_rate_min(parameters, &least, &below)
    unsafe snd_pcm_hw_params_get_rate_max(parameters, &most, &above)
    return Self.range(Int(least), below, Int(most), above)
  }

  var channels: ClosedRange<Int> {
    var (least, most) = (UInt32(0), UInt32(0))
    unsafe snd_pcm_hw_params_get_channels_min(parameters, &least)
    unsafe snd_pcm_hw_params_get_channels_max(parameters, &most)
    return Self.range(Int(least), 0, Int(most), 0)
  }

  /// The whole numbers in a range of which an end may lie beside one: `below` 1 is a little more than `least`, `above`
  /// -1 a little less than `most`. What a broken driver says must not trap.
  private static func range(_ least: Int, _ below: Int32, _ most: Int, _ above: Int32) -> ClosedRange<Int> {
    let first = least + (below > 0 ? 1 : 0)
    return first...max(first, most - (above < 0 ? 1 : 0))
  }
}
