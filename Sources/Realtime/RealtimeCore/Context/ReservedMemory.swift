// SPDX-License-Identifier: Apache-2.0

internal import CRealtime
import Glibc

/// Memory that is there and all zeros, every page of it touched, or is refused in words: Swift's own way ends the
/// process where there is none. What a model's or a user's numbers make large is reserved so.
@safe
package struct ReservedMemory: ~Copyable, @unchecked Sendable {
  /// The bytes, from a cache line on; valid as long as the memory.
  package let bytes: UnsafeMutableRawBufferPointer

  /// - Throws: `ContextError.outOfMemory`.
  package init(bytes count: Int) throws(ContextError) {
    precondition(count >= 0, "memory has a negative size")
    var start: UnsafeMutableRawPointer?
    let isThere = unsafe posix_memalign(&start, Weights.alignment, max(count, 1)) == 0
    guard isThere, let start = unsafe start else { throw .outOfMemory(bytes: count) }
    unsafe legato_clear(start, count)
    unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  /// Room for so many numbers.
  ///
  /// - Throws: `ContextError.outOfMemory`.
  package init(numbers count: Int) throws(ContextError) {
    try self.init(bytes: count * MemoryLayout<Float>.stride)
    _ = unsafe bytes.bindMemory(to: Float.self)
  }

  deinit { unsafe free(bytes.baseAddress) }

  /// The numbers, where it was reserved for such.
  package var numbers: UnsafeMutablePointer<Float> {
    // It has an address though it be empty.
    @_noLocks get { unsafe bytes.baseAddress!.assumingMemoryBound(to: Float.self) }
  }
}
