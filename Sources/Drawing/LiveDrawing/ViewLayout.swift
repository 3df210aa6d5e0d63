// SPDX-License-Identifier: Apache-2.0

/// The layout of the view: the rows of the screen that each part has.
///
///     Bitcrusher            hw:0  48000 Hz
///     ▶ resolution    ━━━━━┃─────  8 levels          rows, those around the one that is selected
///     presets  1 Eight bits  2 Telephone
///     in 1   ████████│                               meters of all channels, or the loudest of each direction
///     ⡠⠊⠑⢄                                           the wave, where there is room
///     load 12 %  xruns 0  fill 768
///     a message
///     ↑↓ select  ←→ turn  ? help  q quit
///
/// On a small screen the last parts to go are the name, the parameter that is selected, and how the device is doing.
struct ViewLayout: Equatable {
  var title = 0
  var rows = 0
  var presets = 0
  var meters = 0
  var wave = 0
  var status = 0
  var message = 0
  var keys = 0
  /// Whether parts are set apart by blank rows.
  var isSpaced = false

  /// The wave needs so many rows, with the one that names it, and takes no more.
  private static let leastWave = 5
  private static let mostWave = 17
  private static let fewRows = 12

  /// - Parameters:
  ///   - height: rows of the screen.
  ///   - knobs: parameters that there are.
  ///   - presets: whether there are presets, or a bypass.
  ///   - meters: channels of both directions.
  ///   - status: rows that the status fills.
  ///   - message: whether there is a message.
  init(
    height: Int, knobs: Int, presets hasPresets: Bool, meters channels: Int, status wanted: Int,
    message hasMessage: Bool, wave hasWave: Bool
  ) {
    var left = height
    func take(_ count: Int) -> Int {
      let taken = min(max(count, 0), left)
      left -= taken
      return taken
    }
    title = take(1)
    rows = take(min(knobs, 1))
    status = take(1)
    if hasMessage { message = take(1) }
    keys = take(1)
    // The loudest of each direction, and more once the rest has its place.
    let few = min(channels, 2)
    meters = left >= few ? take(few) : 0
    status += take(wanted - 1)
    if hasPresets { presets = take(1) }
    // Its place is kept, so that nothing moves when one comes.
    if !hasMessage { message = take(1) }
    rows += take(min(knobs, Self.fewRows) - rows)
    if channels > few, left >= channels - few { meters += take(channels - few) }
    let gaps = [rows, presets, meters].count { $0 > 0 }
    if left >= gaps + (hasWave ? Self.leastWave : 0) {
      isSpaced = true
      left -= gaps
    }
    if hasWave, left >= Self.leastWave { wave = take(Self.mostWave) }
    rows += take(knobs - rows)
  }
}
