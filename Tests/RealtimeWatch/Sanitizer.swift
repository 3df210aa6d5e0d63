// SPDX-License-Identifier: Apache-2.0

internal import CRealtimeWatch

/// What the tests were built with to find errors of memory and of threads.
package enum Sanitizer {
  case address, thread

  package var isLinked: Bool {
    switch self {
    case .address: address_sanitizer_is_linked()
    case .thread: thread_sanitizer_is_linked()
    }
  }
}
