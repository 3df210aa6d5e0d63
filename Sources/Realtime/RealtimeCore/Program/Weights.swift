// SPDX-License-Identifier: Apache-2.0

/// The packed weights of a program: bytes that begin at a multiple of 64 and never change.
///
/// Their order is the compiler's business. Contexts of one program share them.
@safe
public final class Weights: Sendable {
  /// The alignment of the first byte, in bytes.
  public static let alignment = 64

  nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer
  private let isOwned: Bool
  /// Whoever else has the bytes.
  private let owner: (any AnyObject & Sendable)?

  /// Copies bytes from any place.
  public convenience init(copying source: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: source.count, alignment: Weights.alignment)
    unsafe copy.copyMemory(from: source)
    unsafe self.init(owning: UnsafeRawBufferPointer(copy))
  }

  /// Copies bytes of an array.
  public convenience init(copying source: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: source.count, alignment: Weights.alignment)
    unsafe copy.copyBytes(from: source)
    unsafe self.init(owning: UnsafeRawBufferPointer(copy))
  }

  /// Uses bytes in place, such as the data section of a program that was compiled ahead of time.
  ///
  /// The bytes must stay where they are, unchanged, for as long as the process runs.
  /// - Throws: `ProgramError.weightsMisaligned` where they do not begin at a multiple of 64.
  public init(unsafeStatic bytes: UnsafeRawBufferPointer) throws(ProgramError) {
    let address = UInt(bitPattern: bytes.baseAddress)
    guard address.isMultiple(of: UInt(Weights.alignment)) else {
      throw .weightsMisaligned(address: address)
    }
    unsafe self.bytes = bytes
    isOwned = false
    owner = nil
  }

  /// Uses bytes of an owner in place; they begin at a multiple of 64 and stay as they are while the owner lives.
  package init(unsafe bytes: UnsafeRawBufferPointer, of owner: any AnyObject & Sendable) {
    precondition(
      UInt(bitPattern: bytes.baseAddress).isMultiple(of: UInt(Weights.alignment)), "weights on a cache line")
    unsafe self.bytes = bytes
    isOwned = false
    self.owner = owner
  }

  private init(owning bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
    isOwned = true
    owner = nil
  }

  deinit {
    if isOwned { unsafe bytes.deallocate() }
  }
}
