// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import Synchronization

/// A safetensors file: named arrays of numbers.
///
///     amp.safetensors ─▶ header ─▶ "layer.weight"  F32  [40, 160]  ─▶ Numbers
///                                  "layer.bias"    F16  [160]      ─▶ Numbers, as floats
///
/// All of the header is checked when the file is opened, and each tensor when it is asked for: only then it is read, once
/// for all who have it at a time.
package final class TensorFile: Sendable {
  /// The name of the file in messages.
  package let file: String
  /// In the order of the header.
  package let entries: [TensorEntry]
  package let metadata: [String: String]
  private let reader: FileReader
  private let begin: Int
  /// The places of names among the entries, by the bytes of the names.
  private let rows: [[UInt8]: Int]
  /// The numbers that were read, by their rows, for as long as somebody has them.
  private let read = Mutex<[Int: Held]>([:])

  private struct Held: Sendable {
    weak let numbers: Numbers?
  }

  /// - Throws: `TensorFileError` with the first thing in the header that cannot be true.
  package init(_ reader: FileReader, file: String) throws(TensorFileError) {
    guard reader.count >= TensorHeader.lengthBytes else {
      throw TensorFileError(file, "is no safetensors file: it has \(counted(reader.count, "byte"))")
    }
    let first = try Self.bytes(0..<TensorHeader.lengthBytes, of: reader, file: file)
    let length = first.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let rest = reader.count - TensorHeader.lengthBytes
    guard length <= TensorHeader.most else {
      throw TensorFileError(
        file,
        "is no safetensors file: its header would have \(length) bytes; \(TensorHeader.most) are the most")
    }
    guard length <= rest else {
      throw TensorFileError(
        file, "is cut off: its header has \(counted(Int(length), "byte")), \(rest) of them are there")
    }
    begin = TensorHeader.lengthBytes + Int(length)
    let text = try Self.bytes(TensorHeader.lengthBytes..<begin, of: reader, file: file)
    let header = try TensorHeader(text, size: reader.count - begin, file: file)
    (self.file, self.reader) = (file, reader)
    (entries, metadata) = (header.entries, header.metadata)
    rows = Dictionary(uniqueKeysWithValues: header.entries.enumerated().map { (Array($1.name.utf8), $0) })
  }

  package static func bytes(
    _ range: Range<Int>, of reader: FileReader, file: String
  ) throws(TensorFileError) -> [UInt8] {
    do throws(FileReader.Failure) {
      var bytes = [UInt8](repeating: 0, count: range.count)
      var span = bytes.mutableSpan
      try unsafe span.withUnsafeMutableBytes { memory throws(FileReader.Failure) in
        try unsafe reader.read(from: range.lowerBound, into: memory)
      }
      return bytes
    } catch {
      throw TensorFileError(file, error.message)
    }
  }

  package func entry(_ name: String) -> TensorEntry? { rows[Array(name.utf8)].map { entries[$0] } }

  /// The tensors of some names, in the order of the header; names of none are passed over.
  package func entries(named names: some Sequence<String>) -> [TensorEntry] {
    names.compactMap { rows[Array($0.utf8)] }.sorted().map { entries[$0] }
  }

  /// Whether somebody has the numbers of a tensor of this file.
  package func has(_ entry: TensorEntry) -> Bool {
    let row = rows[Array(entry.name.utf8)]!
    return read.withLock { $0[row]?.numbers != nil }
  }

  /// The numbers of a tensor of this file, as floats.
  ///
  /// - Throws: `TensorFileError` where their type is none that is read, where one of them is not finite, or where the
  ///   file cannot be read any more.
  package func numbers(of entry: TensorEntry) throws(TensorFileError) -> Numbers {
    let row = rows[Array(entry.name.utf8)]!
    if let known = read.withLock({ $0[row]?.numbers }) { return known }
    func error(_ message: String) -> TensorFileError { TensorFileError(file, tensor: entry.name, message) }
    let numbers: Numbers
    do throws(FileReader.Failure) {
      switch entry.element {
      case .f32: numbers = try floats(entry)
      case .f16: numbers = try halves(entry) { Float(halfBits: $0) }
      case .bf16: numbers = try halves(entry) { Float(brainBits: $0) }
      case .f64, .i64, .u64, .i32, .u32, .i16, .u16, .i8, .u8, .boolean, .f8e4m3, .f8e5m2, .f8e8m0, .c64:
        let words = TensorElement.readable.map(\.rawValue).joined(separator: ", ")
        throw FileReader.Failure(message: "holds \(entry.element.rawValue); save it as one of \(words)")
      }
    } catch {
      throw TensorFileError(file, tensor: entry.name, error.message)
    }
    if let place = numbers.firstNonFinite {
      throw error(
        "holds \(written(numbers[place])) at \(index(of: place, in: entry.shape)); each number must be finite"
      )
    }
    return read.withLock { read in
      if let known = read[row]?.numbers { return known }
      read[row] = Held(numbers: numbers)
      return numbers
    }
  }

  private func floats(_ entry: TensorEntry) throws(FileReader.Failure) -> Numbers {
    try unsafe Numbers(unsafeCount: entry.count) { memory throws(FileReader.Failure) in
      try unsafe reader.read(from: begin + entry.bytes.lowerBound, into: memory)
      guard 1 != UInt32(littleEndian: 1) else { return }
      for place in stride(from: 0, to: memory.count, by: 4) {
        let bits = unsafe memory.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        unsafe memory.storeBytes(of: UInt32(littleEndian: bits), toByteOffset: place, as: UInt32.self)
      }
    }
  }

  /// Numbers of 16 bits, read into the upper half of the memory of those of 32, where each stands behind its place until
  /// its turn comes.
  private func halves(
    _ entry: TensorEntry, _ meaning: (UInt16) -> Float
  ) throws(FileReader.Failure) -> Numbers {
    try unsafe Numbers(unsafeCount: entry.count) { memory throws(FileReader.Failure) in
      let half = memory.count / 2
      try unsafe reader.read(
        from: begin + entry.bytes.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: memory[half...]))
      for place in 0..<entry.count {
        let bits = unsafe memory.load(fromByteOffset: half + place * 2, as: UInt16.self)
        let number = meaning(UInt16(littleEndian: bits))
        unsafe memory.storeBytes(of: number.bitPattern, toByteOffset: place * 4, as: UInt32.self)
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
