// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles
internal import TensorFiles

/// A file of tensors: one of npy, or those of npz and safetensors, by their names.
///
///     let file = try TensorArchive(contentsOf: "in.npz")
///     let x = try file.tensor("x")
///
/// The file stays open as long as this is used, and of its tensors those are read that are asked for. Nothing that it says
/// is believed: how much memory a tensor takes is known, and limited, before any is taken.
public struct TensorArchive: Sendable {
  /// The file as it was named.
  public let path: String
  private let file: ArrayFile

  /// Opens a file, and checks that what it says of its tensors can be true.
  ///
  /// - Throws: `TensorError.unreadable`.
  public init(contentsOf path: String) throws(TensorError) {
    self.path = path
    switch ModelFolder.open(path) {
    case .success(let reader):
      file = try Self.reading(path) { () throws(TensorFileError) in
        try ArrayFile(reader, file: path)
      }
    case .failure(let refusal): throw .unreadable(path: path, reason: refusal.message)
    }
  }

  /// The names of the tensors, in the order of the file; none where it is one without a name.
  public var names: [String] { file.names ?? [] }

  /// The shape of a tensor, of which no number is read.
  ///
  /// - Parameter name: The tensor's; nil where the file has one only.
  /// - Throws: `TensorError.unreadable`.
  public func shape(_ name: String? = nil) throws(TensorError) -> [Int] {
    let name = try row(name)
    return try Self.reading(path) { () throws(TensorFileError) in try file.shape(of: name) }
  }

  /// A tensor.
  ///
  /// - Parameter name: The tensor's; nil where the file has one only.
  /// - Throws: `TensorError.unreadable`, with what is wrong with the tensor.
  public func tensor(_ name: String? = nil) throws(TensorError) -> Tensor {
    try tensor(name, rows: nil)
  }

  /// A tensor, of which no more is needed than so many positions of its first axis; nil for all.
  package func tensor(_ name: String?, rows: Int?) throws(TensorError) -> Tensor {
    let name = try row(name)
    return try Self.reading(path) { () throws(TensorFileError) in Tensor(try file.array(name, rows: rows)) }
  }

  /// Tensors as an npz file, in their order, as `numpy.savez` writes them.
  ///
  /// - Parameters:
  ///   - tensors: With the names under which they stand.
  ///   - path: What errors call the file.
  /// - Throws: `TensorError.unwritable` where a name stands twice, or there are more than 4 GB.
  public static func npz(
    _ tensors: [(name: String, tensor: Tensor)], path: String = "npz"
  ) throws(TensorError) -> [UInt8] {
    do throws(TensorFileError) {
      return try NumPyArchive.bytes(tensors.map { ($0.name, $0.tensor.array) }, file: path)
    } catch {
      throw .unwritable(path: path, reason: error.reason)
    }
  }

  /// The name under which a tensor stands that somebody means.
  private func row(_ name: String?) throws(TensorError) -> String {
    func refusal(_ reason: String) -> TensorError { .unreadable(path: path, reason: reason) }
    guard let names = file.names else {
      if let name {
        throw refusal("the file has one tensor, which has no name, and \(quoted(name)) is asked for")
      }
      return ""
    }
    let some = alternatives(names.prefix(8).map(quoted), "and") + (names.count > 8 ? ", among others" : "")
    guard let name else {
      guard names.count == 1 else {
        throw refusal(names.isEmpty ? "the file has no tensors" : "the file has \(some); say which")
      }
      return names[0]
    }
    // By their bytes: strings are equal that are written differently.
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      let hint = nearestName(to: name, among: names).map { "did you mean \(quoted($0))?" }
      throw refusal(
        "the file has no tensor \(quoted(name)); \(hint ?? (names.isEmpty ? "it has none" : "it has \(some)"))"
      )
    }
    return name
  }

  private static func reading<Result>(
    _ path: String, _ body: () throws(TensorFileError) -> Result
  ) throws(TensorError) -> Result {
    do throws(TensorFileError) { return try body() } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }
}
