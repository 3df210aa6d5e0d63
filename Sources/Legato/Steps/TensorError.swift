// SPDX-License-Identifier: Apache-2.0

internal import TensorFiles

/// The reason why there is no such tensor.
public enum TensorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A shape has another number of numbers than there are, or none that can be counted.
  case shape([Int], count: Int)
  /// A file, or a tensor in it, cannot be read.
  case unreadable(path: String, reason: String)
  /// A file cannot be written.
  case unwritable(path: String, reason: String)

  public var description: String {
    switch self {
    case .shape(let shape, let count):
      "a tensor of shape \(shape) has "
        + (FloatArray.count(of: shape).map { "\($0) numbers, not \(count)" } ?? "no number of numbers")
    case .unreadable(let path, let reason), .unwritable(let path, let reason): "\(path): \(reason)"
    }
  }
}
