// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// The sound of a device as one channel at a rate, whatever rate the device has.
///
/// It has a buffer of half a second, so that whoever takes the sound may work between two looks.
package struct MonoCapture: ~Copyable {
  private let device: String
  private var stream: DeviceStream
  private var mix: Downmix

  /// - Throws: `DeviceError` where the device cannot be had, or has no rate that can be brought to this one.
  package init(_ device: String, rate: Int) throws(DeviceError) {
    let stream = try Self.open(device, rate: rate)
    mix = try Self.mix(of: device, channels: unsafe stream.inputRows.count, from: stream.rate, to: rate)
    self.device = device
    self.stream = stream
  }

  private static func mix(
    of device: String, channels: Int, from own: Int, to rate: Int
  ) throws(DeviceError) -> Downmix {
    do throws(ResamplerError) { return try Downmix(channels: channels, from: own, to: rate) } catch {
      throw DeviceError(device, .capture, .cannot("\(error)"))
    }
  }

  /// The samples of the last moment; empty where nothing did in the time in which something should.
  ///
  /// - Throws: `DeviceError` where the device is gone.
  package mutating func next() throws(DeviceError) -> [Float] {
    switch stream.next() {
    case .period:
      unsafe mix.add(stream.inputRows, frames: stream.period)
      stream.finish()
      return mix.take()
    case .nothing: return []
    case .ended: throw DeviceError(device, .capture, .lost)
    }
  }

  /// Frames that were lost, as nobody took them in time.
  package var framesLost: Int { Int(stream.account.framesLost) }

  /// The device at the rate, or at one that it has.
  private static func open(_ device: String, rate: Int) throws(DeviceError) -> DeviceStream {
    var first: DeviceError?
    for rate in [rate, 48_000, 44_100] {
      do throws(DeviceError) {
        var handle = try DeviceHandle(opening: device, .capture)
        var request = DeviceRequest(rate: rate, channels: 1)
        request.period = max(16, rate / 50)
        request.periods = 25
        let setup = try handle.setUp(request)
        return try DeviceStream(capture: handle, setup, outputs: 0)
      } catch {
        if first == nil { first = error }
        guard case .cannot = error.problem else { break }
      }
    }
    throw first!
  }
}
