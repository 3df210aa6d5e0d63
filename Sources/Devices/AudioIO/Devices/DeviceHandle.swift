// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CALSAMessages
internal import Glibc

/// One direction of a device that is open.
///
/// alsa-lib writes nothing to the standard error from the first one on: what it would say is kept, and said by who
/// opens the device.
@safe package struct DeviceHandle: ~Copyable {
  package let device: String
  package let direction: DeviceDirection
  let pcm: OpaquePointer

  /// Opens a device. It never waits for one that is busy.
  ///
  /// Formats that the device cannot do stay impossible: only a name that begins with `plug` lets alsa-lib convert.
  package init(opening device: String, _ direction: DeviceDirection) throws(DeviceError) {
    CALSAKeepMessages()
    CALSAForgetMessages()
    let convertsNothing = SND_PCM_NO_AUTO_RESAMPLE | SND_PCM_NO_AUTO_CHANNELS | SND_PCM_NO_AUTO_FORMAT
    let mode = SND_PCM_NONBLOCK | (device.hasPrefix("plug") ? 0 : Int32(bitPattern: UInt32(convertsNothing)))
    var opened: OpaquePointer?
    let code = unsafe snd_pcm_open(&opened, device, direction.stream, mode)
    guard code >= 0, let opened = unsafe opened else {
      throw DeviceError(device, direction, .init(opening: device, direction, code: code))
    }
    unsafe pcm = opened
    self.device = device
    self.direction = direction
  }

  deinit { unsafe _ = snd_pcm_close(pcm) }

  /// The error of a call that failed.
  func error(_ what: String, code: Int32) -> DeviceError {
    switch -code {
    case ENODEV: DeviceError(device, direction, .lost)
    case EBUSY: DeviceError(device, direction, .busy(DeviceHolder.find(of: device, direction)))
    case _: DeviceError(device, direction, .system("\(what): \(ALSAText.reason(code))"))
    }
  }
}

extension DeviceError.Problem {
  /// The problem that kept a device from being opened.
  fileprivate init(opening device: String, _ direction: DeviceDirection, code: Int32) {
    switch -code {
    case ENOENT where CardAddress(device)?.lacks(direction) == true:
      self = .oneWay
    case ENOENT, ENODEV, ENXIO:
      let cause = ALSAText.cause
      self = .unknown(cause.hasPrefix("Unknown PCM") ? "" : cause)
    case EBUSY, EAGAIN:
      self = .busy(DeviceHolder.find(of: device, direction))
    case EACCES, EPERM:
      self = .noPermission
    case ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH:
      self = .noServer
    case _:
      self = .system("cannot be opened: \(ALSAText.reason(code))")
    }
  }
}

extension DeviceHandle {
  /// The device's capabilities, while it is open.
  package func capabilities() throws(DeviceError) -> DeviceCapabilities {
    DeviceCapabilities(try HardwareSpace(self))
  }

  /// Sets when the device starts, stops and wakes: on request, when the buffer is exhausted, and once a period.
  mutating func setUpWaking(_ setup: DeviceSetup) throws(DeviceError) {
    var reserved: OpaquePointer?
    guard unsafe snd_pcm_sw_params_malloc(&reserved) >= 0, let parameters = unsafe reserved else {
      throw DeviceError(device, direction, .system("no memory is left"))
    }
    defer { unsafe snd_pcm_sw_params_free(parameters) }
    let (period, buffer) = (snd_pcm_uframes_t(setup.period), snd_pcm_uframes_t(setup.buffer))
    var code = unsafe snd_pcm_sw_params_current(pcm, parameters)
    // More than any buffer holds: only an explicit start starts it.
    if code >= 0 { code = unsafe snd_pcm_sw_params_set_start_threshold(pcm, parameters, .init(Int32.max)) }
    if code >= 0 { code = unsafe snd_pcm_sw_params_set_stop_threshold(pcm, parameters, buffer) }
    if code >= 0 { code = unsafe snd_pcm_sw_params_set_avail_min(pcm, parameters, period) }
    if code >= 0 { code = unsafe snd_pcm_sw_params(pcm, parameters) }
    guard code >= 0 else { throw error("cannot be set up", code: code) }
  }
}
