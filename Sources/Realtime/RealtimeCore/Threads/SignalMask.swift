// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that a thread receives.
package enum SignalMask {
  /// Lets a thread be made that no signal interrupts, but for those that its own faults raise: it inherits what its
  /// maker does not receive meanwhile.
  package static func withoutSignals(_ make: () -> Int32) -> Int32 {
    var (blocked, former) = (sigset_t(), sigset_t())
    unsafe sigfillset(&blocked)
    for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT] {
      unsafe sigdelset(&blocked, number)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &former)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
    return make()
  }
}
