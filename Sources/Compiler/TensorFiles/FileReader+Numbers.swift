// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension FileReader {
  /// Floats that stand in the file, which are read again after they were let go: then it is their fingerprint that tells
  /// whether they are the same, and not the file's time.
  ///
  /// - Parameters:
  ///   - place: the byte at which they begin; the file has as many as they take.
  ///   - count: how many there are.
  ///   - element: their kind there, one of those that floats hold as they are.
  ///   - subject: the numbers as messages call them.
  package func numbers(
    from place: Int, count: Int, _ element: TensorElement, subject: String
  ) throws(Numbers.Unavailable) -> Numbers {
    let numbers = try unsafe Numbers(unsafeRepeatable: count) { [self] memory throws(Numbers.Unavailable) in
      do throws(Failure) {
        if element == .f32 {
          try unsafe readFloats(from: place, into: memory)
        } else {
          try unsafe readHalves(from: place, element, into: memory)
        }
      } catch {
        throw Numbers.Unavailable(subject, error.message)
      }
    }
    do throws(Failure) { try checkIsUnchanged() } catch {
      throw Numbers.Unavailable(subject, error.message)
    }
    return numbers
  }

  private func readFloats(from place: Int, into memory: UnsafeMutableRawBufferPointer) throws(Failure) {
    try unsafe fill(memory, from: place)
    guard 1 != UInt32(littleEndian: 1) else { return }
    for place in stride(from: 0, to: memory.count, by: 4) {
      let bits = unsafe memory.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      unsafe memory.storeBytes(of: UInt32(littleEndian: bits), toByteOffset: place, as: UInt32.self)
    }
  }

  /// Numbers of 16 bits, read into the upper half of the memory of those of 32, where each stands behind its place until
  /// its turn comes.
  private func readHalves(
    from place: Int, _ element: TensorElement, into memory: UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    precondition(element == .f16 || element == .bf16, "numbers of 16 bits")
    let half = memory.count / 2
    try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory[half...]), from: place)
    for place in 0..<memory.count / 4 {
      let stored = unsafe memory.load(fromByteOffset: half + place * 2, as: UInt16.self)
      let bits = UInt16(littleEndian: stored)
      let number = element == .f16 ? Float(halfBits: bits) : Float(brainBits: bits)
      unsafe memory.storeBytes(of: number.bitPattern, toByteOffset: place * 4, as: UInt32.self)
    }
  }
}
