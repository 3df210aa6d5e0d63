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

  /// A part of a file, which messages call `file`.
  package static func bytes(
    _ range: Range<Int>, of reader: FileReader, file: String
  ) throws(TensorFileError) -> [UInt8] {
    if let given = reader.given, range == given.indices { return given }
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
    guard entry.element.isReadable else {
      let words = TensorElement.readable.map(\.rawValue).joined(separator: ", ")
      throw error("holds \(entry.element.rawValue); save it as one of \(words)")
    }
    let numbers: Numbers
    do throws(Numbers.Unavailable) {
      numbers = try reader.numbers(
        from: begin + entry.bytes.lowerBound, count: entry.count, entry.element,
        subject: TensorFileError.subject(file, tensor: entry.name))
    } catch {
      throw TensorFileError(file, tensor: entry.name, error.reason)
    }
    if let place = numbers.firstNonFinite {
      throw error(
        "holds \(written(numbers[place])) at \(FloatArray.position(of: place, in: entry.shape)); each number must be finite"
      )
    }
    return read.withLock { read in
      if let known = read[row]?.numbers { return known }
      read[row] = Held(numbers: numbers)
      return numbers
    }
  }

  /// A tensor of this file as an array, whose numbers become the floats next to them, as those of NumPy's files do: they may
  /// be infinite.
  func array(of entry: TensorEntry) throws(TensorFileError) -> FloatArray {
    func error(_ message: String) -> TensorFileError { TensorFileError(file, tensor: entry.name, message) }
    guard entry.count <= FloatArray.mostNumbers else {
      throw error("has more than \(FloatArray.mostNumbers) numbers, which are the most")
    }
    guard let element = entry.element.numPy else {
      throw error("holds \(entry.element.rawValue), which is not read; save it as F32")
    }
    var numbers: [Float] = []
    numbers.reserveCapacity(entry.count)
    let (first, end) = (begin + entry.bytes.lowerBound, begin + entry.bytes.upperBound)
    for place in stride(from: first, to: end, by: 1 << 16) {
      let part = try Self.bytes(place..<min(end, place + 1 << 16), of: reader, file: file)
      if let beyond = unsafe part.withUnsafeBytes({ unsafe element.append($0, to: &numbers) }) {
        let position = FloatArray.position(of: numbers.count - 1, in: entry.shape)
        throw error("holds \(written(beyond)) at \(position), which is beyond all floats of 32 bits")
      }
    }
    return FloatArray(shape: entry.shape, numbers: numbers)
  }
}
