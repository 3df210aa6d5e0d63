// SPDX-License-Identifier: Apache-2.0

import AudioIO
import RealtimeCore
import VirtualCards

/// A card whose capture goes back to its playback, each channel negated, through the loop over periods.
struct LoopedCard {
  let card: VirtualCard
  let account: StreamAccount
  let end: StreamEnd?
  let ending: StreamEnding?
  let latency: Int
  let drifts: [Double?]
  /// The frames that came in, as they came.
  let heard: [[Float]]

  /// Runs until so many periods came in, or the stream ends.
  ///
  /// - Parameter other: a card that plays; nil: the same.
  init(
    _ card: VirtualCard, playing other: VirtualCard? = nil, format: DeviceFormat = .int16, channels: Int = 2,
    period: Int = 1024, access: DeviceAccess = DeviceAccess(isMapped: false, isPlanar: false), periods: Int
  ) throws {
    var request = DeviceRequest(rate: 48000, channels: channels)
    (request.format, request.period) = (format, period)
    (request.isMapped, request.isPlanar) = (access.isMapped, access.isPlanar)
    var capture = try DeviceHandle(opening: card.name, .capture)
    let captureSetup = try capture.setUp(request)
    var playback = try DeviceHandle(opening: (other ?? card).name, .playback)
    let playbackSetup = try playback.setUp(request)
    var stream = try DeviceStream(
      capture: capture, captureSetup, playback: playback, playbackSetup, dither: .none)
    var heard = [[Float]](repeating: [], count: channels)
    var came = 0
    steps: while came < periods {
      switch stream.next() {
      case .period:
        came += 1
        for channel in 0..<channels {
          guard let input = unsafe stream.inputs[channel], let output = unsafe stream.outputs[channel] else {
            break steps
          }
          for frame in 0..<stream.period { unsafe output[frame] = -input[frame] }
          unsafe heard[channel] += UnsafeBufferPointer(start: input, count: stream.period)
        }
        stream.finish()
      case .nothing: continue
      case .ended: break steps
      }
    }
    self.card = card
    self.heard = heard
    account = stream.account
    end = stream.end
    ending = stream.ending
    latency = stream.latency
    drifts = [stream.drift(of: .capture), stream.drift(of: .playback)]
  }
}
