// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import TensorFiles

/// Numbers along some axes: what goes into a step, and what comes out of it.
///
///     let x = try Tensor(shape: [2, 3], values: [1, 2, 3, 4, 5, 6])       1 2 3
///     try x.write(to: "x.npy")                                            4 5 6
///
/// The numbers are row-major: those of the last axis stand side by side.
public struct Tensor: Hashable, Sendable {
  package let array: FloatArray

  /// The extents of the axes; [] for a single number.
  public var shape: [Int] { array.shape }
  /// As many as the product of the extents.
  public var values: [Float] { array.numbers }

  package init(_ array: FloatArray) { self.array = array }

  /// - Throws: `TensorError.shape` where a shape has another number of numbers.
  public init(shape: [Int], values: [Float]) throws(TensorError) {
    guard FloatArray.count(of: shape) == values.count else { throw .shape(shape, count: values.count) }
    array = FloatArray(shape: shape, numbers: values)
  }

  /// Numbers along one axis.
  public init(_ values: [Float]) { array = FloatArray(shape: [values.count], numbers: values) }

  /// A single number.
  public init(_ number: Float) { array = FloatArray(shape: [], numbers: [number]) }

  /// Reads a tensor of a file: npy, npz or safetensors, as its first bytes tell.
  ///
  /// Numbers of any kind become the floats next to them, booleans 0 and 1.
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The tensor's; nil where the file has one only.
  /// - Throws: `TensorError.unreadable`, with what cannot be true of the file.
  public init(contentsOf path: String, named name: String? = nil) throws(TensorError) {
    self = try TensorArchive(contentsOf: path).tensor(name)
  }

  /// The tensor as an npy file, in floats of 32 bits.
  public var npy: [UInt8] { array.npy }

  /// Writes an npy file, which takes the place of one that is there, and appears when it is whole.
  ///
  /// - Throws: `TensorError.unwritable`.
  public func write(to path: String) throws(TensorError) {
    do {
      try Data(npy).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw .unwritable(path: path, reason: "cannot be written (\((error as NSError).localizedDescription))")
    }
  }
}
