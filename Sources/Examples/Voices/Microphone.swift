// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Speech from a sound device, as it comes.
package enum Microphone {
  package static let standard = "default"

  /// Opens a device and hands over all that came in the last moment, until whoever takes it wants no more.
  ///
  /// - Parameters:
  ///   - device: its name in ALSA.
  ///   - take: gets the sound of some milliseconds at 16 kHz, and says whether to go on.
  /// - Throws: `VoiceError.device` where there is none, or it goes, with what to do.
  package static func listen(
    _ device: String, take: ([Float]) throws -> Bool
  ) throws {
    var stream = try open(device)
    var mix = unsafe try Downmix(channels: stream.inputRows.count, rate: stream.rate, path: device)
    while true {
      switch stream.next() {
      case .period:
        unsafe mix.add(stream.inputRows, frames: stream.period)
        stream.finish()
        let came = mix.samples
        mix.keep(last: 0)
        guard try take(came) else { return }
      case .nothing:
        guard try take([]) else { return }
      case .ended:
        throw refusal("\(device) (capture): the device is gone")
      }
    }
  }

  /// The device at 16 kHz, or at a rate that it has.
  private static func open(_ device: String) throws(VoiceError) -> DeviceStream {
    var first: DeviceError?
    for rate in [Speech.rate, 48_000, 44_100] {
      do throws(DeviceError) {
        var handle = try DeviceHandle(opening: device, .capture)
        var request = DeviceRequest(rate: rate, channels: 1)
        // Half a second: what was heard is looked at between two periods.
        request.period = rate / 50
        request.periods = 25
        let setup = try handle.setUp(request)
        return try DeviceStream(capture: handle, setup, outputs: 0)
      } catch {
        if first == nil { first = error }
        guard case .cannot = error.problem else { break }
      }
    }
    throw refusal(first?.description ?? device)
  }

  private static func refusal(_ reason: String) -> VoiceError {
    .device("\(reason); name another microphone with --device (legato devices lists them), or a recording")
  }
}
