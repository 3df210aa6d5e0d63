// SPDX-License-Identifier: Apache-2.0

internal import CALSA

/// The direction of sound through a device.
package enum DeviceDirection: String, CaseIterable, Sendable {
  case capture, playback

  var stream: snd_pcm_stream_t {
    switch self {
    case .capture: SND_PCM_STREAM_CAPTURE
    case .playback: SND_PCM_STREAM_PLAYBACK
    }
  }

  var other: DeviceDirection {
    @_noLocks get {
      switch self {
      case .capture: .playback
      case .playback: .capture
      }
    }
  }
}
