// SPDX-License-Identifier: Apache-2.0

/// Arrays in a file of any kind, which its first bytes tell: npy, npz or safetensors.
package enum ArrayFile: Sendable {
  /// One array, which has no name.
  case array(FileReader, file: String)
  case archive(NumPyArchive)
  case tensors(TensorFile)

  /// - Throws: `TensorFileError` with the first thing that cannot be true of the file.
  package init(_ reader: FileReader, file: String) throws(TensorFileError) {
    let start = try TensorFile.bytes(0..<min(reader.count, NumPyHeader.mark.count), of: reader, file: file)
    if start == NumPyHeader.mark {
      self = .array(reader, file: file)
    } else if ZipDirectory.marks.contains(where: { start.starts(with: $0) }) {
      self = .archive(try NumPyArchive(reader, file: file))
    } else {
      self = .tensors(try Self.tensors(reader, file))
    }
  }

  private static func tensors(_ reader: FileReader, _ file: String) throws(TensorFileError) -> TensorFile {
    do throws(TensorFileError) { return try TensorFile(reader, file: file) } catch {
      guard error.message.hasPrefix("is no safetensors file") else { throw error }
      throw TensorFileError(
        file, "is no file of arrays; those of NumPy (.npy, .npz) and safetensors are read")
    }
  }

  /// The names of the arrays, in the order of the file; nil for one that has no name.
  package var names: [String]? {
    switch self {
    case .array: nil
    case .archive(let archive): archive.names
    case .tensors(let file): file.entries.map(\.name)
    }
  }

  /// The shape of an array; of a file with one that has no name, that of this one.
  package func shape(of name: String) throws(TensorFileError) -> [Int] {
    switch self {
    case .array(let reader, let file): try NumPyHeader(ArrayBytes(reader, file: file)).shape
    case .archive(let archive): try archive.shape(of: name)
    case .tensors(let file): try Self.entry(name, file).shape
    }
  }

  /// An array; of a file with one that has no name, this one.
  ///
  /// - Parameter rows: how many positions of the first axis are wanted; nil for all.
  package func array(_ name: String, rows: Int? = nil) throws(TensorFileError) -> FloatArray {
    let array =
      switch self {
      case .array(let reader, let file): try FloatArray(ArrayBytes(reader, file: file), rows: rows)
      case .archive(let archive): try archive.array(name, rows: rows)
      case .tensors(let file): try file.array(of: Self.entry(name, file))
      }
    return rows.map(array.first) ?? array
  }

  private static func entry(_ name: String, _ file: TensorFile) throws(TensorFileError) -> TensorEntry {
    guard let entry = file.entry(name) else { throw TensorFileError(file.file, tensor: name, "is not there") }
    return entry
  }
}
