// SPDX-License-Identifier: Apache-2.0

internal import CALSA

extension DeviceHandle {
  /// Says when the device starts, stops and wakes: when it is told to, when the buffer is exhausted, and once a period.
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
