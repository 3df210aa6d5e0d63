// SPDX-License-Identifier: Apache-2.0

/// The capabilities of one direction of a device.
package struct DeviceCapabilities: Equatable, Sendable {
  /// The formats that Legato supports, in the order of preference.
  package let formats: [DeviceFormat]
  /// Interleaved or planar, read and written or mapped.
  package let accesses: [DeviceAccess]
  /// The lowest and the highest.
  package let rateRange: ClosedRange<Int>
  /// Rates in use everywhere, of those that are possible.
  package let commonRates: [Int]
  /// Whether unusual rates are possible as well.
  package let hasAnyRate: Bool
  /// Runs of numbers of channels, such as 2 and 8...10.
  package let channels: [ClosedRange<Int>]
  /// In frames, over all rates and formats.
  package let periods: ClosedRange<Int>
  /// In frames, over all rates and formats.
  package let buffers: ClosedRange<Int>

  /// Opens a device for a moment and asks it.
  package init(of device: String, _ direction: DeviceDirection) throws(DeviceError) {
    let handle = try DeviceHandle(opening: device, direction)
    let space = try HardwareSpace(handle)
    self.init(space)
  }

  init(_ space: borrowing HardwareSpace) {
    var formats: [DeviceFormat] = []
    for format in DeviceFormat.allCases where space.allows(format) { formats.append(format) }
    self.formats = formats
    var accesses: [DeviceAccess] = []
    for access in DeviceAccess.allCases where space.allows(access) { accesses.append(access) }
    self.accesses = accesses
    rateRange = space.rates
    var rates: [Int] = []
    for rate in Self.ratesInUse where space.allows(rate: rate) { rates.append(rate) }
    commonRates = rates
    let unused = [rateRange.lowerBound + 1, rateRange.upperBound - 1]
    var hasAnyRate = rateRange.count > 2
    for rate in unused where !space.allows(rate: rate) { hasAnyRate = false }
    self.hasAnyRate = hasAnyRate
    channels = Self.runs(space)
    periods = space.periods
    buffers = space.buffers
  }

  static let ratesInUse = [
    8000, 11025, 16000, 22050, 32000, 44100, 48000, 64000, 88200, 96000, 176_400, 192_000, 352_800, 384_000,
  ]

  /// Asks for each number up to 128, or for the least one alone where that is more. Behind that lies what converts to
  /// any number.
  private static func runs(_ space: borrowing HardwareSpace) -> [ClosedRange<Int>] {
    let range = space.channels
    var runs: [ClosedRange<Int>] = []
    let least = max(1, range.lowerBound)
    let most = max(least, min(range.upperBound, 128))
    for count in least...most {
      guard space.allows(channels: count) else { continue }
      if let last = runs.last, last.upperBound == count - 1 {
        runs[runs.count - 1] = last.lowerBound...count
      } else {
        runs.append(count...count)
      }
    }
    if let last = runs.last, last.upperBound == most, range.upperBound > most {
      runs[runs.count - 1] = last.lowerBound...range.upperBound
    }
    return runs
  }

  /// The rates in a sentence: "44100, 48000 and 96000 Hz", "any rate from 8000 to 192000 Hz".
  package var ratesText: String {
    if hasAnyRate {
      return rateRange.upperBound > 1 << 24 ? "any rate" : "any rate from \(Self.text(rateRange)) Hz"
    }
    if commonRates.isEmpty { return Self.text(rateRange) + " Hz" }
    return Self.list(commonRates.map(String.init)) + " Hz"
  }

  package var formatsText: String { Self.list(formats.map(\.name)) }

  /// "2 or 8 to 10 channels".
  package var channelsText: String {
    Self.list(channels.map(Self.text), "or") + (channels == [1...1] ? " channel" : " channels")
  }

  /// "64 to 8192".
  package var periodsText: String { Self.text(periods) }

  /// "1", "2 to 8" or, where there is no limit that anyone meets, "2 or more".
  static func text(_ range: ClosedRange<Int>) -> String {
    let (least, most) = (range.lowerBound, range.upperBound)
    return most > 1 << 24 ? "\(least) or more" : least == most ? "\(least)" : "\(least) to \(most)"
  }

  private static func list(_ words: [String], _ joint: String = "and") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "none" }
    return words.dropLast().joined(separator: ", ") + " \(joint) " + last
  }
}
