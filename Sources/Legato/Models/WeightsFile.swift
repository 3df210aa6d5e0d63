// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles
internal import TensorFiles

/// A safetensors file: named arrays of learned numbers.
///
///     let file = try WeightsFile(contentsOf: "amp.safetensors")
///     let hidden = tanh(source.dense(weight: builder.weights("layer.weight", from: file)))
///
/// The file stays open as long as this is used, and of its numbers those are read that are asked for; those of 16 bits
/// (F16, BF16) become floats of 32. To change a file that is used write another one, and give it the name.
public struct WeightsFile: Sendable {
  /// An array as the file describes it.
  public struct Tensor: Hashable, Sendable {
    public let name: String
    /// Row-major; empty for a single number.
    public let shape: [Int]
    /// The type of its numbers, as the file says it: F32, F16, BF16, or another one, which is not read.
    public let type: String
  }

  let file: TensorFile

  /// Opens a file, and checks that its header can be true.
  ///
  /// - Throws: `ModelError.unreadable`, with the tensor that is wrong.
  public init(contentsOf path: String) throws(ModelError) {
    let reader: FileReader
    switch ModelFolder.open(path) {
    case .success(let opened): reader = opened
    case .failure(let refusal): throw .unreadable(path: path, reason: refusal.message)
    }
    do throws(TensorFileError) {
      file = try TensorFile(reader, file: path)
    } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }

  /// The arrays in the file, in the order of its header.
  public var tensors: [Tensor] {
    file.entries.map { Tensor(name: $0.name, shape: $0.shape, type: $0.element.rawValue) }
  }
}

extension GraphBuilder {
  /// A tensor of a file as weights, under the tensor's name.
  ///
  /// One that is missing, of a type that is not read, or with a number that is not finite is a problem of the graph, as
  /// is a file that somebody has written into since it was opened.
  public func weights(_ name: String, from file: WeightsFile) -> Signal {
    do throws(TensorFileError) {
      guard let entry = file.file.entry(name) else {
        throw TensorFileError(file.file.file, tensor: name, "is not there")
      }
      return weights(name, shape: entry.shape, try file.file.numbers(of: entry))
    } catch {
      report(error.description)
      return Signal(self, assembler.forward(nil), name)
    }
  }
}
