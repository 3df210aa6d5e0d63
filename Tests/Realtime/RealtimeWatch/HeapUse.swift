// SPDX-License-Identifier: Apache-2.0

internal import CRealtimeWatch

/// How much memory work asks for: a number that depends neither on the machine nor on who else uses it.
///
/// What copies its data for each part of a whole asks for the square of it.
package enum HeapUse {
  /// The bytes that the body asks the heap for on this thread, whether or not it gives them back.
  package static func bytes(_ body: () throws -> Void) rethrows -> Int {
    let before = heap_bytes_asked_for()
    try body()
    return Int(heap_bytes_asked_for() - before)
  }
}
