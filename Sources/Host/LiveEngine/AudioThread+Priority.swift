// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension AudioThread {
  /// Above what ordinary programs have, below what drivers' interrupts have mostly.
  private static let priority: Int32 = 70

  /// Lets a thread that is made go before all that are not for sound; the system refuses it to who may not.
  static func ask(forPriorityIn attributes: inout pthread_attr_t) {
    var parameters = sched_param()
    parameters.sched_priority = priority
    unsafe pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    unsafe pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    unsafe pthread_attr_setschedparam(&attributes, &parameters)
  }
}
