// SPDX-License-Identifier: Apache-2.0

/// The strain of another plug-in on the caches between two blocks of ours: it runs code of its own, more than a first
/// cache holds, and changes a byte in every line of memory that is larger than a second cache.
///
///     ours │ 256 other ops │ 8 MiB, line by line │ ours
///
/// What a third cache keeps of ours is left there: so it is in a host.
@safe final class OtherProgram {
  private static let bytes = 8 << 20
  private static let line = 64

  private let instrument: Instrument
  private let memory: UnsafeMutablePointer<UInt8>

  init() throws {
    instrument = try Instrument(Models.ops(256), frames: 64)
    unsafe memory = .allocate(capacity: Self.bytes)
    unsafe memory.initialize(repeating: 0, count: Self.bytes)
  }

  deinit { unsafe memory.deallocate() }

  func run() {
    instrument.run(1)
    for place in stride(from: 0, to: Self.bytes, by: Self.line) { unsafe memory[place] &+= 1 }
  }
}
