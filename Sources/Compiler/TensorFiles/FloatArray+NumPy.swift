// SPDX-License-Identifier: Apache-2.0

internal import CZlib
internal import GraphIR

extension FloatArray {
  /// The array as an npy file: version 1, little-endian floats of 32 bits.
  package var npy: [UInt8] {
    var bytes = NumPyHeader.bytes(of: "<f4", shape, capacity: numbers.count * 4)
    let bits = numbers.map { $0.bitPattern.littleEndian }
    unsafe bits.withUnsafeBytes { unsafe bytes += $0 }
    return bytes
  }
}

extension [Int64] {
  /// Whole numbers as an npy file: version 1, little-endian integers of 64 bits.
  package func npy(shape: [Int]) -> [UInt8] {
    var bytes = NumPyHeader.bytes(of: "<i8", shape, capacity: count * 8)
    let bits = map { $0.littleEndian }
    unsafe bits.withUnsafeBytes { unsafe bytes += $0 }
    return bytes
  }
}

extension NumPyHeader {
  /// The header of an npy file of version 1.
  ///
  /// - Parameters:
  ///   - element: the kind of the numbers, as NumPy calls it.
  ///   - capacity: the bytes that will follow.
  fileprivate static func bytes(of element: String, _ shape: [Int], capacity: Int) -> [UInt8] {
    let extents = shape.map { "\($0)," }.joined(separator: " ")
    // NumPy's own form: (), (2,) and (2, 3).
    let tuple = shape.count == 1 ? "(\(extents))" : "(\(extents.dropLast()))"
    var words = "{'descr': '\(element)', 'fortran_order': False, 'shape': \(tuple), }"
    // With the mark, the version and the length before it, its numbers begin at a multiple of 64.
    while (words.utf8.count + 11) % 64 != 0 { words += " " }
    words += "\n"
    var bytes = mark + [1, 0]
    bytes.append(number: words.utf8.count, bytes: 2)
    bytes += words.utf8
    bytes.reserveCapacity(bytes.count + capacity)
    return bytes
  }
}

extension NumPyArchive {
  /// Arrays as an npz file, in their order, as `numpy.savez` writes them; equal for equal arrays.
  ///
  /// - Parameter file: what messages call it.
  /// - Throws: `TensorFileError` where a name stands twice, or the archive has no room for what there is.
  package static func bytes(
    _ arrays: [(name: String, array: FloatArray)], file: String
  ) throws(TensorFileError) -> [UInt8] {
    var (bytes, directory, known) = ([UInt8](), [UInt8](), Set<[UInt8]>())
    for (name, array) in arrays {
      let (path, content) = (Array((name + ending).utf8), array.npy)
      guard known.insert(path).inserted else { throw TensorFileError(file, tensor: name, "stands twice") }
      let isSmall = bytes.count + content.count <= 0xF000_0000 && known.count < 0xFFFF
      guard isSmall, path.count <= ZipDirectory.longestName else {
        throw TensorFileError(
          file, "would be too large for an archive; write each array to a file of its own")
      }
      let sum = unsafe content.withUnsafeBytes { content in
        unsafe crc32_z(0, content.baseAddress?.assumingMemoryBound(to: UInt8.self), content.count)
      }
      // The fields of both records: version 2.0, names in UTF-8, stored, the first day that zip knows.
      var record: [UInt8] = [20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0]
      record.append(number: Int(sum), bytes: 4)
      record.append(number: content.count, bytes: 4)
      record.append(number: content.count, bytes: 4)
      record.append(number: path.count, bytes: 2)
      record += [0, 0]
      directory += [0x50, 0x4B, 1, 2, 20, 0] + record + [UInt8](repeating: 0, count: 10)
      directory.append(number: bytes.count, bytes: 4)
      directory += path
      bytes += [0x50, 0x4B, 3, 4] + record + path
      bytes += content
    }
    let begin = bytes.count
    bytes += directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    for _ in 0..<2 { bytes.append(number: arrays.count, bytes: 2) }
    bytes.append(number: directory.count, bytes: 4)
    bytes.append(number: begin, bytes: 4)
    return bytes + [0, 0]
  }
}

extension [UInt8] {
  /// Appends a number, the lowest byte first.
  fileprivate mutating func append(number: Int, bytes count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }
}
