// SPDX-License-Identifier: Apache-2.0

internal import CALSA

/// How samples get to a device and from it.
package struct DeviceAccess: Hashable, Sendable {
  /// Whether the program works in the device's own buffer, rather than having it read and written.
  package let isMapped: Bool
  /// Whether each channel has its samples together, rather than each frame.
  package let isPlanar: Bool

  /// From what works everywhere to the rest.
  static let allCases = [false, true].flatMap { isMapped in
    [false, true].map { DeviceAccess(isMapped: isMapped, isPlanar: $0) }
  }

  package init(isMapped: Bool, isPlanar: Bool) {
    self.isMapped = isMapped
    self.isPlanar = isPlanar
  }

  /// The name in a sentence.
  package var name: String { (isMapped ? "mapped " : "") + (isPlanar ? "planar" : "interleaved") }

  var code: snd_pcm_access_t {
    switch (isMapped, isPlanar) {
    case (false, false): SND_PCM_ACCESS_RW_INTERLEAVED
    case (false, true): SND_PCM_ACCESS_RW_NONINTERLEAVED
    case (true, false): SND_PCM_ACCESS_MMAP_INTERLEAVED
    case (true, true): SND_PCM_ACCESS_MMAP_NONINTERLEAVED
    }
  }
}
