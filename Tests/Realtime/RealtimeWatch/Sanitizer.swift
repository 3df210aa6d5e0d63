// SPDX-License-Identifier: Apache-2.0

internal import CRealtimeWatch

/// The sanitizers that the tests were built with.
///
/// Code that was built with one of them enters the kernel and touches memory by itself: it cannot be watched.
package enum Sanitizer: CaseIterable {
  case address, thread

  package static var isAbsent: Bool { !allCases.contains(where: \.isLinked) }

  package var isLinked: Bool {
    switch self {
    case .address: address_sanitizer_is_linked()
    case .thread: thread_sanitizer_is_linked()
    }
  }
}
