// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CALSAMessages

extension DeviceHandle {
  /// Sets the device up as it is asked for, or explains what the device can do instead.
  ///
  ///     rate, channels, format, access   exactly, or an error that lists what is possible
  ///     period, buffer                   as near as the device can, and a notice
  ///
  /// Where no format is asked for, the first of FLOAT, S32, S24_3, S24 and S16 is taken with which the rest is
  /// possible: some devices have a rate in one format only. Nothing is converted, so that what is heard is what was
  /// made.
  package mutating func setUp(_ request: DeviceRequest) throws(DeviceError) -> DeviceSetup {
    guard request.isPossible else {
      throw refusal(
        "no device has \(request.rate) Hz, \(request.channels) channels and \(request.periods) periods "
          + "of \(request.period) frames")
    }
    CALSAForgetMessages()
    let all = try HardwareSpace(self)
    var space = HardwareSpace(copying: all)
    let access = try choose(request, in: &space)
    let candidates = request.format.map { [$0] } ?? DeviceFormat.allCases
    var explanation: DeviceError?
    for format in candidates where space.allows(format) {
      do {
        return try setUp(request, access, format, from: space, of: all)
      } catch {
        explanation = explanation ?? error
      }
    }
    if let explanation { throw explanation }
    let held = DeviceCapabilities(space)
    guard !held.formats.isEmpty else {
      throw refusal("the device has no format of \(DeviceFormat.list)\(remedy)")
    }
    throw refusal("no \(candidates[0].name) is possible; the device has \(held.formatsText)\(remedy)")
  }

  private func choose(_ request: DeviceRequest, in space: inout HardwareSpace) throws(DeviceError)
    -> DeviceAccess
  {
    for access in request.accesses where space.allows(access) {
      if space.choose(access) { return access }
    }
    let held = DeviceCapabilities(space).accesses
    guard !held.isEmpty else {
      throw refusal("the device gives access to its samples in no known way\(remedy)")
    }
    let wanted = request.accesses.map(\.name).joined(separator: " or ")
    throw refusal(
      "no \(wanted) access is possible; the device has \(held.map(\.name).joined(separator: ", "))")
  }

  private mutating func setUp(
    _ request: DeviceRequest, _ access: DeviceAccess, _ format: DeviceFormat,
    from start: borrowing HardwareSpace,
    of all: borrowing HardwareSpace
  ) throws(DeviceError) -> DeviceSetup {
    var space = HardwareSpace(copying: start)
    guard space.choose(format) else { throw refusal("\(format.name) is not possible") }
    let channels = try choose(channelsOf: request, in: &space, format)
    guard space.choose(rate: request.rate) else {
      let held = DeviceCapabilities(space)
      // Where another choice would have left the rate, that is the reason.
      let cause = all.allows(rate: request.rate) ? " with \(format.name) and \(channels) channels" : ""
      throw refusal("\(request.rate) Hz is not possible\(cause); the device has \(held.ratesText)\(remedy)")
    }
    let periods = space.periods
    guard let period = space.choose(periodNear: request.period) else {
      throw refusal("no period is possible at \(request.rate) Hz")
    }
    let buffers = space.buffers
    guard let buffer = space.choose(bufferNear: period * request.periods), buffer >= 2 * period else {
      throw refusal(
        "no buffer of two periods of \(period) frames is possible; it has \(DeviceCapabilities.text(buffers)), "
          + "so ask for a period of at most \(buffers.upperBound / 2)")
    }
    CALSAForgetMessages()
    let code = space.install()
    guard code >= 0 else { throw error("cannot be set up", code: code) }

    var notices: [String] = []
    if period != request.period {
      notices.append(
        notice(
          "periods of \(period) frames, not \(request.period): the device has \(DeviceCapabilities.text(periods))"
        ))
    }
    if buffer != period * request.periods {
      notices.append(
        notice(
          "a buffer of \(buffer) frames, not \(period * request.periods): "
            + "with this period the device has \(DeviceCapabilities.text(buffers))"))
    }
    return DeviceSetup(
      rate: request.rate, channels: channels, format: format, access: access, period: period, buffer: buffer,
      notices: notices)
  }

  /// Chooses as many channels as are asked for, or as few more as are possible.
  private func choose(
    channelsOf request: DeviceRequest, in space: inout HardwareSpace, _ format: DeviceFormat
  ) throws(DeviceError) -> Int {
    let held = DeviceCapabilities(space)
    let enough = held.channels.first { $0.upperBound >= request.channels }
    guard let enough, space.choose(channels: max(enough.lowerBound, request.channels)) else {
      throw refusal("\(request.channels) channels are too many; the device has \(held.channelsText)")
    }
    return max(enough.lowerBound, request.channels)
  }

  private func refusal(_ what: String) -> DeviceError { DeviceError(device, direction, .cannot(what)) }

  private func notice(_ what: String) -> String { "\(device) (\(direction.rawValue)): \(what)" }

  /// The hint at a device that converts, where the device itself does not.
  private var remedy: String {
    device.hasPrefix("hw:") ? "; choose from these, or plug\(device), which converts" : ""
  }
}
