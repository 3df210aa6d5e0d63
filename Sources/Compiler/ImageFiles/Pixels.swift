// SPDX-License-Identifier: Apache-2.0

/// A decoded picture: red, green, blue and opacity of each pixel, 0 to 255, laid over black.
struct Pixels {
  /// Of the picture as it stands upright.
  let width, height: Int
  private let bytes: [UInt8]
  /// The stored pixel of the upright one at the left of the top, and the way to the next one to the right and below.
  private let first, right, down: Int

  /// - Parameters:
  ///   - bytes: four for each pixel, row by row as they are stored.
  ///   - orientation: how the stored rows are to be turned.
  init(_ bytes: [UInt8], width: Int, height: Int, _ orientation: Orientation) {
    precondition(bytes.count == width * height * 4, "four bytes for each pixel")
    self.bytes = bytes
    (self.width, self.height) = orientation.swapsAxes ? (height, width) : (width, height)
    let (end, row, last) = (width - 1, width, width * (height - 1))
    (first, right, down) =
      switch orientation {
      case .upright: (0, 1, row)
      case .mirrored: (end, -1, row)
      case .halfTurn: (last + end, -1, -row)
      case .flipped: (last, 1, -row)
      case .transposed: (0, row, 1)
      case .quarterTurn: (last, -row, 1)
      case .transverse: (last + end, -row, -1)
      case .threeQuarterTurn: (end, row, -1)
      }
  }

  /// The numbers of the picture in a layout: resized, and each channel scaled.
  ///
  /// Rows are weighted and added, then columns: memory is that of one row, whatever the sizes are.
  func numbers(_ layout: ImageLayout, _ conversion: ImageConversion) -> [Float] {
    let (channels, scales) = (conversion.format.channels, conversion.scales)
    let part = part(conversion.crop, layout)
    let rows = Resampling(conversion.resize, from: part.rows, of: height, to: layout.height)
    let columns = Resampling(conversion.resize, from: part.columns, of: width, to: layout.width)
    var numbers = [Float](repeating: 0, count: channels * layout.height * layout.width)
    var (row, sum) = (
      [Float](repeating: 0, count: width * channels), [Float](repeating: 0, count: width * channels)
    )
    for y in 0..<layout.height {
      for (tap, weight) in rows[y].enumerated() {
        read(row: rows.first(y) + tap, conversion.format, into: &row)
        if tap == 0 {
          for index in sum.indices { sum[index] = weight * row[index] }
        } else {
          for index in sum.indices { sum[index] += weight * row[index] }
        }
      }
      for x in 0..<layout.width {
        let (weights, left) = (columns[x], columns.first(x) * channels)
        for channel in 0..<channels {
          var (value, place) = (Float(0), left + channel)
          for weight in weights {
            value += weight * sum[place]
            place += channels
          }
          let (factor, offset) = scales[channel]
          numbers[layout.place(channel, y, x)] = value * factor + offset
        }
      }
    }
    return numbers
  }

  /// The part of the picture that becomes numbers: all of it, or so much of the largest part in its middle that has the
  /// proportions of the layout.
  private func part(_ crop: Double?, _ layout: ImageLayout) -> (rows: Range<Int>, columns: Range<Int>) {
    guard let crop else { return (0..<height, 0..<width) }
    let ratio = min(Double(height) / Double(layout.height), Double(width) / Double(layout.width))
    func middle(_ whole: Int, _ size: Int) -> Range<Int> {
      let count = max(1, min(whole, Int((Double(size) * ratio * crop).rounded())))
      let first = (whole - count) / 2
      return first..<first + count
    }
    return (middle(height, layout.height), middle(width, layout.width))
  }

  /// The channels of a row, 0 to 255, side by side for each pixel.
  private func read(row y: Int, _ format: ImageConversion.Format, into row: inout [Float]) {
    var place = (first + y * down) * 4
    for x in 0..<width {
      let opacity = Float(bytes[place + 3]) / 255
      let red = Float(bytes[place]) * opacity
      let green = Float(bytes[place + 1]) * opacity
      let blue = Float(bytes[place + 2]) * opacity
      switch format {
      case .rgb: (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (red, green, blue)
      case .bgr: (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (blue, green, red)
      case .grey: row[x] = 0.299 * red + 0.587 * green + 0.114 * blue
      }
      place += right * 4
    }
  }
}
