// SPDX-License-Identifier: Apache-2.0

/// Where rows, columns and channels of a picture stand in a shape.
///
///     [3, 128, 128]      channels, height, width: the first of three axes is as long as there are channels
///     [128, 128, 3]      height, width, channels: else the last one is
///     [128, 128]         height, width, of one channel
///     [1, 3, 128, 128]   the same behind an axis of one picture
package struct ImageLayout {
  let height, width: Int
  /// How far the next channel, row and column are.
  private let steps: (channel: Int, row: Int, column: Int)

  /// The axes of rows and columns in a shape; nil where it is none of a picture.
  ///
  /// - Parameter axes: Extents; nil where one has no number yet.
  package static func axes(_ axes: [Int?], channels: Int) -> (height: Int, width: Int)? {
    let front = axes.count == 4 ? 1 : 0
    guard front == 0 || (axes[0] ?? 1) == 1 else { return nil }
    switch axes.count - front {
    case 3 where axes[front] == channels: return (front + 1, front + 2)
    case 3 where axes[front + 2] == channels: return (front, front + 1)
    case 2 where channels == 1: return (0, 1)
    case _: return nil
    }
  }

  init?(_ shape: [Int], channels: Int) {
    guard let axes = Self.axes(shape, channels: channels) else { return nil }
    (height, width) = (shape[axes.height], shape[axes.width])
    let isLast = axes.width < shape.count - 1
    steps = isLast ? (1, width * channels, channels) : (width * height, width, 1)
  }

  /// The place of a number.
  func place(_ channel: Int, _ row: Int, _ column: Int) -> Int {
    channel * steps.channel + row * steps.row + column * steps.column
  }
}
