// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// Numbers as colours, from a dark violet over green to a bright yellow: equal steps look equal, in grey, too.
///
/// The colours are those of viridis (Smith, van der Walt and Firing, 2015), as polynomials of the sixth degree that
/// were fitted to them.
extension Series.Raster {
  /// The dots, a column for each of the columns; nil where there is none.
  var image: PixelImage? {
    guard let height = columns.first?.count, height > 0 else { return nil }
    var dots = [UInt8](repeating: 0, count: columns.count * height)
    let width = range.upperBound - range.lowerBound
    for (place, column) in columns.enumerated() {
      for (row, value) in column.enumerated() {
        let way = width > 0 ? (value - range.lowerBound) / width : 0
        // What is no number is as dark as nothing.
        dots[(height - 1 - row) * columns.count + place] = way > 0 ? UInt8(min(way, 1) * 255) : 0
      }
    }
    return PixelImage(width: columns.count, dots: dots, palette: Self.palette)
  }

  /// All colours from the darkest to the brightest, side by side.
  static var strip: PixelImage { PixelImage(width: 256, dots: Array(0...255), palette: palette) }

  private static let palette: [(red: UInt8, green: UInt8, blue: UInt8)] = (0...255).map { index in
    func level(_ coefficients: [Double]) -> UInt8 {
      let way = Double(index) / 255
      let value = coefficients.reversed().reduce(0) { $0 * way + $1 }
      return UInt8((min(max(value, 0), 1) * 255).rounded())
    }
    return (level(red), level(green), level(blue))
  }

  private static let red = [0.27773, 0.10509, -0.33086, -4.63423, 6.22827, 4.77638, -5.43546]
  private static let green = [0.00541, 1.40461, 0.21485, -5.7991, 14.17993, -13.74515, 4.64585]
  private static let blue = [0.3341, 1.38459, 0.0951, -19.33244, 56.69055, -65.35303, 26.31244]
}
