// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A safetensors file: named arrays of numbers.
///
///     amp.safetensors ─▶ header ─▶ "layer.weight"  F32  [40, 160]  ─▶ Numbers, a window into the file
///                                  "layer.bias"    F16  [160]      ─▶ Numbers of their own, as floats
///
/// All of the header is checked when the file is opened, and each tensor when it is read.
package final class TensorFile: Sendable {
  /// What messages call the file.
  package let file: String
  /// In the order of the header.
  package let entries: [TensorEntry]
  package let metadata: [String: String]
  private let bytes: FileBytes
  private let begin: Int
  private let rows: [String: Int]

  /// - Throws: `TensorFileError` with the first thing in the header that cannot be true.
  package init(_ bytes: FileBytes, file: String) throws(TensorFileError) {
    let memory = unsafe bytes.bytes
    guard memory.count >= TensorHeader.lengthBytes else {
      throw TensorFileError(file, "is no safetensors file: it has \(memory.count) bytes")
    }
    let length = UInt64(littleEndian: unsafe memory.loadUnaligned(as: UInt64.self))
    let rest = memory.count - TensorHeader.lengthBytes
    guard length <= TensorHeader.most else {
      throw TensorFileError(
        file,
        "is no safetensors file: its header would have \(length) bytes; \(TensorHeader.most) are the most")
    }
    guard length <= rest else {
      throw TensorFileError(file, "is cut off: its header has \(length) bytes, \(rest) of them are there")
    }
    begin = TensorHeader.lengthBytes + Int(length)
    let text = unsafe Array(memory[TensorHeader.lengthBytes..<begin])
    let header = try TensorHeader(text, size: memory.count - begin, file: file)
    self.file = file
    self.bytes = bytes
    (entries, metadata) = (header.entries, header.metadata)
    rows = Dictionary(uniqueKeysWithValues: header.entries.enumerated().map { ($1.name, $0) })
  }

  package func entry(_ name: String) -> TensorEntry? { rows[name].map { entries[$0] } }

  /// The numbers of a tensor of this file, as floats.
  ///
  /// - Throws: `TensorFileError` where their type is none that is read, or one of them is not finite.
  package func numbers(of entry: TensorEntry) throws(TensorFileError) -> Numbers {
    func error(_ message: String) -> TensorFileError { TensorFileError(file, tensor: entry.name, message) }
    let memory = unsafe UnsafeRawBufferPointer(
      rebasing: bytes.bytes[begin + entry.bytes.lowerBound..<begin + entry.bytes.upperBound])
    let numbers: Numbers
    switch entry.element {
    case .f32: numbers = unsafe floats(in: memory)
    case .f16: numbers = unsafe Self.halves(in: memory) { Float(halfBits: $0) }
    case .bf16: numbers = unsafe Self.halves(in: memory) { Float(brainBits: $0) }
    case .f64, .i64, .u64, .i32, .u32, .i16, .u16, .i8, .u8, .boolean, .f8e4m3, .f8e5m2, .f8e8m0, .c64:
      let words = TensorElement.readable.map(\.rawValue).joined(separator: ", ")
      throw error("holds \(entry.element.rawValue); save it as one of \(words)")
    }
    if let place = numbers.firstNonFinite {
      throw error(
        "holds \(written(numbers[place])) at \(index(of: place, in: entry.shape)); each number must be finite"
      )
    }
    return numbers
  }

  /// As they stand in the file, where a processor could read them there.
  private func floats(in memory: UnsafeRawBufferPointer) -> Numbers {
    let isAligned = UInt(bitPattern: memory.baseAddress).isMultiple(of: UInt(MemoryLayout<Float>.alignment))
    guard isAligned, 1 == UInt32(littleEndian: 1) else {
      return Numbers(count: memory.count / 4) { floats in
        for place in floats.indices {
          let bits = unsafe memory.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self)
          floats[place] = Float(bitPattern: UInt32(littleEndian: bits))
        }
      }
    }
    return unsafe Numbers(unsafe: memory.bindMemory(to: Float.self), of: bytes)
  }

  private static func halves(in memory: UnsafeRawBufferPointer, _ meaning: (UInt16) -> Float) -> Numbers {
    Numbers(count: memory.count / 2) { floats in
      for place in floats.indices {
        let bits = unsafe memory.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self)
        floats[place] = meaning(UInt16(littleEndian: bits))
      }
    }
  }

  /// The position along each axis of a number.
  private func index(of place: Int, in shape: [Int]) -> [Int] {
    var (rest, index) = (place, [Int]())
    for extent in shape.reversed() {
      index.append(rest % extent)
      rest /= extent
    }
    return index.reversed()
  }
}
