// SPDX-License-Identifier: Apache-2.0

internal import CALSA

extension DeviceFormat {
  /// alsa-lib's number for the format.
  var code: snd_pcm_format_t {
    switch self {
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .int32: SND_PCM_FORMAT_S32_LE
    case .int24Packed: SND_PCM_FORMAT_S24_3LE
    case .int24: SND_PCM_FORMAT_S24_LE
    case .int16: SND_PCM_FORMAT_S16_LE
    }
  }
}
