// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Facts that hold for a capture and all captures within it, as they are read one after the other.
struct CaptureWhole {
  /// More networks, and layers of all arrays, than any program could have room for.
  static let mostParts = 4096

  /// How much of the network to take where the file has several sizes of it, from 0 to 1.
  let size: Double
  /// The rate in hertz, and what states it first; nil where nothing has yet.
  private(set) var rate: (hertz: Int, name: String, place: Place)?

  /// The layers of arrays so far.
  private var layers = 0

  /// Whether there are several sizes to take one of.
  var hasSizes = false
  /// The captures that were taken of several sizes, outermost first.
  var chosen: [CaptureFields] = []

  init(size: Double) { self.size = size }

  /// Looks at what a capture says of itself beside its network: fields that are not known, versions of the format that
  /// came later, and another rate than the others' are refused.
  mutating func add(_ fields: CaptureFields) throws(CaptureError) {
    try fields.check(["version", "metadata", "architecture", "config", "weights", "sample_rate"])
    try Self.checkVersion(of: fields)
    guard fields.has("sample_rate") else { return }
    let hertz = try fields.integer("sample_rate", in: Limits.sampleRates)
    if let rate, rate.hertz != hertz {
      throw fields.error(
        "sample_rate", "is \(hertz) Hz, and \(rate.name) \(rate.hertz) Hz; all parts have one")
    }
    if rate == nil { rate = (hertz, fields.name("sample_rate"), fields.place("sample_rate")) }
  }

  /// Counts the layers of an array.
  mutating func add(layers count: Int, of fields: CaptureFields) throws(CaptureError) {
    layers += count
    guard layers <= Self.mostParts else {
      throw fields.error("dilations", "makes it \(layers) layers in all; \(Self.mostParts) are the most")
    }
  }

  private static func checkVersion(of fields: CaptureFields) throws(CaptureError) {
    guard let version = try fields.optionalText("version") else { return }
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (2...3).contains(parts.count), let major = parts[0], let minor = parts[1],
      parts.allSatisfy({ $0.map { $0 >= 0 } ?? false })
    else {
      throw fields.error("version", "is \(quoted(version)); a version is written as 0.7.0")
    }
    if major == 0 && minor <= 7 { return }
    // Networks with knobs count versions of their own.
    if major == 1 && minor == 0, CaptureKnob.areRead(by: try fields.text("architecture")) { return }
    throw fields.error("version", "is \(quoted(version)); captures are read up to 0.7")
  }
}
