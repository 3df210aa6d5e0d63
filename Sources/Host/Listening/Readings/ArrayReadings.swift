// SPDX-License-Identifier: Apache-2.0

public import Legato

/// Readings of an array, one row for each.
///
///     [200, 6]    200 readings of 6 columns          [16000]    16000 readings of one
public final class ArrayReadings: ReadingSource {
  private var numbers: [Float]?

  /// - Parameter tensor: `[readings, columns]`, or `[readings]` of one column.
  public init(_ tensor: Tensor) { numbers = tensor.values }

  public func next() -> ReadingEvent {
    defer { numbers = nil }
    return numbers.map { .readings($0) } ?? .ended
  }
}
