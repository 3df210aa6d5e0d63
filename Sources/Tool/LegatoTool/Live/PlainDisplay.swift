// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import LiveEngine
internal import LiveHost
internal import RealtimeCore

/// A line a second, for logs.
///
///       12.0 s  in -18.3 dBFS  out -12.0 -12.1 dBFS  load 3 % (worst 12 %)  fill 512  xruns 0  lost 0  drift +3 -2 ppm
final class PlainDisplay: LiveDisplay {
  let interval = 1.0
  private let console: Console

  init(_ console: Console) { self.console = console }

  func show(_ reading: LiveReading) throws(Failure) { try console.print(Self.line(reading) + "\n") }

  static func line(_ reading: LiveReading) -> String {
    let account = reading.status.account
    let parts = [
      String(format: "%8.1f s", reading.seconds), "in \(levels(reading.inputPeaks))",
      "out \(levels(reading.outputPeaks))",
      "load \(percent(reading.load)) (worst \(percent(reading.worstLoad)))", "fill \(account.fill)",
      "xruns \(account.overruns + account.underruns)", "lost \(account.framesLost)",
      drift(reading.status.captureDrift, reading.status.playbackDrift),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func levels(_ peaks: [Float]) -> String {
    peaks.map { $0 > 0 ? String(format: "%.1f", 20 * log10(Double($0))) : "-inf" }.joined(separator: " ")
      + " dBFS"
  }

  private static func percent(_ share: Double) -> String { String(format: "%.0f %%", share * 100) }

  /// Empty while it is not known.
  private static func drift(_ capture: Double, _ playback: Double) -> String {
    let known = [capture, playback].filter { !$0.isNaN }
    return known.isEmpty
      ? "" : "drift " + known.map { String(format: "%+.0f", $0) }.joined(separator: " ") + " ppm"
  }
}
