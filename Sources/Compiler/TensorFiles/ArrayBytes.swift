// SPDX-License-Identifier: Apache-2.0

internal import CZlib
internal import GraphIR

/// The bytes of one array, in their order: a file's, or those of an archive's entry, which may be deflated.
///
/// They are counted before one of them is read, and of an entry their check sum has to be the one that the archive has.
final class ArrayBytes {
  /// How many there are.
  let count: Int
  /// How many have been read.
  private(set) var place = 0
  /// The file and the array in it, as messages call them.
  private let file: String
  private let tensor: String?
  private let reader: FileReader
  private let begin: Int
  private let inflation: Inflation?
  private let expectedSum: UInt?
  private var sum: UInt = 0

  /// A file that is an array.
  init(_ reader: FileReader, file: String) {
    (self.reader, self.file, tensor) = (reader, file, nil)
    (begin, count, inflation, expectedSum) = (0, reader.count, nil, nil)
  }

  /// An entry of an archive, whose bytes begin at a place of the file.
  init(
    _ entry: ZipDirectory.Entry, at begin: Int, of reader: FileReader, file: String, tensor: String
  ) {
    (self.reader, self.file, self.tensor) = (reader, file, tensor)
    (self.begin, count, expectedSum) = (begin, entry.size, UInt(entry.sum))
    inflation = entry.isDeflated ? Inflation(reader, begin..<begin + entry.stored) : nil
  }

  func error(_ message: String) -> TensorFileError { TensorFileError(file, tensor: tensor, message) }

  /// So many bytes; where there are fewer, the message says what is cut off.
  func next(_ count: Int, _ what: String) throws(TensorFileError) -> [UInt8] {
    guard count <= self.count - place else {
      throw error("is cut off: \(what) takes \(counted(count, "byte")), and \(self.count - place) are there")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    do throws(FileReader.Failure) {
      var span = bytes.mutableSpan
      try unsafe span.withUnsafeMutableBytes { memory throws(FileReader.Failure) in
        guard memory.count > 0 else { return }
        if let inflation {
          try unsafe inflation.read(into: memory)
        } else {
          try unsafe reader.read(from: begin + place, into: memory)
        }
        if expectedSum != nil {
          sum = unsafe crc32(
            sum, memory.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(memory.count))
        }
      }
    } catch {
      throw self.error(error.message)
    }
    place += count
    return bytes
  }

  /// Checks that all of them were what the archive says of them.
  func end() throws(TensorFileError) {
    do throws(FileReader.Failure) { try inflation?.end() } catch { throw self.error(error.message) }
    guard expectedSum == nil || expectedSum == sum else {
      throw error("is damaged: its check sum is another one")
    }
  }
}
