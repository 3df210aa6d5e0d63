// SPDX-License-Identifier: Apache-2.0

/// The rows of one input, a constant distance apart: row r begins at `base + r * stride`.
@unsafe
public struct InputRows {
  /// The beginning of row 0.
  public var base: UnsafePointer<Float>
  /// Samples from the beginning of one row to that of the next; at least a row's length.
  public var stride: Int

  @_noLocks public init(base: UnsafePointer<Float>, stride: Int) {
    unsafe self.base = base
    unsafe self.stride = stride
  }
}

/// The rows of one output, a constant distance apart: row r begins at `base + r * stride`.
@unsafe
public struct OutputRows {
  /// The beginning of row 0.
  public var base: UnsafeMutablePointer<Float>
  /// Samples from the beginning of one row to that of the next; at least a row's length.
  public var stride: Int

  @_noLocks public init(base: UnsafeMutablePointer<Float>, stride: Int) {
    unsafe self.base = base
    unsafe self.stride = stride
  }
}
