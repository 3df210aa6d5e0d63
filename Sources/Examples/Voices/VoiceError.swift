// SPDX-License-Identifier: Apache-2.0

/// The reason why something cannot be done, as a line for the person who asked.
package enum VoiceError: Error, Hashable, CustomStringConvertible {
  /// A recording, an encoder or a folder is not as it has to be.
  case failed(String)
  /// A wish that cannot be meant.
  case usage(String)
  /// There is no microphone, or it is gone.
  case device(String)

  package var description: String {
    switch self {
    case .failed(let text), .usage(let text), .device(let text): text
    }
  }

  /// How the process ends.
  package var exitCode: Int32 {
    switch self {
    case .failed: 1
    case .usage: 2
    case .device: 3
    }
  }
}
