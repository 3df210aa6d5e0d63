// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Capture {
  /// The frames of silence that a recurrent network runs through whose file has no state to begin with: as many as
  /// AIDA-X gives it.
  static let silence = 2048

  /// Reads what stands beside a network of RTNeural or GuitarML: its rate, and who made it of what.
  ///
  ///     "samplerate": 48000, "metadata": { "samplerate": "48000", "name": …, "based": …, "style": …, "author": …, "license": … }
  ///
  /// - Parameter standard: the rate of files that state none, in hertz.
  mutating func readOrigin(_ fields: CaptureFields, standard: Int) throws(CaptureError) {
    let metadata = try fields.optionalFields("metadata")
    sampleRate = standard
    let stated = [fields, metadata].compactMap(\.self).filter { $0.has("samplerate") }
    for part in stated {
      let rate = try Self.rate(part)
      guard part.path == stated[0].path || rate == sampleRate else {
        throw part.error(
          "samplerate",
          "is \(rate) Hz, and \(stated[0].name("samplerate")) \(sampleRate) Hz; a capture has one rate")
      }
      (sampleRate, ratePlace) = (rate, part.place("samplerate"))
    }
    guard let metadata else { return }
    self.metadata = fields.text(of: "metadata")
    func text(_ key: String) throws(CaptureError) -> String? {
      guard let text = try metadata.optionalText(key), !text.isEmpty else { return nil }
      return text
    }
    name = try text("name")
    author = try text("author")
    license = try text("license")
    let parts = [try text("based"), try text("style")].compactMap(\.self)
    description = parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// A rate in hertz, which some files have as a number, and some as a text.
  private static func rate(_ fields: CaptureFields) throws(CaptureError) -> Int {
    guard let text = try? fields.optionalText("samplerate") else {
      return try fields.integer("samplerate", in: Limits.sampleRates)
    }
    guard let number = Double(text), let rate = Int(exactly: number), Limits.sampleRates.contains(rate) else {
      throw fields.error(
        "samplerate",
        "is \(quoted(text)); a rate is a whole number from \(Limits.sampleRates.lowerBound) to \(Limits.sampleRates.upperBound)"
      )
    }
    return rate
  }
}
