// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The refusal of the system to start an audio thread.
package struct AudioThreadError: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String

  /// The audio thread cannot be started.
  init(starting code: Int32) {
    description = "the audio thread cannot be started: \(unsafe String(cString: strerror(code)))"
  }
}
