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
    var capture = try refused { () throws(DeviceError) in try MonoCapture(device, rate: Speech.rate) }
    while try take(refused { () throws(DeviceError) in try capture.next() }) {}
  }

  private static func refused<Value: ~Copyable>(
    _ body: () throws(DeviceError) -> Value
  ) throws(VoiceError) -> Value {
    do throws(DeviceError) { return try body() } catch {
      throw .device(
        "\(error); name another microphone with --device (legato devices lists them), or a recording")
    }
  }
}
