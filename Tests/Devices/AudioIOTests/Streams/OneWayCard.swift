// SPDX-License-Identifier: Apache-2.0

import AudioIO
import RealtimeCore
import VirtualCards

/// One direction of a card, through the loop over periods. What is played counts its frames, as the card's ramp does.
struct OneWayCard {
  let account: StreamAccount
  let end: StreamEnd?
  let latency: Int
  let drifts: [Double?]
  /// The first channel of what came in.
  let heard: [Float]

  /// Runs until so many periods came, or the stream ends.
  init(
    _ card: VirtualCard, _ direction: DeviceDirection, period: Int = 1024,
    access: DeviceAccess = DeviceAccess(isMapped: false, isPlanar: false), periods: Int
  ) throws {
    var request = DeviceRequest(rate: 48000, channels: 2)
    (request.format, request.period) = (.int16, period)
    (request.isMapped, request.isPlanar) = (access.isMapped, access.isPlanar)
    var handle = try DeviceHandle(opening: card.name, direction)
    let setup = try handle.setUp(request)
    var stream: DeviceStream
    switch direction {
    case .capture: stream = try DeviceStream(capture: handle, setup, outputs: 0)
    case .playback: stream = try DeviceStream(playback: handle, setup, inputs: 1, dither: .none)
    }
    var heard: [Float] = []
    var came = 0
    steps: while came < periods {
      switch stream.next() {
      case .period:
        for frame in 0..<stream.period {
          switch direction {
          case .capture: unsafe heard.append(stream.inputRows[0][frame])
          case .playback:
            for channel in 0..<2 {
              let sample = CardFormat.integer16.ramp(came * stream.period + frame, channel: channel)
              unsafe stream.outputRows[channel][frame] = Float(sample)
            }
          }
        }
        came += 1
        stream.finish()
      case .nothing: continue
      case .ended: break steps
      }
    }
    self.heard = heard
    account = stream.account
    end = stream.end
    latency = stream.latency
    drifts = [stream.drift(of: .capture), stream.drift(of: .playback)]
  }
}
