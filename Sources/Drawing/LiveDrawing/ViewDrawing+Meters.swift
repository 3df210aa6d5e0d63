// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TerminalDrawing

/// Levels, a row for each channel, from -60 dBFS to full scale, with the loudest of the last while.
extension ViewDrawing {
  private static let floor = -60.0

  mutating func drawMeters(_ rows: Int) {
    let both = contents.inputs + contents.outputs
    let meters = rows >= both.count ? both : [contents.inputs, contents.outputs].compactMap(Self.loudest)
    let names = meters.map(\.name.columns).max() ?? 0
    for meter in meters.prefix(rows) {
      draw(meter, names: names)
      row += 1
    }
  }

  private mutating func draw(_ meter: ViewContents.Meter, names: Int) {
    let (peak, held) = (ShownNumber.decibels(meter.peak), ShownNumber.decibels(meter.held))
    write(meter.name, at: 2)
    let numbers = width >= 40 ? 27 : 8
    let start = 2 + names + 1
    let columns = min(width - start - numbers, 60)
    if columns >= 4 {
      let bar = signs.bar(Self.share(meter.peak), columns: columns)
      let color: CellStyle.Color = meter.peak >= 1 ? .red : meter.peak > 0.5 ? .yellow : .green
      write(bar, at: start, CellStyle(color: color))
      if Self.share(meter.held) > 0 {
        let place = min(columns - 1, Int((Self.share(meter.held) * Double(columns - 1)).rounded()))
        if place >= bar.columns { write(signs.held, at: start + place) }
      }
    }
    let behind = max(start, width - numbers)
    let end = write(padded(peak, 7), at: behind)
    guard numbers > 8 else { return }
    let after = write(padded(held, 8), at: end)
    write(" dBFS" + (meter.isClipped ? " CLIP" : ""), at: after, meter.isClipped ? .bold : .dim)
  }

  private func padded(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.columns)) + text
  }

  /// The part of a meter that a level fills.
  private static func share(_ peak: Float) -> Double {
    guard peak > 0, peak.isFinite else { return peak > 0 ? 1 : 0 }
    return min(max(1 - 20 * log10(Double(peak)) / floor, 0), 1)
  }

  private static func loudest(_ meters: [ViewContents.Meter]) -> ViewContents.Meter? {
    guard let first = meters.first else { return nil }
    let name = first.name.split(separator: " ").first.map(String.init) ?? first.name
    return ViewContents.Meter(
      name: name, peak: meters.map(\.peak).max() ?? 0, held: meters.map(\.held).max() ?? 0,
      isClipped: meters.contains(where: \.isClipped))
  }
}
