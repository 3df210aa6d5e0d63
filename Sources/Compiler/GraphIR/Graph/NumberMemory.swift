// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The memory in which numbers stand side by side, given back when nobody has it any more.
@safe
final class NumberMemory: Sendable {
  nonisolated(unsafe) let numbers: UnsafeBufferPointer<Float>

  /// So many numbers, which a closure writes as bytes into memory that is 0.
  ///
  /// Memory that the system does not give is thrown where `Numbers.Unavailable` can be: by whoever reads files of weights,
  /// or packs them for a program.
  init<Failure: Error>(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let size = count * MemoryLayout<Float>.stride
    guard let bytes = unsafe Self.allocate(size) else {
      let refusal = Numbers.Unavailable("\(size) bytes of weights", "find no room in memory")
      guard let refusal = refusal as? Failure else { fatalError(refusal.message) }
      throw refusal
    }
    do throws(Failure) {
      try unsafe fill(bytes)
    } catch {
      unsafe Self.free(UnsafeRawBufferPointer(bytes))
      throw error
    }
    unsafe numbers = UnsafeBufferPointer(bytes.bindMemory(to: Float.self))
  }

  deinit { unsafe Self.free(UnsafeRawBufferPointer(numbers)) }

  /// Whether the memory is pages of its own, so that giving it back is felt.
  var hasOwnPages: Bool { unsafe Self.hasOwnPages(numbers.count) }
  static func hasOwnPages(_ count: Int) -> Bool { count * MemoryLayout<Float>.stride >= ownPages }

  /// Bytes from which on an array has pages of its own, which the system has back as soon as nobody uses it: the heap would
  /// keep them, and of large networks as many again.
  private static let ownPages = 1 << 20

  /// Memory that is 0; nil where the system gives none.
  private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    guard count >= ownPages else {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: Numbers.alignment)
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return unsafe bytes
    }
    // Pages of the system are 0, and come when they are written.
    let address = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else { return nil }
    return unsafe UnsafeMutableRawBufferPointer(start: address, count: count)
  }

  private static func free(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= ownPages, let address = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    else {
      unsafe bytes.deallocate()
      return
    }
    unsafe munmap(address, bytes.count)
  }
}
